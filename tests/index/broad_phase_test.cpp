#include "graze/index/broad_phase.h"

#include <gtest/gtest.h>

#include <limits>

#include "broad_phase_model.h"
#include "graze/base/simd.h"
#include "graze/index/morton_tree.h"
#include "graze/index/spatial_hash.h"
#include "support/allocations.h"
#include "support/generator.h"
#include "support/refusal.h"
#include "support/scale.h"

namespace graze_test::broad_phase_model {
namespace broad_phase_test {

using graze::MortonTree;
using graze::QueryStamps;
using graze::SpatialHash;

enum class Spread { uniform, clustered, stacked, mixed, lattice, identical, points, far, tiny, huge, unbounded, flat };
constexpr Spread kSpreads[] = {Spread::uniform, Spread::clustered, Spread::stacked,   Spread::mixed,
                               Spread::lattice, Spread::identical, Spread::points,    Spread::far,
                               Spread::tiny,    Spread::huge,      Spread::unbounded, Spread::flat};

template <int N>
graze::VecOf<N> in_cube(Generator& random, double half) {
  graze::VecOf<N> v;
  for (int k = 0; k < N; ++k) v[k] = random.uniform(-half, half);
  return v;
}

template <int N>
graze::AabbOf<N> box_of(Spread spread, Generator& random) {
  using Vec = graze::VecOf<N>;
  using Box = graze::AabbOf<N>;
  Vec at = in_cube<N>(random, 10), half = in_cube<N>(random, 0.6).cwiseAbs();
  switch (spread) {
    case Spread::uniform:
      break;
    case Spread::clustered:
      at = at * 0.02 + Vec::Constant(random.integer(0, 3));
      break;
    case Spread::stacked:
      for (int k = 0; k + 1 < N; ++k) at[k] = 1;
      break;
    case Spread::mixed:
      half *= random.magnitude(-4, 1);
      break;
    case Spread::lattice:  // sides that touch
      for (int k = 0; k < N; ++k) at[k] = random.integer(-4, 4), half[k] = 0.5 * random.integer(0, 2);
      break;
    case Spread::identical:
      at = Vec::Constant(0.1), half = Vec::Constant(0.3);
      break;
    case Spread::points:
      half.setZero();
      break;
    case Spread::far:
      at += Vec::Constant(4.5e6);
      break;
    case Spread::tiny:
      at *= 1e-41, half *= 1e-41;
      break;
    case Spread::huge:
      at *= random.integer(0, 1) == 0 ? 1e28 : 1e32, half *= 1e28;
      break;
    case Spread::unbounded:
      if (random.integer(0, 3) > 0) break;
      {
        Box box = Box::around(at, half);
        const int k = random.integer(0, N - 1);
        if (random.integer(0, 1) == 0) box.min[k] = -kInfinity;
        if (random.integer(0, 2) > 0) box.max[k] = kInfinity;
        return box;
      }
    case Spread::flat:
      half[random.integer(0, N - 1)] = 0;
      break;
  }
  if (random.integer(0, 39) == 0) return {};
  return Box::around(at, half);
}

template <int N>
graze::VecOf<N> move_of(Generator& random, const graze::AabbOf<N>& box) {
  graze::VecOf<N> move = in_cube<N>(random, random.integer(0, 1) == 0 ? 1 : 30);
  for (int k = 0; k < N; ++k) {
    if (std::isfinite(box.max[k]) && std::isfinite(box.min[k])) move[k] *= std::max(1e-41, std::abs(box.max[k]) / 10);
    if (random.integer(0, 3) == 0) move[k] = 0;
  }
  return move;
}

// A long random sequence of changes, in step with a model and a scalar list.
template <int N>
void live(BroadPhaseKind kind, Spread spread, std::uint64_t seed, int steps, std::size_t start) {
  SCOPED_TRACE(testing::Message() << N << "-D " << name_of(kind) << ", spread " << int(spread) << ", seed " << seed);
  using Box = graze::AabbOf<N>;
  Generator random(seed);
  std::vector<Box> boxes;
  Model<N> model;
  for (std::size_t i = 0; i < start; ++i) {
    boxes.push_back(box_of<N>(spread, random));
    model.boxes[static_cast<BoxId>(i)] = boxes.back();
  }
  BroadPhase<N> broad(boxes, {.kind = kind}), oracle(boxes, {.kind = BroadPhaseKind::scalar_list});
  const int every = std::max(1, steps / (start > 500 ? 2 : 8));
  for (int step = 0; step < steps; ++step) {
    const int what = random.integer(0, 9);
    const auto any = [&] {
      return std::next(model.boxes.begin(), random.integer(0, int(model.boxes.size()) - 1))->first;
    };
    if (what < 3 || model.boxes.empty()) {
      const Box box = box_of<N>(spread, random);
      const BoxId id = broad.add(box);
      ASSERT_EQ(id, oracle.add(box));
      ASSERT_TRUE(model.boxes.emplace(id, box).second);
    } else if (what < 5) {
      const BoxId id = any();
      broad.remove(id), oracle.remove(id), model.boxes.erase(id);
      ASSERT_FALSE(broad.contains(id));
    } else {
      const BoxId id = any();
      Box box = box_of<N>(spread, random);
      const Box was = model.boxes[id];
      if (what < 8 && !was.empty()) {  // a small step
        box = was;
        const auto by = in_cube<N>(random, 0.05);
        box.min += by, box.max += by;
      }
      broad.move(id, box), oracle.move(id, box), model.boxes[id] = box;
    }
    if (random.integer(0, 63) == 0) broad.update();
    if (step % every != every - 1) continue;
    ASSERT_EQ(broad.validate(), "");
    ASSERT_EQ(oracle.validate(), "");
    ASSERT_EQ(pair_difference(broad, model), "");
    for (int q = 0; q < 6; ++q) {
      Box box = box_of<N>(spread, random);
      if (!model.boxes.empty() && q % 3 == 0) {  // touches
        const Box& some = model.boxes[any()];
        if (!some.empty() && (some.max - some.min).allFinite()) box = {some.max, some.max + (some.max - some.min)};
      }
      ASSERT_EQ(difference<N>(broad, oracle, model, box, move_of<N>(random, box), random.magnitude(-3, 1)), "");
    }
  }
  ASSERT_EQ(broad.size(), model.boxes.size());
  for (const auto& [id, box] : model.boxes) ASSERT_EQ(broad.box(id), box);
  broad.update();
  ASSERT_EQ(broad.validate(), "");
  ASSERT_EQ(pair_difference(broad, model), "");
}

template <int N>
void live_all() {
  for (const BroadPhaseKind kind : kKinds) {
    for (const Spread spread : kSpreads) {
      live<N>(kind, spread, 1, scaled(150), 20);
      live<N>(kind, spread, 2, scaled(120), 0);
      live<N>(kind, spread, 3, scaled(60), 700);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(BroadPhase, EveryKindEqualsTheListInThePlane) { live_all<2>(); }
TEST(BroadPhase, EveryKindEqualsTheListInSpace) { live_all<3>(); }

TEST(BroadPhase, AnswersDoNotDependOnTheInstructionSet) {
  for (const auto target : graze::simd_targets()) {
    const graze::ForcedSimdTarget forced(target);
    SCOPED_TRACE(target);
    for (const BroadPhaseKind kind : {BroadPhaseKind::list, BroadPhaseKind::row_grid, BroadPhaseKind::aabb_tree}) {
      for (const Spread spread : {Spread::uniform, Spread::lattice, Spread::mixed, Spread::far}) {
        live<2>(kind, spread, 7, 40, 300);
        live<3>(kind, spread, 7, 40, 300);
      }
    }
  }
}

// Far from the origin of space many floats are equal: doubles decide.
TEST(BroadPhase, DecidesInDouble) {
  const double up = std::nextafter(1.0, 2.0);
  for (const BroadPhaseKind kind : kKinds) {
    SCOPED_TRACE(name_of(kind));
    std::vector<graze::Aabb2> boxes(100, {{0, 0}, {1, 1}});
    boxes[50] = {{up, 0}, {2, 1}};
    const BroadPhase<2> broad(boxes, {.kind = kind});
    std::vector<BoxId> found(100);
    EXPECT_EQ(broad.overlapping({{1, 1}, {1, 1}}, found), 99U);
    EXPECT_EQ(broad.overlapping({{up, 0}, {up, 0}}, found), 1U);
    EXPECT_EQ(found[0], 50U);
    EXPECT_EQ(broad.pairs({}), 99U * 98 / 2);
    EXPECT_EQ(broad.nearest(graze::Vec2(up, 0)).id, 50U);
  }
}

template <int N>
void expect_batches_are_single_queries() {
  Generator random(29);
  for (const BroadPhaseKind kind : kKinds) {
    for (const std::size_t size : {0U, 1U, 63U, 64U, 65U, 200U, 400U}) {
      SCOPED_TRACE(testing::Message() << name_of(kind) << " " << size);
      std::vector<graze::AabbOf<N>> boxes, queries;
      Model<N> model;
      for (std::size_t i = 0; i < size; ++i) {
        boxes.push_back(box_of<N>(i % 2 == 0 ? Spread::lattice : Spread::uniform, random));
        model.boxes[BoxId(i)] = boxes.back();
      }
      BroadPhase<N> broad(boxes, {.kind = kind});
      for (int i = 0; i < 75; ++i) queries.push_back(box_of<N>(Spread::lattice, random));
      queries[3] = {}, queries[4] = graze::AabbOf<N>::around(graze::VecOf<N>::Zero(), graze::VecOf<N>::Constant(1e9));
      queries[5] = queries[4], std::swap(queries[5].min[0], queries[5].max[0]);  // empty on one axis, large on others
      queries[6] = boxes.empty() ? queries[3] : boxes[0];                        // within boxes, but for its sides
      for (int k = 0; k < N; ++k) queries[6].min[k] = queries[6].max[k] + 1e-9;
      for (const bool unbounded : {false, true}) {
        if (unbounded) {
          graze::AabbOf<N> half = graze::AabbOf<N>::around(graze::VecOf<N>::Zero(), graze::VecOf<N>::Constant(1));
          half.max[0] = kInfinity;
          model.boxes[broad.add(half)] = half;
        }
        std::vector<std::vector<BoxId>> found(queries.size());
        std::size_t last = 0;
        broad.visit_overlapping_each(std::span<const graze::AabbOf<N>>(queries), [&](std::size_t query, BoxId id) {
          EXPECT_GE(query, last);
          found[last = query].push_back(id);
        });
        for (std::size_t i = 0; i < queries.size(); ++i) {
          std::sort(found[i].begin(), found[i].end());
          ASSERT_EQ(found[i], model.overlapping(queries[i])) << "query " << i;
        }
      }
    }
  }
}
TEST(BroadPhase, BatchesAreSingleQueriesInThePlane) { expect_batches_are_single_queries<2>(); }
TEST(BroadPhase, BatchesAreSingleQueriesInSpace) { expect_batches_are_single_queries<3>(); }

TEST(BroadPhase, NothingIsLostWhenMemoryRunsOut) {
  if (!counts_allocations()) GTEST_SKIP() << "the sanitizer owns malloc";
  Generator random(31);
  std::vector<graze::Aabb> boxes;
  for (int i = 0; i < 300; ++i) boxes.push_back(box_of<3>(Spread::clustered, random));
  for (const BroadPhaseKind kind : kKinds) {
    for (long after = 0; after < 40; ++after) {
      SCOPED_TRACE(testing::Message() << name_of(kind) << " " << after);
      const std::span<const graze::Aabb> all(boxes);
      BroadPhase<3> broad(all.first(100), {.kind = kind});
      Model<3> model;
      for (BoxId id = 0; id < 100; ++id) model.boxes[id] = boxes[id];
      start_failing_allocations(after);
      std::size_t next = 100;
      try {
        for (; next < boxes.size(); ++next) broad.add(boxes[next]);
        broad.update();
      } catch (const std::bad_alloc&) {
      }
      const bool failed = stop_failing_allocations().failed;
      // The box that was being added may or may not be present.
      for (BoxId id = 100; id < broad.id_limit(); ++id) {
        if (broad.contains(id)) model.boxes[id] = broad.box(id);
      }
      ASSERT_GE(model.boxes.size(), next);
      ASSERT_EQ(broad.validate(), "");
      ASSERT_EQ(pair_difference(broad, model), "");
      if (!failed) break;
    }
  }
}

template <int N>
void expect_two_sets_meet() {
  Generator random(5);
  for (const BroadPhaseKind kind : kKinds) {
    for (const std::size_t size : {0U, 3U, 80U}) {
      SCOPED_TRACE(testing::Message() << name_of(kind) << " " << size);
      Model<N> few, many;
      BroadPhase<N> a({.kind = kind}), b({.kind = kind});
      const auto add = [](BroadPhase<N>& to, Model<N>& beside, const graze::AabbOf<N>& box) {
        beside.boxes[to.add(box)] = box;
      };
      for (std::size_t i = 0; i < size; ++i) add(a, few, box_of<N>(Spread::uniform, random));
      for (std::size_t i = 0; i < 40; ++i) add(b, many, box_of<N>(Spread::lattice, random));
      const auto expected = few.pairs_with(many);
      std::vector<BoxPair> found(expected.size() + 1);
      found.resize(a.pairs_with(b, found));
      EXPECT_EQ(found, expected);
      EXPECT_EQ(a.any_pair_with(b), !expected.empty());
      double nearest = kInfinity;
      for (const auto& [id, box] : few.boxes) {
        if (!box.empty()) nearest = std::min(nearest, many.nearest(box));
      }
      const auto near = a.nearest(b);
      EXPECT_TRUE(close(near.distance, nearest));
      if (!expected.empty()) {
        EXPECT_EQ(near.pair, expected.front());
      }
      const auto back = b.nearest(a);
      EXPECT_EQ(back.distance, near.distance);
      EXPECT_EQ(a.nearest(b, near.distance).pair, near.pair);
    }
  }
}
TEST(BroadPhase, TwoSetsMeetInThePlane) { expect_two_sets_meet<2>(); }
TEST(BroadPhase, TwoSetsMeetInSpace) { expect_two_sets_meet<3>(); }

TEST(BroadPhase, RejectsInvalidBoxesAndChangesNothing) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const BroadPhaseKind kind : kKinds) {
    BroadPhase<3> broad(std::vector<graze::Aabb>(3, {{0, 0, 0}, {1, 1, 1}}), {.kind = kind});
    EXPECT_EQ(refusal([&] { broad.add({{0, nan, 0}, {1, 1, 1}}); }), "box 3: has a coordinate that is not a number");
    EXPECT_EQ(refusal([&] {
                broad.move(1, {{0, 0, 0}, {1, 1, nan}});
              }),
              "box 1: has a coordinate that is not a number");
    EXPECT_NE(refusal([&] { broad.add({{0, kInfinity, 0}, {1, kInfinity, 1}}); }), "");
    EXPECT_EQ(refusal([&] { broad.move(3, {}); }), "box 3: is not in the broad phase");
    EXPECT_EQ(refusal([&] { broad.remove(9); }), "box 9: is not in the broad phase");
    const std::vector<graze::Aabb> bad{{{0, 0, 0}, {1, 1, 1}}, {{nan, 0, 0}, {nan, 0, 0}}};
    EXPECT_EQ(refusal([&] { broad.assign(bad); }), "box 1: has a coordinate that is not a number");
    EXPECT_EQ(broad.size(), 3U);
    EXPECT_EQ(broad.pairs({}), 3U);
    EXPECT_EQ(broad.validate(), "");
  }
}

TEST(BroadPhase, QueriesWithNanFindEverything) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Generator random(3);
  std::vector<graze::Aabb> boxes;
  for (int i = 0; i < 300; ++i) boxes.push_back(graze::Aabb::around(random.in_cube(5), random.in_cube(1).cwiseAbs()));
  boxes.emplace_back();
  for (const BroadPhaseKind kind : kKinds) {
    SCOPED_TRACE(name_of(kind));
    const BroadPhase<3> broad(boxes, {.kind = kind});
    EXPECT_EQ(broad.overlapping({{nan, nan, nan}, {nan, nan, nan}}, {}), 300U);
    EXPECT_NE(broad.nearest(graze::Vec3(nan, nan, nan)).id, kNoBox);
    EXPECT_NE(broad.sweep({{nan, nan, nan}, {nan, nan, nan}}, {1, 0, 0}).id, kNoBox);
    EXPECT_EQ(broad.overlapping({}, {}), 0U);
    EXPECT_EQ(broad.nearest(graze::Aabb()).id, kNoBox);
  }
}

TEST(BroadPhase, NoQueryAllocates) {
  if (!counts_allocations()) GTEST_SKIP() << "the sanitizer owns malloc";
  Generator random(11);
  std::vector<graze::Aabb> boxes;
  for (int i = 0; i < 600; ++i) boxes.push_back(box_of<3>(Spread::unbounded, random));
  for (const BroadPhaseKind kind : kKinds) {
    const BroadPhase<3> broad(boxes, {.kind = kind});
    std::vector<BoxPair> pairs(broad.pairs({}));
    std::vector<BoxId> ids(boxes.size());
    EXPECT_EQ(allocations_of([&] {
                (void)broad.pairs(pairs), (void)broad.any_pair(), (void)broad.any_pair_with(broad);
                for (const graze::Aabb& box : boxes) {
                  (void)broad.overlapping(box, ids), (void)broad.nearest(box), (void)broad.sweep(box, {3, 4, 5});
                  (void)broad.raycast({0, 0, 0}, {1, 2, 3});
                }
              }),
              0)
        << name_of(kind);
  }
}

TEST(BroadPhase, VisitorsCanStop) {
  const std::vector<graze::Aabb2> boxes(600, {{0, 0}, {1, 1}});
  for (const BroadPhaseKind kind : kKinds) {
    SCOPED_TRACE(name_of(kind));
    const BroadPhase<2> broad(boxes, {.kind = kind});
    int seen = 0;
    broad.visit_overlapping({{0, 0}, {1, 1}}, [&](BoxId) { return ++seen < 5; });
    EXPECT_EQ(seen, 5);
    broad.visit_pairs([&](BoxPair) { return ++seen < 15; });
    EXPECT_EQ(seen, 15);
    broad.visit_swept({{-5, 0}, {-4, 1}}, {10, 0}, 1, [&](BoxHit) { return ++seen < 25; });
    EXPECT_EQ(seen, 25);
    broad.visit_pairs_with(broad, [&](BoxPair) { return ++seen < 35; });
    EXPECT_EQ(seen, 35);
  }
}

TEST(BroadPhase, ChangesOfSomeKindsArePendingUntilUpdate) {
  Generator random(13);
  std::vector<graze::Aabb> boxes;
  for (int i = 0; i < 400; ++i) boxes.push_back(graze::Aabb::around(random.in_cube(5), {0.1, 0.1, 0.1}));
  for (const BroadPhaseKind kind : kKinds) {
    BroadPhase<3> broad(boxes, {.kind = kind});
    EXPECT_EQ(broad.loose(), 0U);
    for (BoxId id = 0; id < 50; ++id) broad.move(id, graze::Aabb::around(random.in_cube(5), {0.1, 0.1, 0.1}));
    const bool pending = kind == BroadPhaseKind::row_grid;
    EXPECT_EQ(broad.loose(), pending ? 50U : 0U) << name_of(kind);
    broad.update();
    EXPECT_EQ(broad.loose(), 0U);
    broad.add({{0, 0, -kInfinity}, {1, 1, kInfinity}});
    broad.update();
    EXPECT_EQ(broad.loose(), 1U);  // unbounded
  }
}

TEST(BroadPhase, AutomaticChoosesByNumberAndSizes) {
  std::vector<graze::Aabb> boxes(32, {{0, 0, 0}, {1, 1, 1}});
  BroadPhase<3> broad(boxes);
  EXPECT_EQ(broad.kind(), BroadPhaseKind::list);
  for (int i = 0; i < 200; ++i) broad.add({{0.0 + i, 0, 0}, {0.5 + i, 1, 1}});
  EXPECT_EQ(broad.kind(), BroadPhaseKind::extent_masks);
  for (int i = 0; i < 2000; ++i) broad.add({{0.0 + i, 0, 0}, {0.5 + i, 1, 1}});
  EXPECT_EQ(broad.kind(), BroadPhaseKind::aabb_tree);
  EXPECT_EQ(broad.validate(), "");
  // With one far away, all others would be in one cell of a table.
  boxes.resize(200, {{0, 0, 0}, {1, 1, 1}});
  boxes[7] = {{0, 0, 1000}, {1, 1, 1001}};
  EXPECT_EQ(BroadPhase<3>(boxes).kind(), BroadPhaseKind::list);
  boxes.resize(300, {{0, 0, 0}, {1, 1, 1}});
  EXPECT_EQ(BroadPhase<3>(boxes).kind(), BroadPhaseKind::aabb_tree);
}

// Into empty slots and beyond them, out of the cells that it was built with, and back.
TEST(BroadPhase, ExtentMasksAreChangedInPlace) {
  Generator random(29);
  const auto box = [&](double reach) { return graze::Aabb2::around({random.uniform(-reach, reach), 0.3}, {0.2, 0.1}); };
  std::vector<graze::Aabb2> boxes(64);
  for (auto& b : boxes) b = box(5);
  BroadPhase<2> masks(boxes, {.kind = BroadPhaseKind::extent_masks}),
      list(boxes, {.kind = BroadPhaseKind::scalar_list});
  for (int i = 0; i < scaled(3000); ++i) {
    const auto id = static_cast<BoxId>(random.integer(0, 1200));
    const graze::Aabb2 b = random.integer(0, 50) == 0 ? graze::Aabb2() : box(i % 3 == 0 ? 500 : 5);
    if (!list.contains(id)) {
      ASSERT_EQ(masks.add(b), list.add(b));
    } else if (random.integer(0, 2) == 0) {
      masks.remove(id), list.remove(id);
    } else {
      masks.move(id, b), list.move(id, b);
    }
    ASSERT_EQ(masks.loose(), 0U);
    if (i % 50 == 0) {
      ASSERT_EQ(masks.validate(), "");
    }
    std::vector<BoxId> found(list.id_limit()), expected(list.id_limit());
    const graze::Aabb2 query = i % 7 == 0 ? graze::Aabb2::around({0, 0}, {kInfinity, 1}) : box(400);
    found.resize(masks.overlapping(query, found));
    expected.resize(list.overlapping(query, expected));
    ASSERT_EQ(found, expected);
  }
}

TEST(BroadPhase, TreesStayShallowAfterAnyRemovals) {
  Generator random(17);
  BroadPhase<2> broad({.kind = BroadPhaseKind::aabb_tree});
  std::vector<BoxId> ids;
  for (int i = 0; i < scaled(20000); ++i) {
    ids.push_back(broad.add(graze::Aabb2::around({random.uniform(0, 1), 1e-3 * i}, {1e-3, 1e-3})));
    if (ids.size() < 200) continue;
    for (int r = 0; r < 190; ++r) {
      const std::size_t at = random.bits() % ids.size();
      broad.remove(ids[at]);
      ids[at] = ids.back();
      ids.pop_back();
    }
    ASSERT_EQ(broad.validate(), "");
  }
}

template <int N>
void expect_improved() {
  using Box = graze::AabbOf<N>;
  Generator random(19);
  std::vector<Box> boxes;
  Model<N> model;
  for (int i = 0; i < 3000; ++i) {
    boxes.push_back(box_of<N>(Spread::clustered, random));
    model.boxes[BoxId(i)] = boxes.back();
  }
  MortonTree<N> tree(boxes);
  const BroadPhase<N> oracle(boxes, {.kind = BroadPhaseKind::scalar_list});
  EXPECT_EQ(tree.improve(7), 0U);  // less than any part
  const Box region = Box::around(graze::VecOf<N>::Constant(1), graze::VecOf<N>::Constant(0.3));
  std::size_t spent = tree.improve(100, region);
  EXPECT_GT(spent, 0U);
  EXPECT_LE(spent, 100U);
  for (const std::size_t budget : {100U, 1000U, 5000U}) {
    int calls = 0;
    while ((spent = tree.improve(budget)) > 0) {
      ASSERT_LE(spent, budget);
      ASSERT_EQ(tree.validate(), "");
      ASSERT_LT(++calls, 3000);
    }
    for (int q = 0; q < 20; ++q) {
      const Box box = box_of<N>(Spread::clustered, random);
      ASSERT_EQ(difference<N>(tree, oracle, model, box, move_of<N>(random, box), 0.1), "");
    }
  }
  EXPECT_EQ(pair_difference<N>(tree, model), "");
  for (BoxId id = 0; id < 3000; id += 2) tree.remove(id), model.boxes.erase(id);
  EXPECT_EQ(tree.validate(), "");
  EXPECT_EQ(pair_difference<N>(tree, model), "");
}
TEST(MortonTree, ImprovesInThePlane) { expect_improved<2>(); }
TEST(MortonTree, ImprovesInSpace) { expect_improved<3>(); }

TEST(SpatialHash, StampsSeeEachBoxOnce) {
  Generator random(23);
  std::vector<graze::Aabb> boxes;
  Model<3> model;
  for (int i = 0; i < 500; ++i) {
    boxes.push_back(box_of<3>(i % 2 == 0 ? Spread::mixed : Spread::unbounded, random));
    model.boxes[BoxId(i)] = boxes.back();
  }
  SpatialHash<3> hash(boxes);
  QueryStamps stamps;
  for (int q = 0; q < 300; ++q) {
    const graze::Aabb box = box_of<3>(q % 3 == 0 ? Spread::mixed : Spread::uniform, random);
    std::vector<BoxId> found;
    hash.visit_overlapping(box, stamps, [&](BoxId id) { found.push_back(id); });
    std::sort(found.begin(), found.end());
    ASSERT_EQ(found, model.overlapping(box));
  }
}

}  // namespace broad_phase_test
}  // namespace graze_test::broad_phase_model
