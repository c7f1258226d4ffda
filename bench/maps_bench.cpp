// Sensor frames into an occupancy map, beside OctoMap: depth images at three resolutions, as points and by projection,
// and a lidar sweep, in a room of 6 × 4.6 × 2.6 m with 24 boxes.
#include <fmt/format.h>

#include <vector>

#include "claims.h"
#include "graze/map/occupancy_mapper.h"
#include "maps_scene.h"
#include "timing.h"

#if GRAZE_HAVE_FCL
#include <octomap/OcTree.h>
#endif

namespace {

using namespace maps_bench;  // NOLINT: a benchmark

#if GRAZE_HAVE_FCL
struct Peer {
  octomap::OcTree tree;
  explicit Peer(double resolution) : tree(resolution) {}
  double insert(const Frame& frame, double range) {
    octomap::Pointcloud cloud;
    for (const auto& p : frame.points) cloud.push_back(p.x(), p.y(), p.z());
    const Eigen::Vector3f o = frame.pose.translation().cast<float>();
    return bench::time_of(
        [&] { tree.insertPointCloud(cloud, octomap::point3d(o.x(), o.y(), o.z()), range, false, true); });
  }
};

struct Difference {
  double free_kept = 0, free_more = 0, hits_kept = 0, different = 0;  // shares of OctoMap's cells
};

Difference difference(const OccupancyMap& map, const octomap::OcTree& tree) {
  std::size_t free = 0, free_kept = 0, hits = 0, hits_kept = 0, different = 0, ours_free = 0;
  for (auto it = tree.begin_leafs(), end = tree.end_leafs(); it != end; ++it) {
    const octomap::OcTreeKey first = it.getIndexKey();
    const int side = 1 << (tree.getTreeDepth() - it.getDepth());
    const bool occupied = it->getLogOdds() >= 0;
    for (int x = 0; x < side; ++x) {
      for (int y = 0; y < side; ++y) {
        for (int z = 0; z < side; ++z) {
          const auto value = map.log_odds(CellKey{first[0] + x - 32768, first[1] + y - 32768, first[2] + z - 32768});
          (occupied ? hits : free) += 1;
          if (value && (*value >= 0) == occupied) (occupied ? hits_kept : free_kept) += 1;
          if (!value || *value != it->getLogOdds()) ++different;
        }
      }
    }
  }
  map.visit_leaves([&](const OccupancyCell& leaf) {
    if (leaf.log_odds < 0) ours_free += std::size_t{1} << 3U * static_cast<unsigned>(leaf.level);
  });
  const double all = static_cast<double>(free + hits);
  return {static_cast<double>(free_kept) / static_cast<double>(free),
          (static_cast<double>(ours_free) - static_cast<double>(free_kept)) / static_cast<double>(free),
          static_cast<double>(hits_kept) / static_cast<double>(hits), static_cast<double>(different) / all};
}
#endif

template <class Insert>
double fastest(double resolution, const std::vector<Frame>& frames, Insert insert, OccupancyMap* last = nullptr,
               std::size_t* bytes = nullptr) {
  double best = kInfinity;
  for (int round = 0; round < (resolution < 0.02 ? 2 : 5); ++round) {
    OccupancyMapper mapper({.resolution = resolution});
    for (std::size_t i = 0; i + 1 < frames.size(); ++i) insert(mapper, frames[i]);
    best = std::min(best, bench::time_of([&] { insert(mapper, frames.back()); }));
    if (last != nullptr) *last = mapper.map();
    if (bytes != nullptr) *bytes = mapper.memory_bytes();
  }
  return best;
}

}  // namespace

int main(int argc, char** argv) {
  bench::Claims claims(argc, argv);
#if !GRAZE_HAVE_FCL
  claims.missing("maps", "OctoMap is not installed");
#else
  const Room room;
  const std::vector<Frame> images{depth_frame(room, 0), depth_frame(room, 1)};
  const std::vector<Frame> sweeps{lidar_frame(0), lidar_frame(1)};
  const auto as_points = [](double range) {
    return [range](OccupancyMapper& mapper, const Frame& frame) { insert_points(mapper, frame, range); };
  };
  const auto as_image = [](OccupancyMapper& mapper, const Frame& frame) { insert_image(mapper, frame); };
  struct Case {
    const char* name;
    double resolution, range, goal_image, goal_points;
    const std::vector<Frame>& frames;
  };
  for (const Case& c : {Case{"depth 5 cm", 0.05, 4, 30, 15, images}, Case{"depth 2 cm", 0.02, 4, 200, 40, images},
                        Case{"depth 1 cm", 0.01, 4, 400, 80, images}, Case{"lidar 20 cm", 0.2, 50, 0, 100, sweeps}}) {
    Peer peer(c.resolution);
    double theirs = 0;
    // OctoMap takes 15 s for a frame at 1 cm: there it gets one.
    const std::vector<Frame> frames(c.frames.begin() + (c.resolution < 0.02 ? 1 : 0), c.frames.end());
    for (const Frame& frame : frames) theirs = peer.insert(frame, c.range);
    OccupancyMap map;
    std::size_t bytes = 0;
    const double points = fastest(c.resolution, frames, as_points(c.range), &map, &bytes);
    const Difference d = difference(map, peer.tree);
    fmt::print("{}: {:.2e} of the cells differ from OctoMap's\n", c.name, d.different);
    claims.add({.id = fmt::format("maps/insert points, {}", c.name),
                .ours = points / 1e6,
                .peer_name = "OctoMap",
                .peer = theirs / 1e6,
                .unit = "ms",
                .goal = c.goal_points,
                .agree = d.different < 1e-4});
    claims.add({.id = fmt::format("maps/memory of writer and version, {}", c.name),
                .ours = static_cast<double>(bytes + map.memory_bytes()) / 1e6,
                .peer_name = "OctoMap",
                .peer = static_cast<double>(peer.tree.memoryUsage()) / 1e6,
                .unit = "MB",
                .goal = 1});
    if (c.goal_image == 0) continue;
    const double image = fastest(c.resolution, frames, as_image, &map);
    const Difference by_image = difference(map, peer.tree);
    fmt::print("{}: projection has {:.1f} % of OctoMap's free cells and {:.2f} % more, {:.1f} % of its hits\n", c.name,
               100 * by_image.free_kept, 100 * by_image.free_more, 100 * by_image.hits_kept);
    claims.add({.id = fmt::format("maps/insert image, {}", c.name),
                .ours = image / 1e6,
                .peer_name = "OctoMap",
                .peer = theirs / 1e6,
                .unit = "ms",
                .goal = c.goal_image,
                .agree = by_image.free_kept > 0.8 && by_image.free_more < 0.01 && by_image.hits_kept > 0.9});
    OccupancyMapper mapper({.resolution = c.resolution});
    for (const Frame& frame : c.frames) as_image(mapper, frame);
    bench::keep(mapper.map().leaves());
    as_image(mapper, c.frames[0]);
    fmt::print("{}: a version takes {:.2f} ms\n", c.name,
               bench::time_of([&] { bench::keep(mapper.map().leaves()); }) / 1e6);
  }
#endif
  return claims.finish();
}
