// Insertion of frames against liboctomap, cell by cell.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "graze/map/occupancy_mapper.h"
#include "oracle/octomap_peer.h"
#include "support/generator.h"
#include "support/refusal.h"
#include "support/scale.h"

namespace graze {
namespace insert_test {

using graze_oracle::OctoLeaf;
using graze_oracle::OctoTree;
using graze_test::Generator;
using graze_test::refusal;
using graze_test::scaled;

using Key = std::array<int, 3>;
using Points = std::vector<std::array<float, 3>>;

struct Frame {
  Points points;
  std::array<float, 3> origin{};
  double max_range = -1;
};

/// Cells that a ray may or may not have, because it passes within 1e-4 of a cell from an edge: both ways of going round
/// it.
void add_forgiven(const Vec3& origin, const Vec3& end, double resolution, std::set<Key>& forgiven) {
  constexpr double kNear = 1e-4;
  const Vec3 a = origin / resolution, b = end / resolution;
  const auto add = [&](const Vec3& p) {
    for (int corner = 0; corner < 27; ++corner) {
      const Vec3 q = p + kNear * Vec3(corner % 3 - 1, corner / 3 % 3 - 1, corner / 9 - 1);
      forgiven.insert({int(std::floor(q.x())), int(std::floor(q.y())), int(std::floor(q.z()))});
    }
  };
  const auto near_face = [&](double x) { return std::abs(x - std::round(x)) < kNear; };
  // Where the ray crosses a face near another one, and where it starts and ends near one.
  for (const Vec3& p : {a, b}) {
    if (near_face(p.x()) || near_face(p.y()) || near_face(p.z())) add(p);
  }
  for (int axis = 0; axis < 3; ++axis) {
    if (a[axis] == b[axis]) continue;
    const double low = std::min(a[axis], b[axis]), high = std::max(a[axis], b[axis]);
    for (double face = std::ceil(low - kNear); face <= high + kNear; face += 1) {
      const double t = std::clamp((face - a[axis]) / (b[axis] - a[axis]), 0.0, 1.0);
      const Vec3 p = a + t * (b - a);
      if (near_face(p[(axis + 1) % 3]) || near_face(p[(axis + 2) % 3])) add(p);
    }
  }
  for (int axis = 0; axis < 3; ++axis) {  // along a face all the way
    if (!near_face(a[axis]) || !near_face(b[axis])) continue;
    const int steps = static_cast<int>((b - a).norm() * 16) + 1;
    for (int i = 0; i <= steps; ++i) add(a + (b - a) * i / steps);
  }
}

std::set<Key> forgiven_of(const std::vector<Frame>& frames, double resolution, bool discretise) {
  std::set<Key> forgiven;
  for (const Frame& frame : frames) {
    const Vec3 origin(frame.origin[0], frame.origin[1], frame.origin[2]);
    for (const auto& raw : frame.points) {
      Vec3 p(raw[0], raw[1], raw[2]);
      if (discretise) {
        add_forgiven(p, p, resolution, forgiven);
        p = ((p / resolution).array().floor() + 0.5) * resolution;
      }
      if (frame.max_range > 0 && (p - origin).norm() > frame.max_range) {
        p = origin + (p - origin).normalized() * frame.max_range;
      }
      add_forgiven(origin, p, resolution, forgiven);
    }
  }
  return forgiven;
}

std::map<Key, float> cells_of(const OccupancyMap& map) {
  std::map<Key, float> cells;
  map.visit_leaves([&](const OccupancyCell& leaf) {
    const int m = (1 << leaf.level) - 1;
    for (int c = 0; c < 1 << 3 * leaf.level; ++c) {
      cells[{leaf.key.x + (c & m), leaf.key.y + (c >> leaf.level & m), leaf.key.z + (c >> 2 * leaf.level & m)}] =
          leaf.log_odds;
    }
  });
  return cells;
}

/// Both insert; all cells that are not forgiven must be equal. Returns how many cells differed nevertheless.
std::size_t compare(const std::vector<Frame>& frames, double resolution, bool discretise,
                    const OccupancyMapperOptions& model = {}) {
  OctoTree tree(resolution);
  tree.set_model(model.hit, model.miss, model.clamp_min, model.clamp_max);
  OccupancyMapperOptions options = model;
  options.resolution = resolution;
  OccupancyMapper mapper(options);
  for (const Frame& frame : frames) {
    tree.insert(frame.points, frame.origin, frame.max_range, discretise);
    const std::span<const float> floats(frame.points.empty() ? nullptr : frame.points[0].data(),
                                        3 * frame.points.size());
    mapper.insert({.points = PointView(floats),
                   .origin = Vec3(frame.origin[0], frame.origin[1], frame.origin[2]),
                   .max_range = frame.max_range > 0 ? frame.max_range : kInfinity,
                   .rays = discretise ? FrameRays::per_end_voxel : FrameRays::per_point,
                   .zero_is_no_return = false});
  }
  const OccupancyMap map = mapper.map();
  EXPECT_EQ(refusal([&] { map.validate(); }), "");
  std::map<Key, float> ours = cells_of(map), theirs;
  for (const OctoLeaf& cell : tree.cells()) theirs[cell.key] = cell.log_odds;
  const std::set<Key> forgiven = forgiven_of(frames, resolution, discretise);
  std::size_t different = 0;
  const auto look = [&](const Key& key) {
    const auto a = ours.find(key), b = theirs.find(key);
    if (a != ours.end() && b != theirs.end() && a->second == b->second) return;
    ++different;
    if (forgiven.count(key) > 0) return;
    ADD_FAILURE() << "cell " << key[0] << " " << key[1] << " " << key[2] << ": " << (a == ours.end() ? NAN : a->second)
                  << " instead of " << (b == theirs.end() ? NAN : b->second);
  };
  for (const auto& cell : ours) look(cell.first);
  for (const auto& cell : theirs) {
    if (ours.count(cell.first) == 0) look(cell.first);
  }
  return different;
}

Frame random_frame(Generator& random, double resolution, int kind) {
  Frame frame;
  const double reach = resolution * (kind == 3 ? 200 : 30);
  const auto axis = [&](double half) {
    const double x = random.uniform(-half, half);
    if (kind == 1) return static_cast<float>(std::round(x / resolution) * resolution);          // on faces
    if (kind == 2) return static_cast<float>((std::floor(x / resolution) + 0.5) * resolution);  // in centres
    return static_cast<float>(x);
  };
  for (float& x : frame.origin) x = axis(resolution * 3);
  const int count = random.integer(1, kind == 3 ? 10 : 60);
  for (int i = 0; i < count; ++i) {
    std::array<float, 3> p{axis(reach), axis(reach), axis(reach)};
    if (random.integer(0, 5) == 0) p[random.bits() % 3] = frame.origin[random.bits() % 3];
    if (random.integer(0, 9) == 0) p = frame.origin;  // a ray of length zero
    if (random.integer(0, 9) == 0 && !frame.points.empty()) p = frame.points[random.bits() % frame.points.size()];
    frame.points.push_back(p);
  }
  if (random.integer(0, 2) > 0) frame.max_range = random.uniform(0.1, 1.2) * reach;
  return frame;
}

TEST(Insert, HasTheCellsAndLogOddsOfOctoMap) {
  std::size_t different = 0;
  for (int seed = 0; seed < scaled(100); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Generator random(static_cast<std::uint64_t>(seed));
    const double resolution = random.integer(0, 1) ? 0.05 : random.magnitude(-2.5, 0.5);
    const int kind = random.integer(0, 3);
    std::vector<Frame> frames;
    for (int f = random.integer(1, 6); f > 0; --f) frames.push_back(random_frame(random, resolution, kind));
    frames.push_back(frames.front());  // what one frame noted, another does not know
    for (const bool discretise : {false, true}) different += compare(frames, resolution, discretise);
    if (HasFailure()) break;
  }
  RecordProperty("forgiven", static_cast<int>(different));
}

/// A lidar above a floor, with walls all around and pillars: rays of up to 50 m in cells of 20 cm.
Frame lidar_frame(const std::array<float, 3>& at, int columns) {
  Frame frame;
  frame.origin = at;
  frame.max_range = 50;
  const Vec3 origin(frame.origin[0], frame.origin[1], frame.origin[2]);
  for (int ring = 0; ring < 64; ++ring) {
    const double pitch = (-25 + 28.0 * ring / 63) * M_PI / 180;
    for (int i = 0; i < columns; ++i) {
      const double yaw = 2 * M_PI * (i + 0.37) / columns;
      const Vec3 direction(std::cos(pitch) * std::cos(yaw), std::cos(pitch) * std::sin(yaw), std::sin(pitch));
      double t = kInfinity;
      for (int axis = 0; axis < 3; ++axis) {  // a room of 120 × 120 × 30 m
        const double low = axis == 2 ? 0.07 : -60.07, high = axis == 2 ? 30.07 : 60.07;
        t = std::min(t, ((direction[axis] > 0 ? high : low) - origin[axis]) / direction[axis]);
      }
      if (i % 7 == 0) t = std::min(t, 5.0 + i % 40);
      const Vec3 p = origin + t * direction;
      frame.points.push_back({static_cast<float>(p.x()), static_cast<float>(p.y()), static_cast<float>(p.z())});
    }
  }
  return frame;
}

/// How many faces of cells the rays of a frame cross.
double crossings_of(const Frame& frame, double resolution) {
  const Vec3 origin(frame.origin[0], frame.origin[1], frame.origin[2]);
  double all = 0;
  for (const auto& p : frame.points) {
    const Vec3 along = Vec3(p[0], p[1], p[2]) - origin;
    all += std::min(1.0, frame.max_range / along.norm()) * along.cwiseAbs().sum() / resolution;
  }
  return all;
}

// Two causes, nothing else: OctoMap's float32 directions are off by up to 6e-8, after 250 cells by 1.5e-5 of a cell, so
// that rays go round some edges of cells in 10^5 the other way; and rays between two centres of cells, of a sensor that
// stands at one, pass exactly through edges, where rounding decides.
TEST(Insert, LongRaysDifferFromOctoMapsOnlyWhereTheyPassWithinRoundingOfAnEdge) {
  const int columns = scaled(12);
  for (const bool at_a_centre : {false, true}) {
    const std::vector<Frame> frames{
        lidar_frame(at_a_centre ? std::array{0.3F, 0.1F, 1.83F} : std::array{0.337F, 0.113F, 1.83F}, columns)};
    const double crossings = crossings_of(frames[0], 0.2);
    for (const bool discretise : {false, true}) {
      const std::size_t different = compare(frames, 0.2, discretise);
      RecordProperty(
          std::string(at_a_centre ? "forgiven_at_a_centre" : "forgiven") + (discretise ? "_per_end_voxel" : ""),
          static_cast<int>(different));
      const bool exact_ties = at_a_centre && discretise;
      EXPECT_LE(double(different), exact_ties ? crossings : 3 + 1e-4 * crossings);
    }
    RecordProperty("crossings", static_cast<int>(std::min(crossings, 2e9)));
  }
}

TEST(Insert, CellsOfAMillimetreAreThoseOfOctoMap) {
  Generator random(77);
  for (int i = 0; i < scaled(8); ++i) {
    const std::vector<Frame> frames{random_frame(random, 0.001, i % 4), random_frame(random, 0.001, i % 4)};
    for (const bool discretise : {false, true}) compare(frames, 0.001, discretise);
  }
}

TEST(Insert, ReachesBothClampsAsOctoMapDoes) {
  Generator random(5);
  std::vector<Frame> frames;
  for (int f = 0; f < 40; ++f) {
    Generator same(static_cast<std::uint64_t>(f % 3));
    frames.push_back(random_frame(same, 0.1, 0));
  }
  for (const bool discretise : {false, true}) compare(frames, 0.1, discretise);
  compare(frames, 0.1, false, {.hit = 0.9, .miss = 0.2, .clamp_min = 0.01, .clamp_max = 0.999});
  compare(frames, 0.1, true, {.hit = 0.55, .miss = 0.49, .clamp_min = 0.45, .clamp_max = 0.6});
}

TEST(Insert, MarksTheSameCellsWithAndWithoutAGrid) {
  for (int seed = 0; seed < scaled(100); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Generator random(static_cast<std::uint64_t>(seed) + 300);
    Frame frame = random_frame(random, 0.05, random.integer(0, 3));
    for (int more = seed % 8 == 0 ? random.integer(20, 90) : 0; more > 0; --more) {  // rays of more than one batch
      const Points others = random_frame(random, 0.05, random.integer(0, 3)).points;
      frame.points.insert(frame.points.end(), others.begin(), others.end());
    }
    std::vector<Vec3> points;
    for (const auto& p : frame.points) points.emplace_back(p[0], p[1], p[2]);
    SensorFrame given{.points = points, .origin = Vec3(frame.origin[0], frame.origin[1], frame.origin[2])};
    given.rays = random.integer(0, 1) ? FrameRays::per_point : FrameRays::per_end_voxel;
    OccupancyMapper grid({.resolution = 0.05}), sparse({.resolution = 0.05});
    given.zero_is_no_return = false;
    SensorFrame far = given;  // rays without return could go so far that there is no grid; but there are none
    far.max_range = 40000;
    far.no_return = NoReturn::clear;
    far.directions = points;
    grid.insert(given);
    sparse.insert(far);
    EXPECT_EQ(grid.map().stamp(), sparse.map().stamp());
  }
}

TEST(Insert, MarksTheSameCellsOfSingleRaysToCornersNearby) {
  // Rays that end at edges, where rounding decides whether they cross the last faces, and nothing hides what they miss.
  Generator random(1700);
  for (int i = 0; i < scaled(3000); ++i) {
    const double resolution = random.integer(0, 1) ? 0.05 : random.magnitude(-2, 1);
    const double in_cell = random.integer(0, 2) * 0.5;
    Vec3 origin, end;
    for (int a = 0; a < 3; ++a) {
      const int k = random.integer(-5, 5);
      origin[a] = (k + in_cell) * resolution;
      end[a] = (k + random.integer(-2, 2)) * resolution;
    }
    SensorFrame given{.points = std::span<const Vec3>(&end, 1), .origin = origin, .zero_is_no_return = false};
    OccupancyMapper grid({.resolution = resolution}), sparse({.resolution = resolution});
    grid.insert(given);
    given.max_range = 1e6 * resolution;
    given.no_return = NoReturn::clear;
    given.directions = given.points;
    sparse.insert(given);
    ASSERT_EQ(grid.map().stamp(), sparse.map().stamp()) << "ray " << i;
  }
}

TEST(Insert, MarksTheSameCellsHoweverRaysBeyondTheRangeAreTold) {
  // A point far off along x, with the same ray: near, all points are in the grid of the frame; far, it is too large.
  for (int seed = 0; seed < scaled(60); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Generator random(static_cast<std::uint64_t>(seed) + 900);
    std::vector<Vec3> points;
    for (int i = random.integer(1, 400); i > 0; --i) {
      points.emplace_back(random.uniform(-4, 4), random.uniform(-4, 4), random.uniform(-4, 4));
      if (random.integer(0, 3) == 0) points.push_back(points.back());
      if (random.integer(0, 9) == 0) points.push_back(points[random.bits() % points.size()]);
    }
    const double resolution = 0.125;
    const Vec3 origin(0.0625, 0.0625, 0.0625);
    const double range = random.uniform(0.5, 6);
    const auto insert = [&](double x) {
      std::vector<Vec3> with = points;
      with.emplace_back(x, origin.y(), origin.z());
      OccupancyMapper mapper({.resolution = resolution});
      const InsertReport report =
          mapper.insert({.points = with, .origin = origin, .max_range = range, .rays = FrameRays::per_end_voxel});
      EXPECT_EQ(report.hits + report.cut, with.size());
      return std::tuple(mapper.map().stamp(), report.hits, report.cells_hit, report.cells_missed);
    };
    EXPECT_EQ(insert(10.0625), insert(1e5 + 0.0625));
  }
}

TEST(Insert, ReadsPointsOfAnyLayoutAlike) {
  for (int seed = 0; seed < scaled(60); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Generator random(static_cast<std::uint64_t>(seed) + 1200);
    const Pose pose = random.integer(0, 1) ? Pose() : random.pose(2);
    std::vector<float> packed;
    std::vector<double> doubles, columns;
    const int count = random.integer(1, 700);
    for (int i = 0; i < count; ++i) {
      for (int a = 0; a < 3; ++a) {
        const bool broken = random.integer(0, 40) == 0;
        packed.push_back(broken ? (random.integer(0, 1) ? NAN : INFINITY) : static_cast<float>(random.uniform(-3, 3)));
      }
    }
    std::vector<Vec3> moved;  // what the pose makes of those that are finite
    for (std::size_t i = 0; i < packed.size(); i += 3) {
      const Vec3 p(double{packed[i]}, double{packed[i + 1]}, double{packed[i + 2]});
      if (p.allFinite()) moved.push_back(pose * p);
    }
    doubles.assign(packed.begin(), packed.end());
    for (std::size_t a = 0; a < 3; ++a) {
      for (std::size_t i = 0; i < packed.size(); i += 3) columns.push_back(doubles[i + a]);
    }
    const auto n = static_cast<std::size_t>(count);
    const auto insert = [&](const PointView& points, const Pose& at, const Vec3& origin, FrameRays rays) {
      OccupancyMapper mapper({.resolution = 0.07});
      mapper.insert({.points = points, .pose = at, .origin = origin, .max_range = 2.5, .rays = rays});
      return mapper.map().stamp();
    };
    for (const FrameRays rays : {FrameRays::per_point, FrameRays::per_end_voxel}) {
      const std::uint64_t expected = insert(PointView(packed), pose, Vec3::Zero(), rays);
      EXPECT_EQ(expected, insert(PointView(doubles.data(), n), pose, Vec3::Zero(), rays));
      EXPECT_EQ(expected, insert(PointView(columns.data(), n, sizeof(double), std::ptrdiff_t(n * sizeof(double))), pose,
                                 Vec3::Zero(), rays));
      EXPECT_EQ(expected, insert(moved, Pose(), pose * Vec3::Zero(), rays));
    }
  }
}

TEST(Insert, WorksFarFromTheOriginAsNearIt) {
  // The same frame 2^22 cells away: doubles hold both exactly, so all cells are the same but for the shift.
  Generator random(11);
  const double resolution = 0.0625;
  for (int i = 0; i < scaled(50); ++i) {
    const Frame frame = random_frame(random, resolution, random.integer(0, 3));
    std::vector<Vec3> near, far;
    const Vec3 shift(262144, -524288, 131072);  // metres, multiples of the resolution
    const Vec3 origin(frame.origin[0], frame.origin[1], frame.origin[2]);
    for (const auto& p : frame.points) {
      near.emplace_back(p[0], p[1], p[2]);
      far.emplace_back(near.back() + shift);
    }
    if (((far[0] - shift) - near[0]).norm() > 0) continue;  // rounded
    OccupancyMapper a({.resolution = resolution}), b({.resolution = resolution});
    a.insert({.points = near, .origin = origin});
    b.insert({.points = far, .origin = origin + shift});
    const std::map<Key, float> ours = cells_of(a.map());
    std::size_t same = 0;
    const OccupancyMap moved = b.map();
    for (const auto& [key, value] : ours) {
      const auto there =
          moved.log_odds(CellKey{key[0] + int(shift.x() / resolution), key[1] + int(shift.y() / resolution),
                                 key[2] + int(shift.z() / resolution)});
      same += there && *there == value ? 1U : 0U;
    }
    EXPECT_GE(double(same), 0.999 * double(ours.size()));
  }
}

}  // namespace insert_test
}  // namespace graze
