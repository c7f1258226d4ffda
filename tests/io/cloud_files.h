// Clouds and files for the tests of readers and writers.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "graze/io/cloud_file.h"
#include "support/refusal.h"

namespace graze_test {

/// A folder of its own for each test, with blanks and letters beyond ASCII in its name.
class CloudFiles : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "graze clouds é XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string write(const std::string& name, std::string_view bytes) const {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
    return path(name);
  }
  std::string contents(const std::string& name) const {
    std::ifstream file(folder_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  std::filesystem::path folder_;
};

/// Why the bytes are not a cloud; empty if they are.
inline std::string refused(std::string_view bytes, const std::string& name = "f") {
  return refusal([&] { graze::parse_cloud(bytes, name); });
}

inline bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

/// The bytes of a number, optionally with the most significant one first.
template <class T>
std::string bytes_of(T value, bool big_endian = false) {
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  return big_endian ? std::string(bytes.rbegin(), bytes.rend()) : bytes;
}

struct SampleOptions {
  bool doubles = false, skips = false;
  double largest_integer = 9e15;  // of 64-bit attributes; doubles hold it exactly
};

/// Points with an attribute of every type, its extremes included.
inline graze::Cloud sample_cloud(std::size_t count, const SampleOptions& options) {
  using namespace graze;
  std::mt19937_64 random(count + 1);
  std::uniform_real_distribution<double> coordinate(-1000, 1000);
  std::vector<Vec3> points(count);
  for (std::size_t i = 0; i < count; ++i) {
    for (double& x : points[i]) x = coordinate(random) + (options.doubles ? 4e6 : 0);
    if (!options.doubles) points[i] = points[i].cast<float>().cast<double>();
    if (options.skips && i % 5 == 2)
      points[i][static_cast<Eigen::Index>(i % 3)] = std::numeric_limits<double>::quiet_NaN();
  }
  std::vector<std::vector<char>> columns;
  std::vector<AttributeView> views;
  for (const NumberType type : kNumberTypes) {
    std::vector<char>& column = columns.emplace_back(count * size_of(type));
    visit_number(type, [&](auto zero) {
      using T = decltype(zero);
      for (std::size_t i = 0; i < count; ++i) {
        T value{};
        if constexpr (std::is_floating_point_v<T>) {
          value = static_cast<T>(coordinate(random));
        } else {
          const double low = std::max(static_cast<double>(std::numeric_limits<T>::min()), -options.largest_integer);
          const double high = std::min(static_cast<double>(std::numeric_limits<T>::max()), options.largest_integer);
          const double at = i == 0 ? low : i == 1 ? high : low + (high - low) * (coordinate(random) + 1000) / 2000;
          value = sizeof(T) == 8 && i == 1 && options.largest_integer > 1e18 ? std::numeric_limits<T>::max()
                                                                             : static_cast<T>(at);
        }
        std::memcpy(column.data() + i * sizeof(T), &value, sizeof value);
      }
    });
  }
  for (std::size_t k = 0; k < columns.size(); ++k) {
    views.push_back(
        {"a_" + std::string(name_of(kNumberTypes[k])),
         {kNumberTypes[k], columns[k].data(), count, static_cast<std::ptrdiff_t>(size_of(kNumberTypes[k]))}});
  }
  return Cloud(PointView(points), {}, views);
}

/// The bytes of a LAS file of that version and point format, with counting coordinates and zeros in all other fields.
inline std::string las_file(int minor, int format, std::uint32_t count, std::size_t point_size) {
  std::string bytes(minor == 4 ? 375 : minor == 3 ? 235 : 227, '\0');
  const auto put = [&](std::size_t at, const std::string& value) { bytes.replace(at, value.size(), value); };
  put(0, "LASF");
  put(24, bytes_of<std::uint8_t>(1));
  put(25, bytes_of(static_cast<std::uint8_t>(minor)));
  put(94, bytes_of(static_cast<std::uint16_t>(bytes.size())));
  put(96, bytes_of(static_cast<std::uint32_t>(bytes.size())));
  put(104, bytes_of(static_cast<std::uint8_t>(format)));
  put(105, bytes_of(static_cast<std::uint16_t>(point_size)));
  put(107, bytes_of(format < 6 ? count : 0U));
  if (minor == 4) put(247, bytes_of<std::uint64_t>(count));
  for (std::size_t k = 0; k < 3; ++k) {
    put(131 + 8 * k, bytes_of(0.01));
    put(155 + 8 * k, bytes_of(1000.0 * static_cast<double>(k + 1)));
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    std::string point(point_size, '\0');
    for (std::size_t k = 0; k < 3; ++k) {
      point.replace(4 * k, 4, bytes_of(static_cast<std::int32_t>(i + 7 * k) - 3));
    }
    bytes += point;
  }
  return bytes;
}

}  // namespace graze_test
