// Shared by the fuzz targets of the cloud readers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "fuzz/fuzz.h"
#include "graze/base/error.h"
#include "graze/io/cloud_file.h"

namespace graze_fuzz {

/// Any bytes as a file of that name: a cloud that keeps the contract, or an Error that names the file. What was read
/// can be written again in every format, or is rejected.
inline void read_cloud_from(const std::uint8_t* data, std::size_t size, const std::string& name) {
  using namespace graze;
  Cloud cloud;
  try {
    cloud = parse_cloud({reinterpret_cast<const char*>(data), size}, name);
  } catch (const Error& error) {
    expect(std::string_view(error.what()).substr(0, name.size()) == name, "errors start with the name of the file");
    return;
  }
  expect(cloud.memory_bytes() <= (std::size_t{64} << 20) + 64 * size, "memory is proportional to the file");
  std::size_t skipped = 0;
  for (std::size_t i = 0; i < cloud.size(); ++i) {
    const Vec3 p = cloud.point(i);
    skipped += cloud.is_skipped(i) ? 1 : 0;
    expect(cloud.is_skipped(i) ? !is_finite(p) : cloud.bounds().contains(p), "points lie in the bounds");
  }
  expect(skipped == cloud.skipped(), "skipped points are counted");
  for (const CloudAttribute& a : cloud.attributes()) expect(a.size() == cloud.size(), "a value for every point");
  constexpr std::size_t kFewValues = 10000;
  if (cloud.size() * (3 + cloud.attributes().size()) > kFewValues) return;
  for (const CloudFormat format : {CloudFormat::ply, CloudFormat::pcd, CloudFormat::las, CloudFormat::text}) {
    try {
      const WriteCloudReport report = write_cloud("/dev/null", cloud, {.format = format});
      expect(report.written + report.dropped == cloud.size(), "all points are written or counted");
    } catch (const Error&) {
      // Such as 64-bit integers that PLY has no type for.
    }
  }
}

}  // namespace graze_fuzz
