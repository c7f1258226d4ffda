#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "graze/base/error.h"
#include "io/cloud_read.h"
#include "io/cloud_rows.h"
#include "io/cloud_sink.h"
#include "io/las_names.h"

namespace graze {
namespace {

using io::ChunkBuffer;
using io::Walk;
using io::write_rows;

CloudFormat format_for(const std::string& path, const std::optional<CloudFormat>& asked) {
  return asked ? *asked : writable_cloud_format(path);
}

CloudEncoding encoding_for(const std::string& path, CloudFormat format, const std::optional<CloudEncoding>& asked) {
  const CloudEncoding encoding =
      asked.value_or(format == CloudFormat::text ? CloudEncoding::ascii : CloudEncoding::binary);
  const bool exists = [&] {
    switch (format) {
      case CloudFormat::ply:
        return encoding != CloudEncoding::compressed;
      case CloudFormat::pcd:
        return encoding != CloudEncoding::binary_big_endian;
      case CloudFormat::las:
        return encoding == CloudEncoding::binary;
      case CloudFormat::e57:
        return false;
      case CloudFormat::text:
        break;
    }
    return encoding == CloudEncoding::ascii;
  }();
  if (format == CloudFormat::e57) throw Error(path, "graze does not write E57; write .las or .ply");
  if (!exists) throw Error(path, fmt::format("there is no {} form of {}", name_of(encoding), name_of(format)));
  return encoding;
}

std::unique_ptr<io::CloudSink> sink_for(FileWriter& file, const io::WritePlan& plan) {
  switch (plan.format) {
    case CloudFormat::ply:
      return io::ply_sink(file, plan);
    case CloudFormat::pcd:
      return io::pcd_sink(file, plan);
    case CloudFormat::las:
      return io::las_sink(file, plan);
    case CloudFormat::e57:
      throw Error(plan.path, "graze does not write E57; write .las or .ply");
    case CloudFormat::text:
      break;
  }
  return io::text_sink(file, plan);
}

}  // namespace

CloudFormat writable_cloud_format(const std::string& path) {
  const std::string extension = io::extension_of(path);
  if (extension == "ply") return CloudFormat::ply;
  if (extension == "pcd") return CloudFormat::pcd;
  if (extension == "las") return CloudFormat::las;
  for (const char* text : {"xyz", "csv", "txt", "asc", "pts"}) {
    if (extension == text) return CloudFormat::text;
  }
  if (extension == "e57") throw Error(path, "graze does not write E57; write .las or .ply");
  if (extension == "laz") throw Error(path, "graze does not write LAZ (compressed LAS); write .las");
  throw Error(path,
              "its name does not indicate a format; end it in .ply, .pcd, .las, .xyz or .csv, or state the format");
}

WriteCloudReport io::write_rows(const std::string& path, const std::vector<AttributeType>& attributes,
                                NumberType stored, const Walk& walk, const WriteCloudOptions& options) {
  io::WritePlan plan;
  plan.path = path;
  plan.format = format_for(path, options.format);
  plan.encoding = encoding_for(path, plan.format, options.encoding);
  plan.coordinates = options.coordinates.value_or(stored);
  if (!is_float(plan.coordinates)) {
    throw Error(path, fmt::format("coordinates are written as float32 or float64, not {}", name_of(plan.coordinates)));
  }
  plan.options = options;
  const bool drop = options.drop_skipped || plan.format == CloudFormat::las;
  FileWriter file(path);  // before the work, to learn soon if it cannot be written

  WriteCloudReport report;
  io::CloudStatistics statistics(attributes);
  const std::size_t returns = io::las::column_of("return_number", attributes.size(),
                                                 [&](std::size_t k) -> std::string_view { return attributes[k].name; });
  walk(options.progress.part(0, 0.4), [&](ChunkBuffer& buffer, std::uint64_t first) {
    if (drop) report.dropped += buffer.drop_skipped();
    const CloudChunk chunk = buffer.chunk(first);
    statistics.add(chunk);
    if (returns < attributes.size()) {
      for (std::size_t i = 0; i < chunk.points.size(); ++i) {
        const double value = chunk.attributes[returns][i];
        if (value >= 0 && value < 16)
          ++plan.returns[static_cast<std::size_t>(value)];  // LAS asks whether all are whole
      }
    }
    return true;
  });
  const Aabb& box = statistics.bounds;
  if (!box.empty() && !(std::max(box.max.maxCoeff(), -box.min.minCoeff()) <= Cloud::kLargestCoordinate)) {
    throw Error(path, fmt::format("is not written, as its points reach beyond {:g} m; mark missing points by NaN",
                                  Cloud::kLargestCoordinate));
  }
  plan.rows = statistics.points;
  plan.bounds = statistics.bounds;
  plan.attributes = std::move(statistics.attributes);
  plan.facts = std::move(statistics.facts);

  const std::unique_ptr<io::CloudSink> sink = sink_for(file, plan);
  walk(options.progress.part(0.4, 1), [&](ChunkBuffer& buffer, std::uint64_t) {
    if (drop) buffer.drop_skipped();
    if (buffer.size() == 0) return true;
    sink->add(buffer.chunk(report.written));
    report.written += buffer.size();
    return true;
  });
  if (report.written != plan.rows) throw Error(path, "was not written, as the input changed while it was read");
  sink->finish();
  file.commit();
  report.rounding = sink->rounding();
  report.notes = sink->notes();
  return report;
}

namespace {

Walk walk_through(const Cloud& cloud, const std::vector<AttributeType>& attributes, const std::string& path) {
  return [&, path](const Progress& progress, const std::function<bool(ChunkBuffer&, std::uint64_t)>& visit) {
    ChunkBuffer buffer(attributes, cloud.size());
    progress.report(0, "writing " + path);
    for (std::size_t first = 0; first < cloud.size(); first += buffer.capacity()) {
      const std::size_t count = std::min(buffer.capacity(), cloud.size() - first);
      buffer.clear();
      buffer.extend(count);
      for (std::size_t i = 0; i < count; ++i) Eigen::Map<Vec3>(buffer.point(i)) = cloud.point(first + i);
      for (std::size_t k = 0; k < attributes.size(); ++k) {
        const CloudAttribute& a = cloud.attributes()[k];
        std::memcpy(buffer.value(k, 0), a.view().at(first), count * size_of(a.type()));
      }
      visit(buffer, first);
      const double done = static_cast<double>(first + count) / static_cast<double>(cloud.size());
      if (!progress.report(done)) throw Error("writing " + path, "was cancelled");
    }
  };
}

// Makes many points at once, so that the caller can share the work among threads.
Walk walk_through(std::uint64_t count, const PointMaker& make, const std::string& path) {
  return [&make, count, path](const Progress& progress, const std::function<bool(ChunkBuffer&, std::uint64_t)>& visit) {
    constexpr std::uint64_t kAtOnce = std::uint64_t{1} << 18;
    std::vector<Vec3> made(static_cast<std::size_t>(std::min(count, kAtOnce)));
    ChunkBuffer buffer(std::vector<AttributeType>{}, count);
    progress.report(0, "writing " + path);
    for (std::uint64_t first = 0; first < count; first += kAtOnce) {
      made.resize(static_cast<std::size_t>(std::min(count - first, kAtOnce)));
      make(first, made);
      for (std::size_t done = 0; done < made.size(); done += buffer.capacity()) {
        const std::size_t rows = std::min(buffer.capacity(), made.size() - done);
        buffer.clear();
        buffer.extend(rows);
        for (std::size_t i = 0; i < rows; ++i) Eigen::Map<Vec3>(buffer.point(i)) = made[done + i];
        visit(buffer, first + done);
      }
      const double part = static_cast<double>(first + made.size()) / static_cast<double>(count);
      if (!progress.report(part)) throw Error("writing " + path, "was cancelled");
    }
  };
}

}  // namespace

WriteCloudReport write_points(const std::string& path, std::uint64_t count, const PointMaker& make,
                              const WriteCloudOptions& options) {
  return write_rows(path, {}, NumberType::float64, walk_through(count, make, path), options);
}

WriteCloudReport write_cloud(const std::string& path, const Cloud& cloud, const WriteCloudOptions& options) {
  std::vector<AttributeType> attributes;
  for (const CloudAttribute& a : cloud.attributes()) attributes.push_back(a.kind());
  const bool floats = cloud.rounding() == 0 && std::all_of(cloud.blocks().begin(), cloud.blocks().end(),
                                                           [](const Cloud::Block& b) { return b.origin.isZero(0); });
  return write_rows(path, attributes, floats ? NumberType::float32 : NumberType::float64,
                    walk_through(cloud, attributes, path), options);
}

namespace {

// What stands in the header of a file and not in that of the copy.
void note_what_is_left(const CloudHeader& header, const WriteCloudOptions& write, bool moved, CloudFormat to,
                       WriteCloudReport& report) {
  if (header.viewpoint && !(to == CloudFormat::pcd && write.viewpoint)) {
    report.notes.emplace_back(moved && to == CloudFormat::pcd
                                  ? "the viewpoint was left out, as the points were moved"
                                  : "the viewpoint was neither applied nor kept (--apply-viewpoint)");
  }
  const bool rows =
      to == CloudFormat::pcd && write.width == header.width && write.height == header.height && report.dropped == 0;
  if (header.height > 1 && !rows) {
    report.notes.push_back(fmt::format("the order in {} rows of {} points was not kept", header.height, header.width));
  }
  if (!header.coordinate_system.empty() && (to != CloudFormat::las || write.projection_records.empty())) {
    report.notes.push_back(fmt::format("the coordinate system '{}' was not kept", header.coordinate_system));
  }
}

}  // namespace

WriteCloudReport convert_cloud(const std::string& from, const std::string& to, const ConvertCloudOptions& options) {
  const bool moved = options.scale != 1 || !options.translation.isZero(0);
  if (!std::isfinite(options.scale) || options.scale == 0) {
    throw Error("scale", fmt::format("must be finite and not 0, got {}", options.scale));
  }
  if (!is_finite(options.translation)) throw Error("translation", "must be finite");
  const std::shared_ptr<const io::Bytes> bytes = io::Bytes::open(from);
  const CloudFormat format = format_for(to, options.write.format);
  io::Frame frame{options.apply_viewpoint, options.unit};
  const std::unique_ptr<io::CloudSource> opened = io::open_cloud(bytes);
  // LAS states the unit of its numbers, so that they can stay as they are.
  const bool keep_unit = format == CloudFormat::las && !opened->header().projection_records.empty() && !moved &&
                         !options.unit && !options.apply_viewpoint;
  if (keep_unit) frame.unit = 1;
  CloudHeader header = io::header_after(*opened, frame);
  if (keep_unit) header.projection_records = opened->header().projection_records;

  WriteCloudOptions write = options.write;
  const bool keep_grid = header.scale && !options.apply_viewpoint;
  if (keep_grid && !write.scale) write.scale = (*header.scale * options.scale).cwiseAbs();
  if (keep_grid && !write.offset && !options.write.scale) {
    write.offset = *header.offset * options.scale + options.translation;
  }
  if (header.format == CloudFormat::las && !write.las_minor) write.las_minor = header.version == "1.4" ? 4 : 2;
  if (write.projection_records.empty() && options.scale == 1) write.projection_records = header.projection_records;
  if (write.global_encoding == 0) write.global_encoding = header.global_encoding;
  if (!write.viewpoint && !moved) write.viewpoint = header.viewpoint;
  if (write.width == 0) {
    write.width = header.width;
    write.height = header.height;
  }
  const bool single = header.coordinates == NumberType::float32 || size_of(header.coordinates) < 4;
  std::vector<std::string> notes;  // of the reader, after it has read all
  const Walk walk = [&](const Progress& progress, const std::function<bool(ChunkBuffer&, std::uint64_t)>& visit) {
    const std::unique_ptr<io::CloudSource> source = io::open_cloud(bytes);
    io::for_each_buffer(*source, frame, progress, fmt::format("{} → {}", from, to),
                        [&](ChunkBuffer& buffer, std::uint64_t first) {
                          for (std::size_t i = 0; moved && i < buffer.size(); ++i) {
                            Eigen::Map<Vec3> p(buffer.point(i));
                            p = p * options.scale + options.translation;
                          }
                          return visit(buffer, first);
                        });
    notes = io::header_after(*source, frame).notes;
  };
  const std::vector<AttributeType> none;
  const Walk bare = [&](const Progress& progress, const std::function<bool(ChunkBuffer&, std::uint64_t)>& visit) {
    ChunkBuffer coordinates(none);
    walk(progress, [&](ChunkBuffer& buffer, std::uint64_t first) {
      for (std::size_t done = 0; done < buffer.size(); done += coordinates.size()) {
        coordinates.clear();
        coordinates.extend(std::min(coordinates.capacity(), buffer.size() - done));
        std::copy_n(buffer.point(done), 3 * coordinates.size(), coordinates.point(0));
        const std::size_t copied = coordinates.size();
        if (!visit(coordinates, first + done)) return false;
        coordinates.clear();
        coordinates.extend(copied);
      }
      return true;
    });
  };
  WriteCloudReport report =
      write_rows(to, options.attributes ? header.attributes : none,
                 single && !moved ? NumberType::float32 : NumberType::float64, options.attributes ? walk : bare, write);
  report.notes.insert(report.notes.begin(), notes.begin(), notes.end());
  note_what_is_left(header, write, moved, format, report);
  return report;
}

}  // namespace graze
