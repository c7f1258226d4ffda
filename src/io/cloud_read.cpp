#include "io/cloud_read.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "graze/base/error.h"

namespace graze::io {
namespace {

// Little enough that with the buffers of the readers the whole stays below 64 MiB + 64 × the size of the file.
constexpr std::uint64_t kBudget = std::uint64_t{48} << 20, kBudgetPerByte = 48;

// Files that are not compressed cannot exceed it, as their sizes were compared with what they claim.
void check_budget(const CloudHeader& header, const std::string& name) {
  if (!header.points || header.format == CloudFormat::text) return;
  const bool exact = header.coordinates == NumberType::float32 || size_of(header.coordinates) < 4;
  std::uint64_t bytes = exact ? 12 : 36;
  for (const AttributeType& a : header.attributes) bytes += size_of(a.type);
  const std::uint64_t most = kBudget + kBudgetPerByte * header.file_size;
  if (*header.points > most / bytes) {
    throw Error(name, fmt::format("claims {} points of {} bytes in memory; that is not believed of a file of {} bytes",
                                  *header.points, bytes, header.file_size));
  }
}

Cloud read(const std::shared_ptr<const Bytes>& bytes, const ReadCloudOptions& options) {
  const std::unique_ptr<CloudSource> source = open_cloud(bytes);
  const CloudHeader& header = source->header();
  check_budget(header, bytes->name());
  CloudBuilder builder(options.attributes ? header.attributes : std::vector<AttributeType>());
  // A point takes at least a byte of most files; where one takes less, or the count is a lie, the cloud grows.
  if (header.points) builder.reserve(static_cast<std::size_t>(std::min(*header.points, header.file_size / 3)));
  try {
    for_each_buffer(*source, options.apply_viewpoint, options.progress, "reading " + bytes->name(),
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

void for_each_buffer(CloudSource& source, bool apply_viewpoint, const Progress& progress, const std::string& message,
                     const std::function<bool(ChunkBuffer&, std::uint64_t)>& visit) {
  const CloudHeader& header = source.header();
  // A text of n bytes has not more than n rows.
  ChunkBuffer buffer(header.attributes, header.format == CloudFormat::text ? header.file_size : *header.points);
  std::uint64_t first = 0;
  progress.report(0, message);
  while (true) {
    buffer.clear();
    source.fill(buffer);
    if (buffer.size() == 0) break;
    if (apply_viewpoint && header.viewpoint) {
      for (std::size_t i = 0; i < buffer.size(); ++i) {
        Eigen::Map<Vec3> p(buffer.point(i));
        p = *header.viewpoint * Vec3(p);
      }
    }
    if (!visit(buffer, first)) return;
    first += buffer.size();
    const double done = static_cast<double>(source.position()) / static_cast<double>(header.file_size);
    // 1 is reported once, below.
    if (!progress.report(std::min(done, 0.999))) throw Error(message, "was cancelled");
  }
  progress.report(1);
}

CloudHeader header_after(const CloudSource& source, bool apply_viewpoint) {
  CloudHeader header = source.header();
  if (apply_viewpoint && header.viewpoint) {
    header.viewpoint.reset();
    header.coordinates = NumberType::float64;
  }
  return header;
}

CloudStatistics::CloudStatistics(const std::vector<AttributeType>& types) : whole(types.size(), true) {
  for (const AttributeType& type : types) attributes.push_back({type});
}

void CloudStatistics::add(const CloudChunk& chunk) {
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
    bool all_whole = true;
    visit_number(column.type, [&](auto zero) {
      using T = decltype(zero);
      for (std::size_t i = 0; i < column.count; ++i) {
        const auto value = static_cast<double>(load<T>(column.at(i)));
        if constexpr (std::is_floating_point_v<T>) {
          all_whole = all_whole && value == std::trunc(value);
          if (std::isnan(value)) {
            ++range.not_a_number;
            continue;
          }
        }
        range.min = std::min(range.min, value);
        range.max = std::max(range.max, value);
      }
    });
    if (!all_whole) whole[k] = false;
  }
}

}  // namespace graze::io

namespace graze {

using io::Bytes;

std::string_view name_of(CloudFormat format) {
  constexpr std::string_view kNames[] = {"PLY", "PCD", "LAS", "text"};
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
  io::for_each_buffer(*source, options.apply_viewpoint, options.progress, "reading " + path,
                      [&](io::ChunkBuffer& buffer, std::uint64_t first) {
                        CloudChunk chunk = buffer.chunk(first);
                        if (!options.attributes) chunk.attributes = {};
                        return visit(chunk);
                      });
  CloudHeader header = io::header_after(*source, options.apply_viewpoint);
  if (!options.attributes) header.attributes.clear();
  return header;
}

}  // namespace graze
