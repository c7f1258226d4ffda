#include "convert_map.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <span>
#include <vector>

#include "command.h"
#include "graze/base/error.h"
#include "graze/geometry/cloud_builder.h"
#include "interrupt.h"
#include "progress_bar.h"
#include "streams.h"

namespace graze::app {
namespace {

constexpr double kMaxCenters = 1 << 26;

/// The centre of every single cell that is wanted, however the octree is pruned, with its probability.
Cloud centers_of(const OccupancyMap& map, const MapConversion& c) {
  const float threshold = log_odds_of(c.threshold);
  const auto wanted = [&](const OccupancyCell& leaf) {
    return c.cells == "known" || (leaf.log_odds >= threshold) == (c.cells == "occupied");
  };
  double count = 0;
  map.visit_leaves([&](const OccupancyCell& leaf) { count += wanted(leaf) ? std::ldexp(1.0, 3 * leaf.level) : 0; });
  if (count > kMaxCenters) {
    throw Error(c.from, fmt::format("has {:.0f} cells that are {}; clouds of up to {:.0f} are written. Choose fewer by "
                                    "--cells or --threshold",
                                    count, c.cells, kMaxCenters));
  }
  CloudBuilder builder({{"probability", NumberType::float32}});
  builder.reserve(static_cast<std::size_t>(count));
  std::vector<Vec3> points;
  std::vector<float> probabilities;
  const auto flush = [&] {
    const std::array<ColumnView, 1> columns{ColumnView::of(std::span<const float>(probabilities))};
    builder.append(points, columns);
    points.clear(), probabilities.clear();
  };
  map.visit_leaves([&](const OccupancyCell& leaf) {
    if (!wanted(leaf)) return;
    const std::int64_t side = std::int64_t{1} << static_cast<unsigned>(leaf.level);
    const auto probability = static_cast<float>(probability_of(leaf.log_odds));
    for (std::int64_t i = 0; i < side * side * side; ++i) {
      const std::int64_t x = leaf.key.x + i % side, y = leaf.key.y + i / side % side, z = leaf.key.z + i / side / side;
      const Vec3 cell(static_cast<double>(x), static_cast<double>(y), static_cast<double>(z));
      points.emplace_back((cell.array() + 0.5) * map.resolution());
      probabilities.push_back(probability);
      if (points.size() == 1 << 16) flush();
    }
  });
  flush();
  return std::move(builder).finish();
}

}  // namespace

int convert_map(const MapConversion& c, bool quiet) {
  ProgressBar bar(quiet);
  const MapFile file = read_map_file(c.from);
  stop_if_interrupted();
  std::string text;
  if (c.format) {
    write_map(c.to, file.map, {.format = c.format, .threshold = c.threshold, .sensor = file.sensor});
    text = fmt::format("{}: {} leaves", c.to, file.map.leaves());
  } else {
    WriteCloudOptions write = c.write;
    write.progress = bar.progress();
    const WriteCloudReport report = write_cloud(c.to, centers_of(file.map, c), write);
    text = fmt::format("{}: {} points, the centres of the {} cells", c.to, report.written, c.cells);
    if (report.rounding > 0) text += fmt::format(", coordinates rounded by at most {:.2g}", report.rounding);
  }
  say_when_interrupted(c.to + " is complete");
  bar.clear();
  remark(quiet, text);
  return kClear;
}

}  // namespace graze::app
