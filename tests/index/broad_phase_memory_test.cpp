// Memory runs out in a change of a broad phase: it throws, and everything is as it was.
#include <gtest/gtest.h>

#include <functional>
#include <new>

#include "broad_phase_model.h"
#include "graze/index/morton_tree.h"
#include "index/box_lanes.h"
#include "support/allocations.h"
#include "support/generator.h"
#include "support/scale.h"

namespace graze_test::broad_phase_model {
namespace broad_phase_memory_test {

template <int N>
graze::AabbOf<N> random_box(Generator& random) {
  graze::VecOf<N> at, half;
  for (int k = 0; k < N; ++k) at[k] = random.uniform(-5, 5), half[k] = random.uniform(0, 0.7);
  if (random.integer(0, 29) == 0) half *= 20;
  auto box = graze::AabbOf<N>::around(at, half);
  if (random.integer(0, 29) == 0) box.max[0] = kInfinity;
  return random.integer(0, 29) == 0 ? graze::AabbOf<N>() : box;
}

// Whether the change threw because the allocation after `after` others failed; `failed` is whether one did.
bool runs_out(long after, const std::function<void()>& change, bool& failed) {
  bool threw = false;
  start_failing_allocations(after);
  try {
    change();
  } catch (const std::bad_alloc&) {
    threw = true;
  }
  failed = stop_failing_allocations().failed;
  return threw;
}

template <int N>
struct Sets {
  BroadPhase<N> broad, oracle;
  Model<N> model;

  Sets(BroadPhaseKind kind, const std::vector<graze::AabbOf<N>>& boxes)
      : broad(boxes, {.kind = kind}), oracle(boxes, {.kind = BroadPhaseKind::scalar_list}) {
    for (BoxId id = 0; id < boxes.size(); ++id) model.boxes[id] = boxes[id];
  }
  BoxId any(Generator& random) const {
    return std::next(model.boxes.begin(), random.integer(0, static_cast<int>(model.boxes.size()) - 1))->first;
  }
  void expect_same(Generator& random) const {
    ASSERT_EQ(broad.validate(), "");
    ASSERT_EQ(broad.size(), oracle.size());
    ASSERT_EQ(broad.id_limit(), oracle.id_limit());
    for (BoxId id = 0; id < oracle.id_limit(); ++id) {
      ASSERT_EQ(broad.contains(id), oracle.contains(id));
      if (oracle.contains(id)) {
        ASSERT_EQ(broad.box(id), oracle.box(id));
      }
    }
    ASSERT_EQ(pair_difference(broad, model), "");
    for (int q = 0; q < 2; ++q) {
      const auto box = random_box<N>(random);
      ASSERT_EQ(difference<N>(broad, oracle, model, box, graze::VecOf<N>::Constant(1.5), 1), "");
    }
  }
};

// Fails each allocation of every change in turn. Failures begin at any of them, so that they also meet structures
// that were never built anew.
template <int N>
void live(BroadPhaseKind kind, std::size_t start, int steps) {
  SCOPED_TRACE(testing::Message() << N << "-D " << name_of(kind) << " from " << start);
  Generator random(start + 17);
  std::vector<graze::AabbOf<N>> boxes(start);
  for (auto& box : boxes) box = random_box<N>(random);
  Sets<N> sets(kind, boxes);
  int failures = 0;
  for (int step = 0; step < steps; ++step) {
    const int what = sets.model.boxes.empty() ? 0 : random.integer(0, 9);
    const auto box = random_box<N>(random);
    const BoxId id = what < 5 ? kNoBox : sets.any(random);
    BoxId added = kNoBox;
    const auto change = [&] {
      if (what < 5) added = sets.broad.add(box);
      else if (what < 8) sets.broad.move(id, box);
      else if (what < 9) sets.broad.remove(id);
      else sets.broad.update();
    };
    bool failed = true;
    const int begin = random.integer(-6, 6);
    for (long after = std::max(begin, 0), turn = 0; failed; after = turn++) {
      SCOPED_TRACE(testing::Message() << "step " << step << ", change " << what << ", allocation " << after);
      ASSERT_LT(turn, 200);
      const bool threw = runs_out(after, change, failed);
      ASSERT_EQ(threw, failed);
      if (!threw) break;
      ASSERT_NE(what, 8) << "removing needs memory";
      ++failures;
      sets.expect_same(random);
      if (testing::Test::HasFatalFailure()) return;
      if (random.integer(0, 2) == 0) continue;
      sets.broad.update();
    }
    if (what < 5) {
      ASSERT_EQ(added, sets.oracle.add(box));
      sets.model.boxes[added] = box;
    } else if (what < 8) {
      sets.oracle.move(id, box), sets.model.boxes[id] = box;
    } else if (what < 9) {
      sets.oracle.remove(id), sets.model.boxes.erase(id);
    }
    sets.expect_same(random);
    if (testing::Test::HasFatalFailure()) return;
  }
  EXPECT_GT(failures, 0);
}

template <int N>
void live_all() {
  if (!counts_allocations()) GTEST_SKIP() << "the sanitizer owns malloc";
  for (const BroadPhaseKind kind : kKinds) {
    live<N>(kind, 0, scaled(250));
    live<N>(kind, 90, scaled(60));
    live<N>(kind, 520, scaled(15));
    if (testing::Test::HasFatalFailure()) return;
  }
}
TEST(BroadPhaseMemory, ChangesThatThrowChangeNothingInThePlane) { live_all<2>(); }
TEST(BroadPhaseMemory, ChangesThatThrowChangeNothingInSpace) { live_all<3>(); }

// The structure is taken up again by the next change that finds memory.
TEST(BroadPhaseMemory, IsMadeAgainByTheNextChange) {
  if (!counts_allocations()) GTEST_SKIP() << "the sanitizer owns malloc";
  for (const BroadPhaseKind kind : kKinds) {
    SCOPED_TRACE(name_of(kind));
    Generator random(5);
    BroadPhase<2> broad({.kind = kind});
    bool failed = false;
    for (int i = 0; i < 200; ++i) {
      const graze::Aabb2 box = graze::Aabb2::around({random.uniform(-5, 5), random.uniform(-5, 5)}, {0.1, 0.1});
      const auto add = [&] { broad.add(box); };
      if (runs_out(3, add, failed)) add();
      if (kind != BroadPhaseKind::row_grid) {
        ASSERT_EQ(broad.loose(), 0U) << i;
      }
    }
  }
}

template <int N>
void improve_all() {
  if (!counts_allocations()) GTEST_SKIP() << "the sanitizer owns malloc";
  for (const std::size_t count : {5U, 9U, 70U, 300U}) {
    for (const std::size_t budget : {8U, 64U, 1000U}) {
      SCOPED_TRACE(testing::Message() << count << " boxes, budget " << budget);
      Generator random(count);
      std::vector<graze::AabbOf<N>> boxes(count);
      for (auto& box : boxes) box = random_box<N>(random);
      Sets<N> sets(BroadPhaseKind::morton_tree, boxes);
      graze::MortonTree<N> tree{std::span<const graze::AabbOf<N>>(boxes)};
      bool failed = true;
      for (long after = 0; failed; ++after) {
        ASSERT_EQ(runs_out(
                      after, [&] { tree.improve(budget); }, failed),
                  failed);
        ASSERT_EQ(tree.validate(), "");
        ASSERT_EQ(pair_difference<N>(tree, sets.model), "");
        for (int i = 0; i < 20 && i < static_cast<int>(sets.model.boxes.size()); ++i) {
          const BoxId id = sets.any(random);
          const auto box = random_box<N>(random);
          tree.move(id, box), sets.model.boxes[id] = box;
        }
        ASSERT_EQ(tree.validate(), "");
        ASSERT_EQ(pair_difference<N>(tree, sets.model), "");
      }
    }
  }
}
TEST(BroadPhaseMemory, ImprovingThatThrowsChangesNothing) {
  improve_all<2>();
  improve_all<3>();
}

TEST(BroadPhaseMemory, LanesKeepTheirBoxes) {
  if (!counts_allocations()) GTEST_SKIP() << "the sanitizer owns malloc";
  graze::broad::LaneStore<2> lanes;
  bool failed = false;
  for (BoxId id = 0; id < 200; ++id) {
    const auto x = static_cast<float>(id);
    const auto push = [&] { lanes.push_back({{x, -x}, {x + 1, -x + 1}}, id); };
    for (long after = 4; after >= 0; --after) {
      if (!runs_out(after, push, failed)) break;
    }
    if (failed) push();
    ASSERT_EQ(lanes.size(), id + 1U);
    for (BoxId i = 0; i <= id; ++i) {
      ASSERT_EQ(lanes.id(i), i);
      ASSERT_EQ(lanes.box(i).lo[0], static_cast<float>(i));
      ASSERT_EQ(lanes.box(i).hi[1], 1 - static_cast<float>(i));
    }
  }
}

// What replaces everything leaves the boxes that were there, or those that are new.
TEST(BroadPhaseMemory, AssigningLeavesTheOldBoxesOrTheNew) {
  if (!counts_allocations()) GTEST_SKIP() << "the sanitizer owns malloc";
  for (const BroadPhaseKind kind : kKinds) {
    SCOPED_TRACE(name_of(kind));
    Generator random(71);
    std::vector<graze::Aabb> few(30), many(150);
    for (auto& box : few) box = random_box<3>(random);
    for (auto& box : many) box = random_box<3>(random);
    bool failed = true;
    for (long after = 0; failed; ++after) {
      BroadPhase<3> broad(few, {.kind = kind});
      ASSERT_EQ(runs_out(
                    after, [&] { broad.assign(many); }, failed),
                failed);
      const Sets<3> sets(kind, broad.size() == few.size() ? few : many);
      ASSERT_EQ(broad.size(), sets.model.boxes.size());
      ASSERT_EQ(broad.validate(), "");
      ASSERT_EQ(pair_difference(broad, sets.model), "");
      broad.assign(many);
      ASSERT_EQ(broad.validate(), "");
    }
  }
}

}  // namespace broad_phase_memory_test
}  // namespace graze_test::broad_phase_model
