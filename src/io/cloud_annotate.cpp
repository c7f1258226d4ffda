#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "graze/base/error.h"
#include "io/cloud_read.h"
#include "io/cloud_rows.h"

namespace graze {
namespace {

using io::ChunkBuffer;

/// The attributes of a file that are kept, as indices into its header.
struct Kept {
  std::vector<AttributeType> attributes;
  std::vector<std::size_t> columns;
};

Kept kept_of(const CloudHeader& header, const AddedColumns& added) {
  Kept kept;
  for (std::size_t k = 0; k < header.attributes.size(); ++k) {
    const AttributeType& a = header.attributes[k];
    const bool replaced = std::any_of(added.attributes.begin(), added.attributes.end(),
                                      [&](const AttributeType& other) { return other.name == a.name; });
    if (replaced) continue;
    kept.attributes.push_back(a);
    kept.columns.push_back(k);
  }
  return kept;
}

void keep_format(WriteCloudOptions& write, const CloudHeader& header, bool alone) {
  if (header.scale && !write.scale) {
    write.scale = header.scale;
    if (alone && !write.offset) write.offset = header.offset;
  }
  if (header.format == CloudFormat::las && !write.las_minor) write.las_minor = header.version == "1.4" ? 4 : 2;
  if (write.global_encoding == 0) write.global_encoding = header.global_encoding;
  if (alone && write.width == 0) {
    write.width = header.width;
    write.height = header.height;
  }
  if (alone && !write.viewpoint) write.viewpoint = header.viewpoint;
}

}  // namespace

WriteCloudReport annotate_clouds(std::span<const std::string> from, const std::string& to, const AddedColumns& added,
                                 const WriteCloudOptions& options) {
  if (from.empty()) throw Error(to, "there is no file to copy");
  std::vector<std::shared_ptr<const io::Bytes>> files;
  std::vector<CloudHeader> headers;
  const io::Frame frame{false, added.unit};
  for (const std::string& path : from) {
    files.push_back(io::Bytes::open(path));
    headers.push_back(io::header_after(*io::open_cloud(files.back()), frame));
  }
  const bool alike = std::all_of(headers.begin(), headers.end(),
                                 [&](const CloudHeader& h) { return h.attributes == headers[0].attributes; });
  const Kept kept = alike ? kept_of(headers[0], added) : Kept{};
  std::vector<AttributeType> attributes = kept.attributes;
  attributes.insert(attributes.end(), added.attributes.begin(), added.attributes.end());
  const bool single = std::all_of(headers.begin(), headers.end(), [](const CloudHeader& h) {
    return h.coordinates == NumberType::float32 || size_of(h.coordinates) < 4;
  });
  WriteCloudOptions write = options;
  const bool one_system = std::all_of(headers.begin(), headers.end(), [&](const CloudHeader& h) {
    return h.projection_records == headers[0].projection_records;
  });
  if (one_system && write.projection_records.empty()) write.projection_records = headers[0].projection_records;
  keep_format(write, headers[0], from.size() == 1);

  const io::Walk walk = [&](const Progress& progress, const std::function<bool(ChunkBuffer&, std::uint64_t)>& visit) {
    std::uint64_t before = 0;
    ChunkBuffer out(attributes);
    std::vector<std::byte*> columns(added.attributes.size());
    for (std::size_t f = 0; f < files.size(); ++f) {
      const double share = 1.0 / static_cast<double>(files.size());
      const Progress part = progress.part(share * static_cast<double>(f), share * static_cast<double>(f + 1));
      const std::unique_ptr<io::CloudSource> source = io::open_cloud(files[f]);
      std::uint64_t rows = 0;
      io::for_each_buffer(*source, frame, part, "writing " + to, [&](ChunkBuffer& in, std::uint64_t first) {
        const CloudChunk chunk = in.chunk(first);
        for (std::size_t done = 0; done < in.size();) {
          out.clear();
          const std::size_t count = std::min(out.capacity(), in.size() - done);
          out.extend(count);
          std::copy_n(in.point(done), 3 * count, out.point(0));
          for (std::size_t k = 0; k < kept.columns.size(); ++k) {
            const std::size_t bytes = count * size_of(kept.attributes[k].type);
            std::memcpy(out.value(k, 0), chunk.attributes[kept.columns[k]].at(done), bytes);
          }
          for (std::size_t k = 0; k < columns.size(); ++k) columns[k] = out.value(kept.columns.size() + k, 0);
          added.fill(before + first + done, PointView(out.point(0), count), columns);
          if (!visit(out, before + first + done)) return false;
          done += count;
        }
        rows = first + in.size();
        return true;
      });
      before += rows;
    }
  };
  WriteCloudReport report =
      io::write_rows(to, attributes, single ? NumberType::float32 : NumberType::float64, walk, write);
  for (std::size_t f = 0; f < headers.size(); ++f) {
    for (const std::string& note : headers[f].notes) report.notes.push_back(fmt::format("{}: {}", from[f], note));
  }
  const bool system_lost = std::any_of(headers.begin(), headers.end(), [&](const CloudHeader& h) {
    return !h.coordinate_system.empty() && write.projection_records.empty();
  });
  if (system_lost) report.notes.emplace_back("the coordinate system was not kept");
  if (!alike) report.notes.emplace_back("the files have different attributes, which were left out");
  return report;
}

}  // namespace graze
