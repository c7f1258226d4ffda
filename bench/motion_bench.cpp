// Moving bodies, on one thread: the first contact beside FCL's continuous collision, and beside questions that do not
// move.
//
//     bench_motion [--long] [--json PATH]
//
// --long: all frames of the meshes that bend, and those of 1.6 million triangles, which take many minutes.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string_view>
#include <vector>

#include "bench/claims.h"
#include "bench/timing.h"
#include "graze/geometry/cloud.h"
#include "graze/query/collide.h"
#include "graze/query/sweep.h"
#include "graze/query/sweep_sphere.h"
#include "meshes_fcl.h"
#include "meshes_scene.h"
#include "motion_deforming.h"
#include "motion_piano.h"
#include "tests/support/clouds.h"

#if GRAZE_HAVE_FCL
#include <fcl/geometry/shape/box.h>
#include <fcl/geometry/shape/capsule.h>
#include <fcl/geometry/shape/cylinder.h>
#include <fcl/geometry/shape/sphere.h>
#include <fcl/narrowphase/continuous_collision.h>
#endif

namespace motion_bench {
namespace {

using graze::at;
using graze::Geometry;
using graze::Motion;
using graze::Placed;
using graze::Pose;
using graze::Sweep;
using graze::Vec3;
using graze::bench::Claims;
using graze::bench::compare;
using graze::bench::keep;
using meshes_bench::Random;

struct Moves {
  std::vector<Motion> a, b;
};

// From up to 3 m apart, past or into each other, with a turn of up to 180 degrees.
[[maybe_unused]] Moves random_moves(Random& random, int count) {
  Moves moves;
  for (int i = 0; i < count; ++i) {
    for (std::vector<Motion>* list : {&moves.a, &moves.b}) {
      const Pose from = random.turned(3 * random.direction()), to = random.turned(3 * random.direction());
      list->emplace_back(from, to);
    }
  }
  return moves;
}

#if GRAZE_HAVE_FCL

struct Body {
  Geometry ours;
  std::shared_ptr<fcl::CollisionGeometryd> theirs;
};

std::vector<Body> make_shapes() {
  return {{graze::Sphere{0.5}, std::make_shared<fcl::Sphered>(0.5)},
          {graze::Box{{0.4, 0.3, 0.6}}, std::make_shared<fcl::Boxd>(0.8, 0.6, 1.2)},
          {graze::Capsule{0.3, 0.5}, std::make_shared<fcl::Capsuled>(0.3, 1.0)},
          {graze::Cylinder{0.4, 0.5}, std::make_shared<fcl::Cylinderd>(0.4, 1.0)}};
}

struct TheirAnswer {
  bool hit;
  double time;
};

TheirAnswer ask_fcl(const fcl::CollisionGeometryd& a, const Motion& move_a, const fcl::CollisionGeometryd& b,
                    const Motion& move_b, const fcl::ContinuousCollisionRequestd& request) {
  using meshes_bench::to_fcl;
  fcl::ContinuousCollisionResultd result;
  fcl::continuousCollide(&a, to_fcl(move_a.from()), to_fcl(move_a.to()), &b, to_fcl(move_b.from()), to_fcl(move_b.to()),
                         request, result);
  return {result.is_collide, result.time_of_contact};
}

// Where the two differ, distances tell who is right: graze must be. Its time is never later than another's contact.
bool right(const Sweep& ours, const TheirAnswer& theirs, const Geometry& a, const Motion& move_a, const Geometry& b,
           const Motion& move_b) {
  const auto apart = [&](double t) {
    return distance(at(a, move_a.at(t)), at(b, move_b.at(t)), {.depth = false}).value;
  };
  constexpr double kFuzzy = 1e-6;
  if (!ours.hit) return !theirs.hit || apart(theirs.time) > 0;
  if (!ours.certain || apart(ours.time) > kFuzzy) return false;
  return !theirs.hit || apart(theirs.time) > 0 || ours.time <= theirs.time + kFuzzy;
}

struct Counts {
  int hits = 0, missed = 0, invented = 0;
};

void beside_fcl(Claims& claims, const std::string& name, const std::vector<Body>& bodies, const Moves& moves,
                const fcl::ContinuousCollisionRequestd& request, const std::string& peer, double goal) {
  struct Question {
    const Body &a, &b;
    const Motion &move_a, &move_b;
  };
  std::vector<Question> questions;
  for (std::size_t i = 0; i < moves.a.size(); ++i) {
    questions.push_back({bodies[i % bodies.size()], bodies[i / bodies.size() % bodies.size()], moves.a[i], moves.b[i]});
  }
  bool agree = true;
  Counts counts;
  for (const Question& q : questions) {
    const Sweep ours = sweep(at(q.a.ours, q.move_a), at(q.b.ours, q.move_b));
    const TheirAnswer theirs = ask_fcl(*q.a.theirs, q.move_a, *q.b.theirs, q.move_b, request);
    agree = agree && right(ours, theirs, q.a.ours, q.move_a, q.b.ours, q.move_b);
    counts.hits += ours.hit ? 1 : 0;
    counts.missed += ours.hit && !theirs.hit ? 1 : 0;
    counts.invented += !ours.hit && theirs.hit ? 1 : 0;
  }
  const auto times = compare(
      questions.size(),
      [&] {
        for (const Question& q : questions) keep(sweep(at(q.a.ours, q.move_a), at(q.b.ours, q.move_b)).time);
      },
      [&] {
        for (const Question& q : questions) keep(ask_fcl(*q.a.theirs, q.move_a, *q.b.theirs, q.move_b, request).time);
      },
      3);
  fmt::print("{}: {} of {} hit; {} misses {}, and {} of its hits are none\n", name, counts.hits, questions.size(), peer,
             counts.missed, counts.invented);
  claims.add({.id = "motion/" + name,
              .ours = times.ours / 1e3,
              .peer_name = peer,
              .peer = times.peer / 1e3,
              .unit = "us",
              .goal = goal,
              .agree = agree});
}

void beside_fcl(Claims& claims) {
  Random random(11);
  fcl::ContinuousCollisionRequestd advancement(100, 1e-6, fcl::CCDM_LINEAR, fcl::GST_LIBCCD,
                                               fcl::CCDC_CONSERVATIVE_ADVANCEMENT);
  beside_fcl(claims, "shapes", make_shapes(), random_moves(random, 2000), advancement, "FCL advancement", 3);
  fcl::ContinuousCollisionRequestd steps(100, 1e-6, fcl::CCDM_LINEAR, fcl::GST_LIBCCD, fcl::CCDC_NAIVE);
  beside_fcl(claims, "shapes beside steps", make_shapes(), random_moves(random, 500), steps, "FCL, 100 steps", 3);
  for (const auto& [name, frequency] : {std::pair("meshes of 1 k", 7), std::pair("meshes of 10 k", 22)}) {
    const meshes_bench::Soup soup = meshes_bench::bumpy_sphere(frequency, 1);
    const std::vector<Body> meshes{
        {graze::Mesh(soup.vertices, soup.triangles), meshes_bench::to_fcl<fcl::OBBRSSd>(soup)}};
    beside_fcl(claims, name, meshes, random_moves(random, 60), steps, "FCL, 100 steps", 5);
  }
}

#else
void beside_fcl(Claims& claims) { claims.missing("motion/shapes", "FCL is not installed"); }
#endif

// What never comes near costs little more than to measure it once.
void far_apart(Claims& claims) {
  Random random(12);
  const meshes_bench::Soup soup = meshes_bench::bumpy_sphere(22, 1);
  const graze::Mesh mesh(soup.vertices, soup.triangles);
  std::vector<graze::Moving> moving;
  std::vector<Placed> standing;
  for (int i = 0; i < 100; ++i) {
    const Pose from = random.turned(Vec3(4, 0, 0) + 0.2 * random.direction());
    moving.push_back(at(mesh, Motion(from, random.turned(Vec3(4, 0, 0) + 0.2 * random.direction()))));
    standing.push_back(at(mesh, from));
  }
  const Placed here = at(mesh);
  bool agree = true;
  for (const graze::Moving& m : moving) agree = agree && !sweep(m, here).hit;
  const auto times = compare(
      moving.size(),
      [&] {
        for (const graze::Moving& m : moving) keep(sweep(m, here).hit);
      },
      [&] {
        for (const Placed& p : standing) keep(distance(p, here, {.depth = false}).value);
      },
      3);
  claims.add({.id = "motion/far apart, meshes of 10 k",
              .ours = times.ours / 1e3,
              .peer_name = "graze, one distance",
              .peer = times.peer / 1e3,
              .unit = "us",
              .goal = 0.7,
              .agree = agree});
}

// A ball of 5 cm over half a metre in front of a cloud beside four checks where it stands.
void ball_and_cloud(Claims& claims) {
  Random random(13);
  const auto points = graze_test::surface_samples(graze_test::table_and_shelf(false), 16384, 1);
  const graze::Cloud cloud(graze_test::floats(points), {.radius = 0.005});
  cloud.prepare();
  const Placed scan = at(cloud);
  std::vector<graze::SphereMove> moves;
  std::vector<Placed> spheres;
  while (moves.size() < 1000) {
    const auto& p = points[static_cast<std::size_t>(random.uniform(0, static_cast<double>(points.size())))];
    const Vec3 from = Vec3(p[0], p[1], p[2]) + random.uniform(0.06, 0.3) * random.direction();
    if (collide(at(graze::Sphere{0.05}, Pose::at(from)), scan)) continue;
    moves.emplace_back(from, from + 0.5 * random.direction(), 0.05);
    for (int k = 0; k < 4; ++k) spheres.push_back(at(graze::Sphere{0.05}, Pose::at(moves.back().at(k / 3.0))));
  }
  bool agree = true;
  for (std::size_t i = 0; i < moves.size(); ++i) {
    const graze::SphereHit hit = sweep_sphere(scan, moves[i]);
    for (int k = 0; k < 4; ++k) {
      if (collide(spheres[4 * i + static_cast<std::size_t>(k)], scan)) agree = agree && hit.fraction <= k / 3.0 + 1e-9;
    }
  }
  const auto times = compare(
      moves.size(),
      [&] {
        for (const graze::SphereMove& move : moves) keep(sweep_sphere(scan, move).fraction);
      },
      [&] {
        for (const Placed& sphere : spheres) keep(collide(sphere, scan));
      },
      5);
  claims.add({.id = "motion/ball over 0.5 m, cloud of 16 k",
              .ours = times.ours,
              .peer_name = "graze, four checks",
              .peer = times.peer,
              .goal = 1,
              .agree = agree});
}

// A body of 10 k triangles between two poses in front of one that stands still, beside as many samples as it takes to
// see a plate as thick as a thousandth of the body.
void beside_samples(Claims& claims) {
  Random random(14);
  const meshes_bench::Soup soup = meshes_bench::bumpy_sphere(22, 1);
  const graze::Mesh mesh(soup.vertices, soup.triangles);
  const graze::Moving here = still(at(mesh));
  const double wide = mesh.bounds().max.z() - mesh.bounds().min.z();
  std::vector<graze::Moving> moving;
  for (int i = 0; i < 100; ++i) {
    const Pose from = random.turned(wide * random.uniform(1.1, 1.6) * random.direction());
    const Pose to = random.turned(from.translation() + 0.5 * wide * random.direction());
    moving.push_back(at(mesh, Motion(from, to)));
  }
  int hits = 0, missed = 0;
  constexpr int kPaper = 11, kSafe = 1000;
  bool agree = true;
  for (const graze::Moving& m : moving) {
    const Sweep exact = sweep(m, here);
    const graze::SampledSweep sampled = sweep_by_samples(m, here, kPaper), safe = sweep_by_samples(m, here, kSafe);
    agree = agree && exact.certain && (!safe.hit || (exact.hit && exact.time <= safe.time));
    agree = agree && sweep_hits(m, here) == exact.hit;
    hits += exact.hit ? 1 : 0;
    missed += exact.hit && !sampled.hit ? 1 : 0;
  }
  fmt::print("beside samples: {} of {} hit; {} samples miss {}\n", hits, moving.size(), kPaper, missed);
  const auto exact = [&] {
    for (const graze::Moving& m : moving) keep(sweep(m, here).time);
  };
  const auto any = [&] {
    for (const graze::Moving& m : moving) keep(sweep_hits(m, here));
  };
  const auto add = [&](const std::string& name, const auto& ours, const auto& theirs, const std::string& peer,
                       double goal) {
    const auto times = compare(moving.size(), ours, theirs, 3);
    claims.add({.id = "motion/" + name,
                .ours = times.ours / 1e3,
                .peer_name = peer,
                .peer = times.peer / 1e3,
                .unit = "us",
                .goal = goal,
                .agree = agree});
  };
  const auto samples = [&](int steps) {
    return [&moving, &here, steps] {
      for (const graze::Moving& m : moving) keep(sweep_by_samples(m, here, steps).time);
    };
  };
  add("samples as safe as 1 mm", exact, samples(kSafe), "graze, 1000 samples", 7.7);
  add("whether, not when", any, exact, "graze, when", 1);
}

// How the cost grows: with the size of the meshes, the length of the motion, and the gap that stays.
void growth() {
  struct Case {
    std::string name;
    int frequency;
    double length, gap;
  };
  const std::vector<Case> cases{{"320 triangles", 4, 2, -0.2},   {"1 k triangles", 7, 2, -0.2},
                                {"10 k triangles", 22, 2, -0.2}, {"82 k triangles", 64, 2, -0.2},
                                {"length 0.2 m", 22, 0.2, 0.05}, {"length 2 m", 22, 2, 0.05},
                                {"length 20 m", 22, 20, 0.05},   {"gap 1 mm", 22, 2, 0.001},
                                {"gap 1 cm", 22, 2, 0.01},       {"gap 10 cm", 22, 2, 0.1}};
  for (const Case& c : cases) {
    Random random(15);
    const meshes_bench::Soup soup = meshes_bench::bumpy_sphere(c.frequency, 1);
    const graze::Mesh mesh(soup.vertices, soup.triangles);
    const graze::Moving here = still(at(mesh));
    std::vector<graze::Moving> moving;
    const double wide = mesh.bounds().max.z() - mesh.bounds().min.z() + c.gap;
    for (int i = 0; i < 20; ++i) {
      // Past each other at that height, with a small turn about the vertical.
      const Pose from = Pose::from_rpy({-c.length / 2, random.uniform(-0.1, 0.1), wide}, 0, 0, 0);
      const Pose to = Pose::from_rpy({c.length / 2, random.uniform(-0.1, 0.1), wide}, 0, 0, random.uniform(0, 1));
      moving.push_back(at(mesh, Motion(from, to)));
    }
    const auto ask = [&] {
      for (const graze::Moving& m : moving) keep(sweep(m, here).time);
    };
    const auto times = compare(moving.size(), ask, ask, 3);
    fmt::print("growth, {}: {:.1f} us\n", c.name, std::min(times.ours, times.peer) / 1e3);
  }
}

}  // namespace
}  // namespace motion_bench

int main(int argc, char** argv) {
  // The rest is for the claims.
  char** const end =
      std::remove_if(argv + 1, argv + argc, [](const char* a) { return std::string_view(a) == "--long"; });
  const bool all_frames = end != argv + argc;
  argc = static_cast<int>(end - argv);
  graze::bench::Claims claims(argc, argv);
  motion_bench::beside_fcl(claims);
  motion_bench::far_apart(claims);
  motion_bench::ball_and_cloud(claims);
  motion_bench::beside_samples(claims);
  motion_bench::piano(claims);
  motion_bench::pieces(claims);
  motion_bench::growth();
  motion_bench::deforming(claims, all_frames);
  return claims.finish();
}
