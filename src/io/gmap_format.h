// graze's own files of occupancy maps, .gmap: what the reader and the writer share. docs/map-files.md describes the
// bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "graze/io/map_file.h"
#include "io/bytes.h"

namespace graze::io {

inline constexpr std::string_view kStartOfGmap = "grazemap";
inline constexpr std::uint32_t kGmapVersion = 1;
inline constexpr std::size_t kGmapHeader = 112;                         ///< bytes
inline constexpr std::size_t kGmapPalette = std::size_t{1} << 16U;      ///< most values that are stored once each
inline constexpr std::size_t kGmapSmallPalette = std::size_t{1} << 8U;  ///< most whose index is one byte

/// What a child of a node is, in two bits.
enum class GmapChild : unsigned { unknown, leaf, same_leaf, inner };
/// When a brick was last changed, in two bits.
enum class GmapTime : unsigned { none, given, same };

/// The CRC-32 of zlib and PNG, continued from that of the bytes before.
std::uint32_t crc32(std::string_view bytes, std::uint32_t before = 0);

/// Reads such a file. Throws Error.
MapFile read_gmap(std::shared_ptr<const Bytes> bytes);
/// The bytes of such a file.
std::string gmap_bytes(const OccupancyMap& map, const std::optional<OccupancyMapperOptions>& sensor);

}  // namespace graze::io
