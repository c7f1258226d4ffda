// Bytes → points and spheres → PointGrid, Capt and the filter, against loops over all points.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "fuzz/fuzz.h"
#include "graze/index/capt.h"
#include "graze/index/filter.h"
#include "graze/index/point_grid.h"
#include "index/points_oracle.h"

namespace {

using namespace graze_test;
using graze::Vec3;
using graze_fuzz::expect;

class Choices : public graze_fuzz::Bytes {
 public:
  using Bytes::Bytes;

  // Mostly small lattice numbers, which meet each other exactly; also other scales, and any bits at all.
  double number() {
    const std::uint8_t how = byte();
    if (how < 180) return small() / 8.0;
    if (how < 220) return small() * std::ldexp(1.0, small() / 2);
    if (how < 240) {  // a lattice number and a few units in the last place
      auto x = static_cast<float>(small() / 8.0);
      for (int steps = byte() % 4; steps > 0; --steps) x = std::nextafter(x, how % 2 == 0 ? 1e30F : -1e30F);
      return x;
    }
    return any_double();
  }
  float coordinate() {
    const double x = number();
    return std::abs(x) <= 3e38 ? static_cast<float>(x) : std::nanf("");
  }
};

// Squares below the normal range are not distinguished: the indices may say that such points touch.
bool underflows(const Points& points, const Vec3& c, double radius) {
  constexpr double kTiny = 1e-140;
  const auto tiny = [](double v) { return v != 0 && std::abs(v) < kTiny; };
  if (tiny(radius) || tiny(c.x()) || tiny(c.y()) || tiny(c.z())) return true;
  (void)points;
  return false;
}

// `capt` may hold each of the points once.
void check_sphere(const Points& points, double point_radius, const graze::PointGrid& grid, const graze::Capt& capt,
                  const Vec3& c, double radius) {
  const bool one = grid.collides(c, radius);
  const double x = c.x(), y = c.y(), z = c.z();
  std::uint64_t mask = 0;
  grid.collides_each({{&x, 1}, {&y, 1}, {&z, 1}, {&radius, 1}}, {&mask, 1});
  expect(mask == (one ? 1U : 0U), "PointGrid: a batch differs");
  if (underflows(points, c, radius)) {
    expect(one || !collides_by_loop(points, point_radius, c, radius), "PointGrid: MISSED");
    return;
  }
  const bool truth = collides_by_loop(points, point_radius, c, radius);
  expect(one == truth, truth ? "PointGrid: MISSED" : "PointGrid: hit nothing");
  expect(capt.collides(c, radius) == truth, truth ? "Capt: MISSED" : "Capt: hit nothing");
  if (!valid_query(c, 0)) return;
  const graze::Neighbor nearest = grid.nearest(c);
  expect(nearest == nearest_by_loop(points, point_radius, c), "PointGrid: not the nearest");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Choices bytes(data, size);
  const double point_radius = bytes.byte() % 4 / 8.0;
  const double max_radius = bytes.byte() / 16.0;
  const std::uint8_t repeat = bytes.byte();
  Points points;
  const int count = bytes.byte() % 64;
  for (int i = 0; i < count && bytes.left() > 40; ++i) {
    const float x = bytes.coordinate(), y = bytes.coordinate();
    points.push_back({x, y, bytes.coordinate()});
  }
  const graze::Capt capt(floats(points),
                         {.point_radius = point_radius, .min_radius = max_radius / 8, .max_radius = max_radius});
  // Enough copies of one point to make a block a grid of its own; a CAPT of so many takes long and answers the same.
  if (repeat > 250 && !points.empty()) points.insert(points.end(), 600, points.front());
  graze::PointGrid grid(floats(points), {.point_radius = point_radius});
  // Takes nearly all of the time, so only for one input in eight.
  const bool validated = repeat % 8 == 0;
  const std::string invalid = validated ? grid.validate() : "";
  expect(invalid.empty(), invalid.c_str());
  for (int i = 0; i < 6; ++i) {
    const double x = bytes.number(), y = bytes.number(), z = bytes.number();
    const double radius = std::abs(bytes.number());
    check_sphere(points, point_radius, grid, capt, {x, y, z}, radius);
  }
  const double distance = std::abs(bytes.number());
  if (distance >= 0) {
    const graze::FilteredPoints f = graze::filter_points(floats(points), {.distance = distance});
    expect(f.kept.size() + f.thinned + f.not_finite == points.size(), "filter: the counts do not add up");
    Points kept;
    for (const std::uint32_t i : f.kept) kept.push_back(points[i]);
    for (const Point& p : points) {
      if (!finite(p)) continue;
      const graze::Neighbor n = nearest_by_loop(kept, 0, Vec3(p[0], p[1], p[2]));
      expect(n.distance <= distance * (1 + 1e-15), "filter: not covered");
    }
  }
  if (!points.empty()) {
    const std::size_t first = bytes.byte() % points.size();
    const std::size_t changed = bytes.byte() % (points.size() - first + 1);
    for (std::size_t i = first; i < first + changed; ++i) {
      const float x = bytes.coordinate(), y = bytes.coordinate();
      points[i] = {x, y, bytes.coordinate()};
    }
    grid.update(floats(points), first, changed);
    const std::string broken = validated ? grid.validate() : "";
    expect(broken.empty(), broken.c_str());
    const double x = bytes.number(), y = bytes.number(), z = bytes.number();
    Points once = points;
    std::erase_if(once, [](const Point& p) { return !finite(p); });
    std::sort(once.begin(), once.end());
    once.erase(std::unique(once.begin(), once.end()), once.end());
    const graze::Capt fresh(floats(once), {.point_radius = point_radius, .max_radius = max_radius});
    check_sphere(points, point_radius, grid, fresh, {x, y, z}, std::abs(bytes.number()));
  }
  return 0;
}
