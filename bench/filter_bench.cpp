// The filter beside a plain one: a hash map of voxels, the first point of each is kept. Both keep the same guarantee.
//
//     bench_filter [--json PATH]

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "bench/claims.h"
#include "bench/timing.h"
#include "graze/index/filter.h"
#include "graze/index/point_grid.h"
#include "tests/support/clouds.h"

namespace {

using graze::FilteredPoints;
using graze::PointGrid;
using graze::PointView;
using graze::bench::Claims;
using graze::bench::compare;
using graze_test::floats;
using graze_test::Point;
using graze_test::Points;

struct HashCell {
  std::size_t operator()(const std::array<std::int64_t, 3>& c) const {
    return static_cast<std::size_t>(c[0]) * 73856093U ^ static_cast<std::size_t>(c[1]) * 19349663U ^
           static_cast<std::size_t>(c[2]) * 83492791U;
  }
};

// The diagonal of a voxel is the distance, so the first point of each covers the others.
std::vector<std::uint32_t> filter_by_voxels(const Points& points, double distance) {
  const double inverse = std::sqrt(3.0) / distance;
  std::unordered_map<std::array<std::int64_t, 3>, std::uint32_t, HashCell> voxels;
  std::vector<std::uint32_t> kept;
  for (std::uint32_t i = 0; i < points.size(); ++i) {
    const Point& p = points[i];
    if (!std::isfinite(p[0]) || !std::isfinite(p[1]) || !std::isfinite(p[2])) continue;
    std::array<std::int64_t, 3> cell{};
    for (std::size_t axis = 0; axis < 3; ++axis) cell[axis] = static_cast<std::int64_t>(std::floor(p[axis] * inverse));
    if (voxels.emplace(cell, i).second) kept.push_back(i);
  }
  return kept;
}

// Whether every point lies within the distance of a kept one, up to the rounding of the plain filter's cells.
bool covers(const Points& points, const std::vector<std::uint32_t>& kept, double distance) {
  Points chosen;
  for (const std::uint32_t i : kept) chosen.push_back(points[i]);
  const PointGrid grid{floats(chosen)};
  for (const Point& p : points) {
    if (!std::isfinite(p[0]) || !std::isfinite(p[1]) || !std::isfinite(p[2])) continue;
    if (!(grid.nearest({p[0], p[1], p[2]}).distance <= distance * (1 + 1e-12))) return false;
  }
  return true;
}

void measure(Claims& claims, const std::string& name, const Points& points, double distance) {
  FilteredPoints ours;
  std::vector<std::uint32_t> plain;
  const auto [ns, peer_ns] = compare(
      1, [&] { ours = graze::filter_points(floats(points), {.distance = distance}); },
      [&] { plain = filter_by_voxels(points, distance); }, 5);
  const bool agree = covers(points, ours.kept, distance) && covers(points, plain, distance);
  const std::string where = fmt::format("{}, {} mm", name, distance * 1e3);
  claims.add({.id = "filter/" + where,
              .ours = ns / 1e6,
              .peer_name = "voxels in unordered_map",
              .peer = peer_ns / 1e6,
              .unit = "ms",
              .goal = 1.5,
              .agree = agree});
  claims.add({.id = "filter/kept, " + where,
              .ours = static_cast<double>(ours.kept.size()),
              .peer_name = "voxels in unordered_map",
              .peer = static_cast<double>(plain.size()),
              .unit = "points",
              .goal = 1,
              .agree = agree});
  PointGrid grid;
  double index = graze::kInfinity, whole = graze::kInfinity;
  for (int i = 0; i < 5; ++i) {
    index = std::min(index, graze::bench::time_of([&] { grid.rebuild(PointView(ours.xyz)); }));
    whole = std::min(whole, graze::bench::time_of([&] { grid.rebuild(floats(points)); }));
  }
  fmt::print("{}: index of the kept points {:.2f} ms, of all {:.2f} ms\n", where, index / 1e6, whole / 1e6);
}

}  // namespace

int main(int argc, char** argv) {
  Claims claims(argc, argv);
  const Points frame = graze_test::depth_frame(graze_test::table_and_shelf(true));
  const Points surface = graze_test::surface_samples(graze_test::table_and_shelf(true), 300000, 1);
  for (const double distance : {0.01, 0.02, 0.03, 0.05}) measure(claims, "frame 307 k", frame, distance);
  for (const double distance : {0.01, 0.03}) measure(claims, "surface 300 k in any order", surface, distance);
  return claims.finish();
}
