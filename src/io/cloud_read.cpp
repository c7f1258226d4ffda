#include "io/cloud_read.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "graze/base/error.h"
#include "graze/geometry/building_bytes.h"
#include "graze/geometry/cloud_builder.h"
#include "io/las_format.h"
#include "io/las_names.h"

namespace graze::io {
namespace {

// Little enough that with the buffers of the readers the whole stays below 64 MiB + 64 × the size of the file.
constexpr std::uint64_t kBudget = std::uint64_t{48} << 20, kBudgetPerByte = 48;

// Columns that grow are there up to three times for a moment.
constexpr std::uint64_t kBytesPerByte = 3;

// Files that are not compressed hardly exceed it, as their sizes were compared with what they claim.
void check_budget(const CloudHeader& header, const ReadCloudOptions& options, const std::string& name) {
  if (!header.points || header.format == CloudFormat::text) return;
  const bool moved = (options.apply_viewpoint && header.viewpoint) || options.unit;
  const bool exact = !moved && (header.coordinates == NumberType::float32 || size_of(header.coordinates) < 4);
  std::uint64_t row = 0;
  for (const AttributeType& a : header.attributes) row += kBytesPerByte * (options.attributes ? size_of(a.type) : 0);
  const std::uint64_t max_bytes = kBudget + kBudgetPerByte * header.file_size;
  // More than there is memory for on any machine: the sums below do not overflow.
  constexpr std::uint64_t kMaxPoints = std::uint64_t{1} << 40;
  const std::uint64_t points = std::min(*header.points, kMaxPoints);
  const std::uint64_t bytes =
      building_bytes_of_cloud(points, exact ? NumberType::float32 : NumberType::float64) + row * points;
  if (bytes > max_bytes) {
    throw Error(name, fmt::format("claims {} points, which take {} MiB in memory with their search tree; the limit "
                                  "for a file of {} bytes is {} MiB (48 MiB + 48 × its size); unpack it first (graze "
                                  "convert IN OUT --binary), or read it in parts",
                                  *header.points, bytes >> 20, header.file_size, max_bytes >> 20));
  }
}

Cloud read(const std::shared_ptr<const Bytes>& bytes, const ReadCloudOptions& options) {
  const std::unique_ptr<CloudSource> source = open_cloud(bytes);
  const CloudHeader& header = source->header();
  check_budget(header, options, bytes->name());
  CloudBuilder builder(options.attributes ? header.attributes : std::vector<AttributeType>());
  // A point takes at least a byte of most files; where one takes less, or the count is a lie, the cloud grows.
  if (header.points) builder.reserve(static_cast<std::size_t>(std::min(*header.points, header.file_size / 3)));
  try {
    for_each_buffer(*source, {options.apply_viewpoint, options.unit}, options.progress, "reading " + bytes->name(),
                    [&](ChunkBuffer& buffer, std::uint64_t first) {
                      CloudChunk chunk = buffer.chunk(first);
                      if (!options.attributes) chunk.attributes = {};
                      builder.append(chunk.points, chunk.attributes);
                      return true;
                    });
    return std::move(builder).finish(options.radius);
  } catch (const Error& error) {
    if (error.where().starts_with(bytes->name())) throw;
    throw Error(bytes->name(), error.what());
  }
}

}  // namespace

namespace {

// By how much x, y and z are multiplied.
Vec3 factors(const CloudSource& source, const Frame& frame) {
  const CloudUnits& units = source.header().units;
  if (frame.unit) {
    if (!std::isfinite(*frame.unit) || *frame.unit <= 0) {
      throw Error("unit", fmt::format("must be a positive number of metres, got {}", *frame.unit));
    }
    return Vec3::Constant(*frame.unit);
  }
  if (units.kind == CloudUnits::Kind::angle) {
    throw Error(
        source.name(),
        fmt::format("x and y are in {}s, by its {}, which are not lengths; project it to a system in metres first "
                    "(pdal translate IN OUT reprojection --filters.reprojection.out_srs=EPSG:…), or state the "
                    "unit if its records are wrong (graze convert IN OUT --unit 1)",
                    units.name, units.source));
  }
  return units.metres;
}

}  // namespace

void for_each_buffer(CloudSource& source, const Frame& frame, const Progress& progress, const std::string& message,
                     const std::function<bool(ChunkBuffer&, std::uint64_t)>& visit) {
  const CloudHeader& header = source.header();
  const Vec3 unit = factors(source, frame);
  const bool scaled = unit != Vec3::Ones();
  // A text of n bytes has not more than n rows.
  ChunkBuffer buffer(header.attributes, header.format == CloudFormat::text ? header.file_size : *header.points);
  std::uint64_t first = 0;
  progress.report(0, message);
  while (true) {
    buffer.clear();
    source.fill(buffer);
    if (buffer.size() == 0) break;
    if (frame.apply_viewpoint && header.viewpoint) {
      for (std::size_t i = 0; i < buffer.size(); ++i) {
        Eigen::Map<Vec3> p(buffer.point(i));
        p = *header.viewpoint * Vec3(p);
      }
    }
    for (std::size_t i = 0; scaled && i < buffer.size(); ++i) {
      Eigen::Map<Vec3> p(buffer.point(i));
      p = p.cwiseProduct(unit);
    }
    if (!visit(buffer, first)) return;
    first += buffer.size();
    const double done = static_cast<double>(source.position()) / static_cast<double>(header.file_size);
    // 1 is reported once, below.
    if (!progress.report(std::min(done, 0.999))) throw Error(message, "was cancelled");
  }
  progress.report(1);
}

CloudHeader header_after(const CloudSource& source, const Frame& frame) {
  CloudHeader header = source.header();
  const Vec3 unit = factors(source, frame);
  if (frame.apply_viewpoint && header.viewpoint) {
    header.viewpoint.reset();
    header.coordinates = NumberType::float64;
  }
  if (unit != Vec3::Ones()) {
    if (header.scale) header.scale = header.scale->cwiseProduct(unit);
    if (header.offset) header.offset = header.offset->cwiseProduct(unit);
    if (!header.scale) header.coordinates = NumberType::float64;
    if (header.viewpoint) {
      const Eigen::Quaterniond q(header.viewpoint->rotation());
      const Vec3 t = header.viewpoint->translation().cwiseProduct(unit);
      header.viewpoint = Pose::from_wxyz(t, q.w(), q.x(), q.y(), q.z());
    }
    if (!frame.unit) {
      header.notes.push_back(fmt::format("converted to metres; the file is in {}", describe(header.units)));
    }
  }
  if (unit != header.units.metres || unit != Vec3::Ones() || header.units.kind == CloudUnits::Kind::angle) {
    header.projection_records.clear();
  }
  if (!frame.unit && header.units.kind == CloudUnits::Kind::unknown) {
    header.notes.push_back(fmt::format("its unit is {}; the numbers are taken for metres", describe(header.units)));
  }
  return header;
}

CloudStatistics::CloudStatistics(const std::vector<AttributeType>& types) : facts(types.size()) {
  for (const AttributeType& type : types) attributes.push_back({type});
}

void CloudStatistics::add(const CloudChunk& chunk) {
  const std::uint64_t before = points;
  points += chunk.points.size();
  for (std::size_t i = 0; i < chunk.points.size(); ++i) {
    const Vec3 p = chunk.points[i];
    if (is_finite(p)) {
      bounds.extend(p);
    } else {
      ++skipped;
    }
  }
  for (std::size_t k = 0; k < chunk.attributes.size(); ++k) {
    const ColumnView& column = chunk.attributes[k];
    AttributeRange& range = attributes[k];
    ColumnFacts& fact = facts[k];
    const auto keep_first = [](std::optional<ColumnFacts::Row>& place, std::uint64_t row, const auto& value) {
      if (!place) place = ColumnFacts::Row{row, fmt::format("{}", value)};
    };
    const bool is_angle = las::field_of(range.kind.name) == "scan_angle";
    visit_number(column.type, [&](auto zero) {
      using T = decltype(zero);
      for (std::size_t i = 0; i < column.count; ++i) {
        const T exact = load_unaligned<T>(column.at(i));
        const auto value = static_cast<double>(exact);
        if constexpr (std::is_floating_point_v<T>) {
          if (std::isnan(value)) {
            ++range.not_a_number;
            keep_first(fact.not_a_number, before + i, "nan");
            continue;
          }
          if (value != std::trunc(value)) keep_first(fact.fraction, before + i, value);
        } else if constexpr (sizeof(T) == 8) {
          if (!fact.beyond_double && !double_holds(exact)) keep_first(fact.beyond_double, before + i, exact);
        }
        if (is_angle && !fact.off_angle_grid && double{las::angle_degrees(las::angle_raw(value))} != value) {
          keep_first(fact.off_angle_grid, before + i, value);
        }
        if (value < range.min) {
          range.min = value;
          fact.min_row = before + i;
        }
        if (value > range.max) {
          range.max = value;
          fact.max_row = before + i;
        }
      }
    });
  }
}

}  // namespace graze::io

namespace graze {

using io::Bytes;

std::string_view name_of(CloudFormat format) {
  constexpr std::string_view kNames[] = {"PLY", "PCD", "LAS", "text", "E57"};
  return kNames[static_cast<std::size_t>(format)];
}

std::string_view name_of(CloudEncoding encoding) {
  constexpr std::string_view kNames[] = {"ascii", "binary", "binary, big endian", "compressed"};
  return kNames[static_cast<std::size_t>(encoding)];
}

Cloud read_cloud(const std::string& path, const ReadCloudOptions& options) {
  return io::read(Bytes::open(path), options);
}

Cloud parse_cloud(std::string_view bytes, const std::string& name, const ReadCloudOptions& options) {
  return io::read(Bytes::of(bytes, name), options);
}

CloudHeader read_cloud_header(const std::string& path) { return io::open_cloud(Bytes::open(path))->header(); }

CloudHeader for_each_chunk(const std::string& path, const ChunkVisitor& visit, const ReadCloudOptions& options) {
  const std::unique_ptr<io::CloudSource> source = io::open_cloud(Bytes::open(path));
  const io::Frame frame{options.apply_viewpoint, options.unit};
  io::for_each_buffer(*source, frame, options.progress, "reading " + path,
                      [&](io::ChunkBuffer& buffer, std::uint64_t first) {
                        CloudChunk chunk = buffer.chunk(first);
                        if (!options.attributes) chunk.attributes = {};
                        return visit(chunk);
                      });
  CloudHeader header = io::header_after(*source, frame);
  if (!options.attributes) header.attributes.clear();
  return header;
}

}  // namespace graze
