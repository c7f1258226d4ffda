// Broad phases of every small number of boxes, and of many pairs.
#include <gtest/gtest.h>

#include <limits>

#include "broad_phase_model.h"
#include "graze/base/simd.h"
#include "graze/index/broad_phase.h"
#include "support/generator.h"
#include "support/refusal.h"

namespace graze_test::broad_phase_model {
namespace broad_phase_count_test {

// Vectors have ends: every number of boxes, and every place in it of a box that is not like the others.
template <int N>
void expect_every_count() {
  using Box = graze::AabbOf<N>;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Generator random(37);
  for (const auto target : graze::simd_targets()) {
    const graze::ForcedSimdTarget forced(target);
    for (const BroadPhaseKind kind : {BroadPhaseKind::row_grid, BroadPhaseKind::morton_tree}) {
      for (std::size_t count = 0; count < 140; count += count < 70 ? 1 : 23) {
        SCOPED_TRACE(testing::Message() << target << " " << name_of(kind) << " " << count);
        std::vector<Box> boxes;
        Model<N> model;
        for (std::size_t i = 0; i < count; ++i) {
          graze::VecOf<N> at, half;
          for (int k = 0; k < N; ++k) at[k] = random.uniform(-2, 2), half[k] = random.uniform(0, 0.6);
          boxes.push_back(Box::around(at, half));
          model.boxes[BoxId(i)] = boxes.back();
        }
        BroadPhase<N> broad(boxes, {.kind = kind});
        ASSERT_EQ(broad.validate(), "");
        ASSERT_EQ(pair_difference(broad, model), "");
        for (std::size_t i = 0; i < count; ++i) {
          const Box was = boxes[i];
          const int k = random.integer(0, N - 1);
          boxes[i].max[k] = nan;
          ASSERT_EQ(refusal([&] { broad.assign(boxes); }),
                    "box " + std::to_string(i) + ": has a coordinate that is not a number");
          boxes[i] = was, boxes[i].min[k] = nan;
          ASSERT_NE(refusal([&] { broad.assign(boxes); }), "");
          boxes[i] = was, boxes[i].max[k] = random.integer(0, 1) == 0 ? kInfinity : 1e31;
          broad.assign(boxes);
          ASSERT_EQ(broad.loose(), 1U);
          boxes[i] = was, boxes[i].min[k] = -1e31;
          broad.assign(boxes);
          ASSERT_EQ(broad.loose(), 1U);
          boxes[i] = was, std::swap(boxes[i].min[k], boxes[i].max[k]);
          broad.assign(boxes);
          ASSERT_EQ(broad.loose(), 0U);
          ASSERT_EQ(broad.validate(), "");
          boxes[i] = was;
        }
      }
    }
  }
}
TEST(BroadPhase, TakesEveryNumberOfBoxesInThePlane) { expect_every_count<2>(); }
TEST(BroadPhase, TakesEveryNumberOfBoxesInSpace) { expect_every_count<3>(); }

// More pairs than are handed on together, all of them where floats are equal.
TEST(BroadPhase, FindsManyBoxesThatTouch) {
  const double up = std::nextafter(0.1, 1.0);
  for (const BroadPhaseKind kind : kKinds) {
    SCOPED_TRACE(name_of(kind));
    std::vector<graze::Aabb> boxes(300, {{0.1, 0.1, 0.1}, {0.1, 0.1, 0.1}});
    for (std::size_t i = 0; i < 100; ++i) boxes[3 * i] = {{up, 0.1, 0.1}, {up, 0.1, 0.1}};
    const BroadPhase<3> broad(boxes, {.kind = kind});
    EXPECT_EQ(broad.pairs({}), 100U * 99 / 2 + 200U * 199 / 2);
  }
}

}  // namespace broad_phase_count_test
}  // namespace graze_test::broad_phase_model
