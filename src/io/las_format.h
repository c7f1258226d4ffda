// The layout of LAS files: ASPRS LAS 1.0 to 1.4.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "graze/base/number.h"

namespace graze::io::las {

// Offsets in the header.
inline constexpr std::size_t kGlobalEncoding = 6, kVersionMajor = 24, kVersionMinor = 25, kSystem = 26, kSoftware = 58,
                             kDayOfYear = 90, kHeaderSize = 94, kPointOffset = 96, kRecordCount = 100,
                             kPointFormat = 104, kPointSize = 105, kLegacyPoints = 107, kLegacyByReturn = 111,
                             kScale = 131, kOffset = 155, kBounds = 179, kPoints = 247, kByReturn = 255;
/// Size of the header of 1.0 to 1.2, of 1.3 and of 1.4.
inline constexpr std::size_t kSize12 = 227, kSize13 = 235, kSize14 = 375;
/// Size of the head of a variable length record, and of one description of extra bytes.
inline constexpr std::size_t kRecordHead = 54, kExtraBytes = 192;
inline constexpr std::uint16_t kExtraBytesId = 4, kWktId = 2112, kGeoKeysId = 34735, kGeoDoublesId = 34736,
                               kPackingId = 22204;  // of LAZ
inline constexpr std::uint16_t kWktBit = 16;        // of the global encoding
inline constexpr int kFormats = 11;

/// Bytes of a point of each format without extra bytes.
inline constexpr std::array<std::uint16_t, kFormats> kPointSizes = {20, 28, 26, 34, 57, 63, 30, 36, 38, 59, 67};
/// Where the parts begin that not all formats have; 0: absent.
inline constexpr std::array<std::uint8_t, kFormats> kTime = {0, 20, 0, 20, 20, 20, 22, 22, 22, 22, 22};
inline constexpr std::array<std::uint8_t, kFormats> kColor = {0, 0, 20, 28, 0, 28, 0, 30, 30, 0, 30};
inline constexpr std::array<std::uint8_t, kFormats> kInfrared = {0, 0, 0, 0, 0, 0, 0, 0, 36, 0, 36};
inline constexpr std::array<std::uint8_t, kFormats> kWave = {0, 0, 0, 0, 28, 34, 0, 0, 0, 30, 38};
/// Formats from here on have wider returns, classes and angles.
inline constexpr int kWide = 6;
inline constexpr double kAngleUnit = 0.006;  // degrees, of wide formats

/// An angle of a wide format in degrees, and the number that states it.
inline float angle_degrees(double raw) { return static_cast<float>(raw * kAngleUnit); }
inline double angle_raw(double degrees) { return std::round(degrees / kAngleUnit); }

/// The types of extra bytes, by their code less one.
inline constexpr std::array<NumberType, 10> kExtraTypes = {
    NumberType::uint8, NumberType::int8,   NumberType::uint16, NumberType::int16,   NumberType::uint32,
    NumberType::int32, NumberType::uint64, NumberType::int64,  NumberType::float32, NumberType::float64};

}  // namespace graze::io::las
