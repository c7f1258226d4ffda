// Several threads find what one finds alone: the same contacts in the same order, to the bit.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "graze/graze.h"
#include "oracle/cases.h"
#include "support/meshes.h"
#include "support/scale.h"

namespace graze_test {
namespace mesh_threads_test {

using graze::Contact;
using graze::FoldedPair;
using graze::Mesh;
using graze::Placed;
using graze::Pose;
using graze::Vec3;
using graze_oracle::Random;

bool same_bits(std::span<const Contact> x, std::span<const Contact> y) {
  return x.size() == y.size() && (x.empty() || std::memcmp(x.data(), y.data(), x.size_bytes()) == 0);
}

TEST(ConcurrentMeshes, HaveTheSameContactsForAnyNumberOfThreads) {
  static_assert(sizeof(Contact) == 7 * sizeof(double) + 2 * sizeof(graze::Feature), "no gaps between the numbers");
  Random random(1);
  std::size_t largest = 0, none = 0;
  for (int i = 0, n = std::max(scaled(10), 9); i < n && !HasFailure(); ++i) {
    const Look look = kLooks[static_cast<std::size_t>(i) % std::size(kLooks)];
    const Mesh a = i % 2 == 0 ? closed(4 + i % 12, true, 0.2).mesh(i % 4 == 0) : random_soup(look, 80, random).mesh();
    const Mesh b = i % 5 == 4 ? a : i % 2 == 0 ? closed(9, true, 0.1).mesh() : random_soup(look, 60, random).mesh();
    const Pose pose = i % 6 == 5 ? Pose() : random_pose_near(random, Vec3::Zero(), i % 7 == 0 ? 3 : 0.3);
    const Placed x = at(a, i % 3 == 0 ? Pose() : pose), y = at(b, i % 3 == 0 ? pose : pose * Pose::at({0, 0, 0.01}));
    // All of them, too many for the buffer, and a few that are spread.
    for (const std::size_t max : {50000U, 300U, 20U}) {
      std::vector<Contact> alone(max), together(max);
      for (const double margin : {0.0, 0.02}) {
        const auto expected = contacts(x, y, alone, {.max = max, .margin = margin});
        largest = std::max(largest, expected.size()), none += expected.empty() ? 1 : 0;
        for (const int threads : {2, 8, 0}) {
          const auto found = contacts(x, y, together, {.max = max, .margin = margin, .threads = threads});
          EXPECT_TRUE(same_bits(expected, found)) << "scene " << i << ", at most " << max << ", " << threads
                                                  << " threads: " << found.size() << " not " << expected.size();
        }
      }
    }
  }
  EXPECT_GT(largest, 1000u);
  EXPECT_GT(none, 0u);
  std::vector<Contact> buffer(10);
  EXPECT_TRUE(contacts(at(Mesh()), at(closed(2, true).mesh()), buffer, {.threads = 2}).empty());
}

TEST(ConcurrentMeshes, HaveTheSameSelfCollisionsForAnyNumberOfThreads) {
  Random random(2);
  std::size_t largest = 0;
  for (int i = 0, n = std::max(scaled(20), 5); i < n && !HasFailure(); ++i) {
    const Look look = kLooks[static_cast<std::size_t>(i) % std::size(kLooks)];
    const Mesh mesh = i % 7 == 6 ? closed(10, true, 0.2).mesh() : random_soup(look, 40 + 20 * i, random).mesh();
    for (const std::size_t room : {100000U, 7U, 0U}) {
      std::vector<FoldedPair> alone(room), together(room);
      const std::size_t expected = self_collisions(mesh, alone);
      largest = std::max(largest, expected);
      EXPECT_EQ(self_collide(mesh), expected > 0);
      for (const int threads : {2, 5, 0}) {
        EXPECT_EQ(self_collisions(mesh, together, {.threads = threads}), expected);
        EXPECT_EQ(alone, together) << "mesh " << i << ", room for " << room << ", " << threads << " threads";
      }
    }
  }
  EXPECT_GT(largest, 100u);
  EXPECT_EQ(self_collisions(Mesh(), {}, {.threads = 2}), 0u);
}

}  // namespace mesh_threads_test
}  // namespace graze_test
