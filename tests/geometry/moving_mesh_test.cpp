#include "graze/geometry/moving_mesh.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <vector>

#include "graze/graze.h"
#include "support/meshes.h"
#include "support/refusal.h"
#include "support/scale.h"

namespace graze_test {
namespace moving_mesh_test {

using graze::Aabb;
using graze::Interval;
using graze::Mesh;
using graze::MovingMesh;
using graze::Pose;
using graze::Triangle;
using graze::Vec3;
using graze_oracle::Random;

constexpr double kTimes[] = {0, 1e-6, 0.1, 0.25, 0.5, 0.61803, 0.75, 0.999, 1};

// A moving mesh does not have the queries of a mesh, so none can be asked in the wrong state.
template <class T>
concept Askable = requires(const T& t) {
  collide(graze::at(t), graze::at(t));
};
static_assert(Askable<Mesh> && !Askable<MovingMesh>);
static_assert(!std::is_default_constructible_v<MovingMesh>);
static_assert(!std::is_convertible_v<MovingMesh, Mesh> && !std::is_convertible_v<Mesh, MovingMesh>);

std::vector<Vec3> moved(const std::vector<Vec3>& vertices, double by, Random& random) {
  std::vector<Vec3> next = vertices;
  const Vec3 all(random.uniform(-by, by), random.uniform(-by, by), random.uniform(-by, by));
  for (Vec3& v : next) {
    const double x = random.uniform(-by, by), y = random.uniform(-by, by);
    v += all + 0.3 * Vec3(x, y, random.uniform(-by, by));
  }
  return next;
}

Aabb box_of(const Triangle& t) { return Aabb().extend(t.a()).extend(t.b()).extend(t.c()); }

TEST(MovingMesh, ContainsItsTrianglesAtEveryTime) {
  Random random(1);
  for (int i = 0, n = scaled(40); i < n && !HasFailure(); ++i) {
    const Soup soup = random_soup(kLooks[static_cast<std::size_t>(i) % std::size(kLooks)], 1 + i * 5 % 80, random);
    SCOPED_TRACE(i);
    MovingMesh moving(soup.mesh(), moved(soup.vertices, 0.5, random));
    for (int step = 0; step < 2; ++step) {
      ASSERT_EQ(moving.validate(), "");
      const Aabb all = moving.bounds();
      for (const double t : kTimes) {
        const std::vector<Vec3> now = moving.vertices(t);
        for (std::size_t k = 0; k < moving.size(); ++k) {
          const Triangle triangle = moving.triangle(k, t);
          EXPECT_EQ(triangle.b(), now[soup.triangles[k][1]]);
          const Aabb box = box_of(triangle), ends = moving.first_bounds(k).extend(moving.last_bounds(k));
          EXPECT_TRUE(ends.contains(box.min) && ends.contains(box.max));
          EXPECT_TRUE(all.contains(box.min) && all.contains(box.max));
        }
      }
      EXPECT_EQ(moving.vertices(1), std::vector<Vec3>(moving.to().begin(), moving.to().end()));
      const std::vector<Vec3> reached(moving.to().begin(), moving.to().end());
      moving.advance(moved(reached, 0.2, random));
      EXPECT_EQ(std::vector<Vec3>(moving.from().vertices().begin(), moving.from().vertices().end()), reached);
    }
  }
}

TEST(MovingMesh, FindsWhatMeetsABoxAtAnyTime) {
  Random random(2);
  std::size_t met = 0, visited = 0, all = 0;
  for (int i = 0, n = scaled(60); i < n && !HasFailure(); ++i) {
    const Soup soup = random_soup(kLooks[static_cast<std::size_t>(i) % std::size(kLooks)], 1 + i * 7 % 90, random);
    SCOPED_TRACE(i);
    const MovingMesh moving(soup.mesh(), moved(soup.vertices, 0.5, random));
    const Aabb whole = moving.bounds();
    for (int q = 0; q < 5; ++q) {
      const Vec3 a(random.uniform(0, 1), random.uniform(0, 1), random.uniform(0, 1));
      Aabb box = Aabb::around(whole.min + a.cwiseProduct(whole.max - whole.min), 0.1 * (whole.max - whole.min));
      std::map<std::size_t, Interval> found;
      moving.visit_near(box, [&](std::size_t k, const Interval& times) {
        EXPECT_FALSE(times.empty());
        EXPECT_TRUE(found.emplace(k, times).second) << "visited twice";
      });
      visited += found.size(), all += moving.size();
      const graze::Placed placed =
          graze::at(graze::Box{.half = Vec3(box.half().array() + 1e-30)}, Pose::at(box.center()));
      for (const double t : kTimes) {
        for (std::size_t k = 0; k < moving.size(); ++k) {
          // Clearly, not just by rounding.
          const double d = distance(graze::at(moving.triangle(k, t)), placed).value;
          if (!(d < -1e-9 * (1 + whole.max.norm()))) continue;
          ++met;
          ASSERT_TRUE(found.count(k) != 0) << "triangle " << k << " was missed at " << t;
          EXPECT_TRUE(found.at(k).contains(t)) << "triangle " << k << " at " << t;
        }
      }
    }
  }
  EXPECT_GT(met, 100U);
  EXPECT_LT(visited, all / 2) << "nearly everything is visited";

  // A corner passes through a point halfway.
  const MovingMesh moving(closed(3, true).mesh(), closed(3, true, 0.3).vertices);
  const Vec3 p = moving.triangle(7, 0.5).a();
  bool found = false;
  moving.visit_near({p, p},
                    [&](std::size_t k, const Interval& times) { found = found || (k == 7 && times.contains(0.5)); });
  EXPECT_TRUE(found);
}

TEST(MovingMesh, StopsASearchOnRequest) {
  const MovingMesh moving(closed(4, true).mesh());
  int visits = 0;
  moving.visit_near(Aabb::everything(), [&](std::size_t, const Interval& times) {
    EXPECT_EQ(times, (Interval{0, 1}));
    return ++visits < 3;
  });
  EXPECT_EQ(visits, 3);
  visits = 0;
  moving.visit_near(Aabb{Vec3::Constant(std::nan("")), Vec3::Constant(std::nan(""))},
                    [&](std::size_t, const Interval&) { ++visits; });
  EXPECT_EQ(static_cast<std::size_t>(visits), moving.size()) << "NaN is near everything";
}

TEST(MovingMesh, WithoutTrianglesFindsNothing) {
  MovingMesh moving((Mesh()));
  EXPECT_TRUE(moving.bounds().empty());
  EXPECT_EQ(moving.validate(), "");
  moving.visit_near(Aabb::everything(), [](std::size_t, const Interval&) { FAIL(); });
  moving.advance({});
}

TEST(MovingMesh, RejectsInvalidEnds) {
  const Soup soup = closed(2, true);
  const Mesh mesh = soup.mesh();
  std::vector<Vec3> to = soup.vertices;
  EXPECT_NE(refusal([&] { MovingMesh bad(mesh, std::span(to).first(5)); }).find("cannot take 5"), std::string::npos);
  MovingMesh moving(mesh, to);
  to[3].x() = std::nan("");
  EXPECT_NE(refusal([&] { MovingMesh bad(mesh, to); }).find("vertex 3"), std::string::npos);
  EXPECT_NE(refusal([&] { moving.advance(to); }).find("vertex 3"), std::string::npos);
  EXPECT_EQ(moving.validate(), "") << "a rejected change modified it";
  EXPECT_EQ(moving.from().stamp(), mesh.stamp());
}

TEST(MovingMesh, LeavesTheMeshItStartsFromAsItIs) {
  Random random(3);
  const Soup soup = closed(3, true);
  const Mesh mesh = soup.mesh(true);
  MovingMesh moving(mesh, moved(soup.vertices, 1, random)), copy = moving;
  moving.advance(soup.vertices);
  EXPECT_EQ(mesh.stamp(), soup.mesh(true).stamp());
  EXPECT_EQ(copy.from().stamp(), mesh.stamp());
  EXPECT_TRUE(moving.from().solid());
}

TEST(MeetingTimes, ContainEveryTimeAtWhichBoxesMeet) {
  Random random(4);
  int met = 0, never = 0;
  const auto box = [&] {
    const double x = random.integer(-3, 3), y = random.integer(-3, 3), z = random.integer(-3, 3);
    return Aabb::around({x, y, z}, {random.uniform(0, 1), random.uniform(0, 1), 0.5 * random.integer(0, 2)});
  };
  const auto between = [](const Aabb& a, const Aabb& b, double t) {
    return Aabb{(1 - t) * a.min + t * b.min, (1 - t) * a.max + t * b.max};
  };
  for (int i = 0, n = scaled(5000); i < n && !HasFailure(); ++i) {
    const Aabb a0 = box(), a1 = box(), b0 = box(), b1 = box();
    const double margin = i % 2 == 0 ? 0 : random.uniform(0, 0.5);
    const Interval times = meeting_times(a0, a1, b0, b1, margin);
    never += times.empty() ? 1 : 0;
    bool any = false;
    for (int k = 0; k <= 64; ++k) {
      const double t = k / 64.0;
      const bool meet = overlap(between(a0, a1, t).grown(margin), between(b0, b1, t));
      any = any || meet;
      if (meet) {
        EXPECT_TRUE(times.contains(t)) << "case " << i << " at " << t;
      }
      // Not much longer: the sides cross at the ends of the interval.
      const Aabb larger = between(a0, a1, t).grown(margin + 1e-9);
      if (times.contains(t)) {
        EXPECT_TRUE(overlap(larger, between(b0, b1, t))) << "case " << i << " at " << t;
      }
    }
    met += any ? 1 : 0;
  }
  EXPECT_GT(met, scaled(500));
  EXPECT_GT(never, scaled(500));
}

}  // namespace moving_mesh_test
}  // namespace graze_test
