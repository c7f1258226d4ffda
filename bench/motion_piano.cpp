#include "motion_piano.h"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <numbers>
#include <vector>

#include "bench/timing.h"
#include "graze/query/collide.h"
#include "graze/query/contacts.h"
#include "graze/query/sweep.h"
#include "meshes_fcl.h"
#include "meshes_scene.h"

#if GRAZE_HAVE_FCL
#include <fcl/narrowphase/collision.h>
#endif

namespace motion_bench {
namespace {

using graze::at;
using graze::Mesh;
using graze::Motion;
using graze::Moving;
using graze::Placed;
using graze::Pose;
using graze::Sweep;
using graze::Vec3;
using graze::bench::Claims;
using graze::bench::compare;
using graze::bench::keep;
using meshes_bench::Random;
using meshes_bench::Soup;

// A grid of n × m squares from `corner` along u and v.
void add_patch(Soup& soup, const Vec3& corner, const Vec3& u, const Vec3& v, int n, int m) {
  const auto first = static_cast<std::uint32_t>(soup.vertices.size());
  for (int j = 0; j <= m; ++j) {
    for (int i = 0; i <= n; ++i) soup.vertices.push_back(corner + u * i / n + v * j / m);
  }
  const auto index = [&](int i, int j) { return first + static_cast<std::uint32_t>(j * (n + 1) + i); };
  for (int j = 0; j < m; ++j) {
    for (int i = 0; i < n; ++i) {
      soup.triangles.push_back({index(i, j), index(i + 1, j), index(i + 1, j + 1)});
      soup.triangles.push_back({index(i, j), index(i + 1, j + 1), index(i, j + 1)});
    }
  }
}

// A box with squares of about `square` (m) on its faces.
void add_box(Soup& soup, const Vec3& min, const Vec3& max, double square) {
  const Vec3 size = max - min;
  const auto squares = [&](int k) { return std::max(1, static_cast<int>(std::lround(size[k] / square))); };
  for (int k = 0; k < 3; ++k) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    const Vec3 u = size[i] * Vec3::Unit(i), v = size[j] * Vec3::Unit(j);
    add_patch(soup, min, u, v, squares(i), squares(j));
    add_patch(soup, min + size[k] * Vec3::Unit(k), u, v, squares(i), squares(j));
  }
}

// A tube along z.
void add_tube(Soup& soup, const Vec3& foot, double length, double radius) {
  const Soup tube = meshes_bench::link(200, length, radius, 1);
  const auto first = static_cast<std::uint32_t>(soup.vertices.size());
  for (const Vec3& p : tube.vertices) soup.vertices.push_back(foot + p);
  for (const auto& t : tube.triangles) soup.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
}

// A grand piano, 1.5 m × 1.6 m × 1 m, about its middle: the case with its curved side, keys, an open lid, three legs.
Soup grand_piano() {
  Soup soup;
  const auto side = [](double s) {  // the outline of the case, s from 0 to 1
    const double angle = std::numbers::pi * s;
    return Vec3(0.75 * std::cos(angle), 0.8 * std::sin(angle) * (1 - 0.25 * s) - 0.4, 0);
  };
  constexpr int kAround = 48, kUp = 6;
  const auto first = static_cast<std::uint32_t>(soup.vertices.size());
  for (int j = 0; j <= kUp; ++j) {
    for (int i = 0; i <= kAround; ++i)
      soup.vertices.push_back(side(static_cast<double>(i) / kAround) + Vec3(0, 0, 0.3 * j / kUp));
  }
  for (int j = 0; j < kUp; ++j) {
    for (int i = 0; i < kAround; ++i) {
      const auto a = first + static_cast<std::uint32_t>(j * (kAround + 1) + i), b = a + kAround + 1;
      soup.triangles.push_back({a, a + 1, b + 1}), soup.triangles.push_back({a, b + 1, b});
    }
  }
  // The bottom, and the lid, which stands open.
  for (const double tilt : {0.0, 0.7}) {
    const auto hub = static_cast<std::uint32_t>(soup.vertices.size());
    constexpr int kRings = 8;
    for (int j = 0; j <= kRings; ++j) {
      for (int i = 0; i <= kAround; ++i) {
        const Vec3 p = side(static_cast<double>(i) / kAround) * j / kRings;
        soup.vertices.push_back(tilt == 0 ? p : Vec3(p.x(), p.y(), 0.32 + tilt * (p.x() + 0.75)));
      }
    }
    for (int j = 0; j < kRings; ++j) {
      for (int i = 0; i < kAround; ++i) {
        const auto a = hub + static_cast<std::uint32_t>(j * (kAround + 1) + i), b = a + kAround + 1;
        soup.triangles.push_back({a, a + 1, b + 1}), soup.triangles.push_back({a, b + 1, b});
      }
    }
  }
  for (int key = 0; key < 52; ++key) {
    const double x = -0.62 + 1.24 * key / 52;
    add_box(soup, {x, -0.6, 0.08}, {x + 0.02, -0.45, 0.1}, 1);
  }
  for (const Vec3& foot : {Vec3(-0.6, -0.35, -0.65), Vec3(0.6, -0.35, -0.65), Vec3(0, 0.35, -0.65)})
    add_tube(soup, foot, 0.65, 0.05);
  return soup;
}

// 6 m × 6 m × 3 m with a table and its chairs, a sofa, shelves with books, and columns.
Soup room() {
  Soup soup;
  constexpr double kSquare = 0.15;
  add_box(soup, {-3, -3, 0}, {3, 3, 3}, kSquare);
  add_box(soup, {-1, 1, 0.7}, {0.6, 2, 0.75}, 0.1);
  for (const double x : {-0.95, 0.55}) {
    for (const double y : {1.05, 1.95}) add_tube(soup, {x, y, 0}, 0.7, 0.03);
  }
  for (int chair = 0; chair < 6; ++chair) {
    const double x = -0.9 + 0.55 * (chair % 3), y = chair < 3 ? 0.5 : 2.2;
    add_box(soup, {x, y, 0.4}, {x + 0.4, y + 0.4, 0.44}, 0.1);
    add_box(soup, {x, chair < 3 ? y : y + 0.36, 0.44}, {x + 0.4, chair < 3 ? y + 0.04 : y + 0.4, 0.9}, 0.1);
    for (const double u : {0.03, 0.37}) {
      for (const double v : {0.03, 0.37}) add_tube(soup, {x + u, y + v, 0}, 0.4, 0.02);
    }
  }
  add_box(soup, {-2.9, -2.9, 0}, {-0.8, -2.1, 0.42}, 0.1);
  add_box(soup, {-2.9, -2.9, 0.42}, {-0.8, -2.7, 0.9}, 0.1);
  for (int shelf = 0; shelf < 6; ++shelf) {
    const double z = 0.1 + 0.35 * shelf;
    add_box(soup, {2.6, -2, z}, {2.95, 1, z + 0.03}, 0.1);
    for (int book = 0; book < 40; ++book) {
      const double y = -1.95 + 0.07 * book;
      add_box(soup, {2.7, y, z + 0.03}, {2.95, y + 0.04, z + 0.22 + 0.01 * (book % 5)}, 0.15);
    }
  }
  add_tube(soup, {-1.8, 0, 0}, 3, 0.15), add_tube(soup, {1.6, 2.2, 0}, 3, 0.15);
  return soup;
}

Pose random_pose(Random& random) {
  return random.turned({random.uniform(-3, 3), random.uniform(-3, 3), random.uniform(0, 3)});
}

#if GRAZE_HAVE_FCL
std::size_t their_contacts(const fcl::CollisionGeometryd& a, const Pose& pose, const fcl::CollisionGeometryd& b,
                           std::size_t max) {
  fcl::CollisionRequestd request(max, true);
  fcl::CollisionResultd result;
  return fcl::collide(&a, meshes_bench::to_fcl(pose), &b, fcl::Transform3d::Identity(), request, result);
}
#endif

}  // namespace

// FCL's discrete query lists all pairs of triangles that touch, at random poses in the room: its tests ask for that,
// and only so do eleven of them cost eleven times one (Table III: 42.4 ms = 11 × 3.86 ms). What a planner asks, whether
// they touch, costs far less and is a row of its own.
void piano(Claims& claims) {
  Random random(16);
  const Soup piano_soup = grand_piano(), room_soup = room();
  const Mesh body(piano_soup.vertices, piano_soup.triangles), walls(room_soup.vertices, room_soup.triangles);
  const Placed here = at(walls);
  constexpr int kMoves = 100, kPaper = 11;
  std::vector<Moving> any, free;  // from anywhere; from where it does not touch the room
  std::vector<Placed> poses;
  while (free.size() < kMoves || any.size() < kMoves) {
    const Motion motion(random_pose(random), random_pose(random));
    if (any.size() < kMoves) {
      any.push_back(at(body, motion));
      poses.push_back(at(body, motion.at(random.uniform(0, 1))));
    }
    if (free.size() < kMoves && !collide(at(body, motion.from()), here)) free.push_back(at(body, motion));
  }
  constexpr std::size_t kMany = 1U << 16U;
  std::vector<graze::Contact> buffer(kMany);
  const auto all_at = [&](const Placed& p) { return contacts(p, here, buffer, {.max = kMany}).size(); };
  const auto pose_at = [&](const Moving& m, int k) {
    return at(body, m.motion.at(static_cast<double>(k) / (kPaper - 1)));
  };
  // The motion between two of so many samples is less than a millimetre.
  const auto samples_for = [&](const Moving& m) {
    return std::max(kPaper - 1, static_cast<int>(std::ceil(m.motion.reach(1.2) / 1e-3)));
  };

  bool agree = true;
  std::size_t pairs = 0, touching = 0;
  int hits = 0, at_start = 0, free_hits = 0, missed = 0;
  const graze::Moving stands = still(here);
  for (const Moving& m : any) {
    const Sweep s = sweep(m, here);
    hits += s.hit ? 1 : 0, at_start += s.hit && s.time == 0 ? 1 : 0;
    agree = agree && s.certain && sweep_hits(m, here) == s.hit;
    for (int k = 0; k < kPaper; ++k) {
      if (!collide(pose_at(m, k), here)) continue;
      agree = agree && s.hit && s.time <= static_cast<double>(k) / (kPaper - 1) + 1e-12;
    }
  }
  for (const Moving& m : free) {
    const Sweep s = sweep(m, here);
    const graze::SampledSweep few = sweep_by_samples(m, stands, kPaper - 1);
    const graze::SampledSweep many = sweep_by_samples(m, stands, samples_for(m));
    free_hits += s.hit ? 1 : 0, missed += s.hit && !few.hit ? 1 : 0;
    agree = agree && s.certain && (!many.hit || (s.hit && s.time <= many.time));
  }
  for (const Placed& p : poses) {
    const std::size_t count = all_at(p);
    pairs += count, touching += count > 0 ? 1 : 0;
    agree = agree && collide(p, here) == (count > 0);
  }
  fmt::print(
      "piano of {} triangles in a room of {}: {} of {} motions hit, {} at the start; from free poses {} hit, {} "
      "samples "
      "miss {}; {} of {} poses touch, {} pairs of triangles each\n",
      body.size(), walls.size(), hits, any.size(), at_start, free_hits, kPaper, missed, touching, poses.size(),
      pairs / poses.size());

  const auto add = [&](const std::string& name, const auto& ours, const auto& theirs, const std::string& peer,
                       double goal) {
    const auto times = compare(kMoves, ours, theirs, 3);
    claims.add({.id = "motion/piano, " + name,
                .ours = times.ours / 1e3,
                .peer_name = peer,
                .peer = times.peer / 1e3,
                .unit = "us",
                .goal = goal,
                .agree = agree});
  };
  const auto sweeps = [&](const std::vector<Moving>& moving) {
    return [&] {
      for (const Moving& m : moving) keep(sweep(m, here).time);
    };
  };
  const auto whether = [&](const std::vector<Moving>& moving) {
    return [&] {
      for (const Moving& m : moving) keep(sweep_hits(m, here));
    };
  };
  add(
      "Table II", sweeps(any),
      [&] {
        for (const Placed& p : poses) keep(all_at(p));
      },
      "graze, all contacts at a pose", 1 / 1.4);
  add(
      "from free poses", sweeps(free),
      [&] {
        for (const Placed& p : poses) keep(all_at(p));
      },
      "graze, all contacts at a pose", 1 / 1.4);
  add(
      "Table III", sweeps(any),
      [&] {
        for (const Moving& m : any) {
          for (int k = 0; k < kPaper; ++k) keep(all_at(pose_at(m, k)));
        }
      },
      "graze, all contacts at 11 poses", 7.7);
  add(
      "as safe as 1 mm", sweeps(free),
      [&] {
        for (const Moving& m : free) keep(sweep_by_samples(m, stands, samples_for(m)).time);
      },
      "graze, samples up to the first touch", 7.7);
  add(
      "whether, as safe as 1 mm", whether(free),
      [&] {
        for (const Moving& m : free) keep(sweep_by_samples(m, stands, samples_for(m)).hit);
      },
      "graze, samples up to the first touch", 7.7);
  const auto one = compare(
      kMoves,
      [&] {
        for (const Placed& p : poses) keep(all_at(p));
      },
      [&] {
        for (const Placed& p : poses) keep(collide(p, here));
      },
      3);
  fmt::print("piano: all contacts at a pose {:.1f} us, whether it touches {:.2f} us\n", one.ours / 1e3, one.peer / 1e3);
#if GRAZE_HAVE_FCL
  const auto their_body = meshes_bench::to_fcl<fcl::OBBRSSd>(piano_soup);
  const auto their_walls = meshes_bench::to_fcl<fcl::OBBRSSd>(room_soup);
  const auto theirs = compare(
      kMoves,
      [&] {
        for (const Placed& p : poses) keep(their_contacts(*their_body, p.pose, *their_walls, kMany));
      },
      [&] {
        for (const Placed& p : poses) keep(their_contacts(*their_body, p.pose, *their_walls, 1));
      },
      2);
  fmt::print("piano: FCL, all contacts at a pose {:.1f} us, the first {:.2f} us\n", theirs.ours / 1e3,
             theirs.peer / 1e3);
#endif
}

// Pieces that fly apart, turn and fall, frame by frame: every pair whose balls come near during a frame, swept beside
// eleven states of it; and beside as many as show what is a millimetre thick. All bodies are rigid.
void pieces(Claims& claims) {
  Random random(17);
  const Soup soup = meshes_bench::bumpy_sphere(12, 1);
  const Mesh piece(soup.vertices, soup.triangles);
  constexpr int kSide = 4, kFrames = 24, kPaper = 11;
  constexpr double kSpacing = 1.12, kBall = 0.56;
  struct Flight {
    Vec3 start, velocity, axis;
    double spin;
    Pose at(double t) const {
      const Vec3 place = start + velocity * t - Vec3(0, 0, 1.5 * t * t);
      return Motion::turning(Pose::at(place), Vec3::Zero(), axis, spin).at(t);
    }
  };
  std::vector<Flight> flights;
  for (int i = 0; i < kSide * kSide * kSide; ++i) {
    const Vec3 start = kSpacing * Vec3(i % kSide, i / kSide % kSide, i / (kSide * kSide));
    const Vec3 outward = start - kSpacing * (kSide - 1) / 2.0 * Vec3::Ones();
    flights.push_back({start, 0.5 * outward + 1.2 * random.direction(), random.direction(), random.uniform(0, 6)});
  }
  std::vector<std::pair<Moving, Moving>> pairs;
  for (int frame = 0; frame < kFrames; ++frame) {
    const double from = static_cast<double>(frame) / kFrames, to = static_cast<double>(frame + 1) / kFrames;
    std::vector<Motion> motions;
    for (const Flight& f : flights) motions.emplace_back(f.at(from), f.at(to));
    for (std::size_t i = 0; i < motions.size(); ++i) {
      for (std::size_t k = i + 1; k < motions.size(); ++k) {
        const Vec3 d0 = motions[k].from().translation() - motions[i].from().translation();
        const Vec3 by = motions[k].to().translation() - motions[i].to().translation() - d0;
        const double s = std::clamp(-d0.dot(by) / std::max(by.squaredNorm(), 1e-30), 0.0, 1.0);
        if ((d0 + s * by).norm() < 2 * kBall) pairs.emplace_back(at(piece, motions[i]), at(piece, motions[k]));
      }
    }
  }
  const auto steps_for = [&](const std::pair<Moving, Moving>& p) {
    return static_cast<int>(std::ceil((p.first.motion.reach(kBall) + p.second.motion.reach(kBall)) / 1e-3));
  };
  bool agree = true;
  std::size_t hits = 0, missed = 0;
  for (const auto& p : pairs) {
    const Sweep s = sweep(p.first, p.second);
    const graze::SampledSweep few = sweep_by_samples(p.first, p.second, kPaper - 1);
    const graze::SampledSweep many = sweep_by_samples(p.first, p.second, steps_for(p));
    hits += s.hit ? 1 : 0, missed += s.hit && !few.hit ? 1 : 0;
    for (const auto& sampled : {few, many}) agree = agree && (!sampled.hit || (s.hit && s.time <= sampled.time));
    agree = agree && s.certain;
  }
  fmt::print("{} pieces of {} triangles over {} frames: {} pairs near each other, {} hit, 11 samples miss {}\n",
             flights.size(), piece.size(), kFrames, pairs.size(), hits, missed);
  const auto sweeps = [&] {
    for (const auto& p : pairs) keep(sweep(p.first, p.second).time);
  };
  const auto add = [&](const std::string& name, const auto& theirs, const std::string& peer, double goal) {
    const auto times = compare(pairs.size(), sweeps, theirs, 2);
    claims.add({.id = "motion/" + name,
                .ours = times.ours / 1e3,
                .peer_name = peer,
                .peer = times.peer / 1e3,
                .unit = "us",
                .goal = goal,
                .agree = agree});
  };
  add(
      "rigid pieces, as safe as 1 mm",
      [&] {
        for (const auto& p : pairs) keep(sweep_by_samples(p.first, p.second, steps_for(p)).time);
      },
      "graze, samples up to the first touch", 3.3);
  add(
      "rigid pieces, Table IV",
      [&] {
        for (const auto& p : pairs) keep(sweep_by_samples(p.first, p.second, kPaper - 1).time);
      },
      "graze, 11 samples", 3.3);
#if GRAZE_HAVE_FCL
  const auto theirs = meshes_bench::to_fcl<fcl::OBBRSSd>(soup);
  add(
      "rigid pieces beside FCL",
      [&] {
        for (const auto& p : pairs) {
          for (int k = 0; k < kPaper; ++k) {
            const double t = static_cast<double>(k) / (kPaper - 1);
            fcl::CollisionRequestd request(1, false);
            fcl::CollisionResultd result;
            keep(fcl::collide(theirs.get(), meshes_bench::to_fcl(p.first.motion.at(t)), theirs.get(),
                              meshes_bench::to_fcl(p.second.motion.at(t)), request, result));
            if (result.isCollision()) break;
          }
        }
      },
      "FCL, 11 samples", 2.6);
#endif
}

}  // namespace motion_bench
