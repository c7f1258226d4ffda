#include <cmath>
#include <numbers>

#include "io/cloud_read.h"
#include "io/spacing.h"

namespace graze {

CloudInfo scan_cloud(const std::string& path, const ReadCloudOptions& options) {
  const std::shared_ptr<const io::Bytes> bytes = io::Bytes::open(path);
  const std::string message = "reading " + path;
  const io::Frame frame{options.apply_viewpoint, options.unit};
  CloudInfo info;
  io::SpacingSampler sampler;
  {
    const std::unique_ptr<io::CloudSource> source = io::open_cloud(bytes);
    const CloudHeader header = io::header_after(*source, frame);
    io::CloudStatistics statistics(header.attributes);
    io::for_each_buffer(*source, frame, options.progress.part(0, 0.6), message,
                        [&](io::ChunkBuffer& buffer, std::uint64_t first) {
                          const CloudChunk chunk = buffer.chunk(first);
                          statistics.add(chunk);
                          for (std::size_t i = 0; i < chunk.points.size(); ++i) {
                            const Vec3 p = chunk.points[i];
                            if (is_finite(p)) sampler.keep(p);
                          }
                          return true;
                        });
    info.header = io::header_after(*source, frame);  // with the notes of the whole file
    info.points = statistics.points;
    info.skipped = statistics.skipped;
    info.bounds = statistics.bounds;
    if (options.attributes) info.attributes = std::move(statistics.attributes);
  }
  sampler.prepare(info.bounds);
  const std::unique_ptr<io::CloudSource> again = io::open_cloud(bytes);
  io::for_each_buffer(*again, frame, options.progress.part(0.6, 1), message,
                      [&](io::ChunkBuffer& buffer, std::uint64_t) {
                        for (std::size_t i = 0; i < buffer.size(); ++i) {
                          const Eigen::Map<const Vec3> p(buffer.point(i));
                          if (is_finite(p)) sampler.measure(p);
                        }
                        return true;
                      });
  info.spacing_samples = sampler.samples();
  info.spacing = sampler.median();
  // Of points strewn over a plane with density d, half have a neighbour within r where 1 - exp(-π d r²) = 1/2.
  if (info.spacing > 0) info.density = std::numbers::ln2 / (std::numbers::pi * info.spacing * info.spacing);
  if (!std::isfinite(info.density)) info.density = 0;
  return info;
}

}  // namespace graze
