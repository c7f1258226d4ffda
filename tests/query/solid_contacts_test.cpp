// Contacts of solids that touch or overlap: unions of boxes with integer corners, where the neighbouring cells decide
// exactly about every contact.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "graze/graze.h"
#include "oracle/cases.h"
#include "support/scale.h"
#include "support/solids.h"

namespace graze_test {
namespace lattice_contacts {

using graze::Contact;
using graze::Mesh;
using graze::Placed;
using graze::Pose;
using graze::Vec3;
using graze_oracle::Random;

constexpr double kClose = 1e-9;     // metres
constexpr double kStraight = 1e-5;  // of normals

struct Cells {
  std::vector<std::array<std::array<int, 2>, 3>> boxes;  // low and high corner along every axis

  /// Whether the cell next to p in this direction is part of it. `by` is added to its coordinates.
  bool holds(const Vec3& p, const Vec3& by) const {
    constexpr double kBeside = 1e-5;
    return std::any_of(boxes.begin(), boxes.end(), [&](const auto& box) {
      for (int k = 0; k < 3; ++k) {
        const double x = p[k] + kBeside * by[k];
        if (x < box[static_cast<std::size_t>(k)][0] || x > box[static_cast<std::size_t>(k)][1]) return false;
      }
      return true;
    });
  }
  Soup soup(int fine) const {
    Soup all;
    for (const auto& box : boxes)
      all.add(box_soup({double(box[0][0]), double(box[1][0]), double(box[2][0])},
                       {double(box[0][1]), double(box[1][1]), double(box[2][1])}, fine));
    return all;
  }
};

Cells random_cells(Random& random, int count) {
  Cells c;
  for (int i = 0; i < count; ++i) {
    std::array<std::array<int, 2>, 3> box{};
    for (auto& side : box) side[0] = random.integer(0, 4), side[1] = side[0] + random.integer(1, 3);
    c.boxes.push_back(box);
  }
  return c;
}

// Whether anything overlaps or touches after b has moved by that many quarters.
void compare(const Cells& a, const Cells& b, const std::array<int, 3>& by, bool& overlap, bool& touch) {
  overlap = touch = false;
  for (const auto& x : a.boxes) {
    for (const auto& y : b.boxes) {
      int smallest = 1;
      for (std::size_t k = 0; k < 3; ++k)
        smallest =
            std::min(smallest, std::min(4 * x[k][1], 4 * y[k][1] + by[k]) - std::max(4 * x[k][0], 4 * y[k][0] + by[k]));
      if (smallest > 0) overlap = true;
      if (smallest == 0) touch = true;
    }
  }
}

Vec3 corner(int k) { return {(k & 1) != 0 ? 1.0 : -1.0, (k & 2) != 0 ? 1.0 : -1.0, (k & 4) != 0 ? 1.0 : -1.0}; }

// Whether a contact at p may have the normal n where a and b only touch: from a cell of a about p to one of b that it
// shares a face, an edge or a corner with, n lies between the axes of the steps there. Cells that share less count only
// if none beside them shares more.
bool normal_is_right(const Cells& a, const Cells& b, const Vec3& p, const Vec3& b_at, const Vec3& n) {
  const auto in_a = [&](int i) { return a.holds(p, corner(i)); };
  const auto in_b = [&](int i) { return b.holds(p - b_at, corner(i)); };
  for (int i = 0; i < 8; ++i) {
    for (int j = 0; j < 8; ++j) {
      if (i == j || !in_a(i) || !in_b(j)) continue;
      const int steps = i ^ j;
      bool closest = true, between = true;
      for (int k = 0; k < 3; ++k) {
        const int step = steps & (1 << k);
        if (step != 0 && step != steps) closest = closest && !in_a(i ^ step) && !in_b(j ^ step);
        between =
            between && (step == 0 ? std::abs(n[k]) <= kStraight : (corner(j) - corner(i))[k] * n[k] >= -kStraight);
      }
      if (closest && between) return true;
    }
  }
  return false;
}

// Whether n, along an axis, leads out of a face at p; `side` is 1 where the body is behind, -1 where it is ahead.
bool is_face(const Cells& body, const Vec3& p, const Vec3& n, double side) {
  for (int i = 0; i < 8; ++i) {
    const Vec3 in = corner(i);
    if (side * in.dot(n) > 0) continue;
    if (body.holds(p, in) && !body.holds(p, in - 2 * in.dot(n) * n)) return true;
  }
  return false;
}

// Which of the cells around p belong to a (a) and b (b), for messages.
std::string cells_about(const Cells& a, const Cells& b, const Vec3& p, const Vec3& b_at) {
  std::string text;
  for (int i = 0; i < 8; ++i) {
    const bool in_a = a.holds(p, corner(i)), in_b = b.holds(p - b_at, corner(i));
    text += in_a && in_b ? '#' : in_a ? 'a' : in_b ? 'b' : '.';
  }
  return text;
}

bool along_axis(const Vec3& n) { return n.cwiseAbs().maxCoeff() >= 1 - kStraight; }
Vec3 rounded(const Vec3& n) { return {std::round(n.x()), std::round(n.y()), std::round(n.z())}; }

struct Case {
  Cells a, b;
  Vec3 b_at;
  Pose frame;
  Placed pa, pb;
  Vec3 local(const Vec3& p) const { return frame.rotation().transpose() * (p - frame.translation()); }
};

Case placed(const Cells& a, const Cells& b, const Vec3& b_at, int how, Random& random) {
  Pose frame;
  if (how % 4 == 3) {
    const auto q = random.rotation();
    frame = Pose::from_wxyz({random.uniform(-9, 9), 0.5, -7}, q[0], q[1], q[2], q[3]);
  }
  const Vec3 there = frame.rotation() * b_at + frame.translation();
  return {a,
          b,
          b_at,
          frame,
          at(a.soup(1 + how % 2).mesh(true), frame),
          at(b.soup(1 + how / 2 % 2).mesh(true), frame.moved_to(there))};
}

// Every contact lies on both, with a normal from one cell to another that it touches.
void check_touching(const Case& c) {
  std::vector<Contact> buffer(4096);
  const auto found = contacts(c.pa, c.pb, std::span<Contact>(buffer), {.max = buffer.size()});
  EXPECT_FALSE(found.empty());
  for (const Contact& contact : found) {
    Vec3 p = c.local(contact.point);
    const Vec3 n = c.frame.rotation().transpose() * contact.normal;
    EXPECT_NEAR(contact.depth, 0, kClose);
    for (int k = 0; k < 3; ++k) {
      if (std::abs(p[k] - std::round(p[k])) < kClose) p[k] = std::round(p[k]);
    }
    EXPECT_TRUE(normal_is_right(c.a, c.b, p, c.b_at, n))
        << "at " << p.transpose() << " along " << n.transpose() << " of " << cells_about(c.a, c.b, p, c.b_at);
  }
  // All the faces that the two have in common, and nothing else, are spanned by the contacts along their normals.
  bool has_face[3][2] = {};
  for (int k = 0; k < 3; ++k) {
    for (const int sign : {1, -1}) {
      graze::Aabb common, reported;
      for (const auto& x : c.a.boxes) {
        for (const auto& y : c.b.boxes) {
          const auto axis = static_cast<std::size_t>(k);
          const int move = static_cast<int>(c.b_at[k]);
          const int level = sign > 0 ? x[axis][1] : x[axis][0];
          if (level != (sign > 0 ? y[axis][0] : y[axis][1]) + move) continue;
          Vec3 low, high;
          low[k] = high[k] = level;
          for (std::size_t j = 0; j < 3; ++j) {
            const auto e = static_cast<Eigen::Index>(j);
            if (j == axis) continue;
            low[e] = std::max(x[j][0], y[j][0] + static_cast<int>(c.b_at[e]));
            high[e] = std::min(x[j][1], y[j][1] + static_cast<int>(c.b_at[e]));
          }
          const int u = (k + 1) % 3, v = (k + 2) % 3;
          if (!(low[u] < high[u]) || !(low[v] < high[v])) continue;
          common.extend(low), common.extend(high);
        }
      }
      has_face[k][sign > 0 ? 0 : 1] = !common.empty();
      for (const Contact& contact : found) {
        if (sign * (c.frame.rotation().transpose() * contact.normal)[k] > 1 - kStraight)
          reported.extend(c.local(contact.point));
      }
      if (common.empty()) continue;
      ASSERT_FALSE(reported.empty()) << "axis " << k << " sign " << sign;
      for (int j = 0; j < 3; ++j) {
        EXPECT_LE(reported.min[j], common.min[j] + kClose);
        EXPECT_GE(reported.max[j], common.max[j] - kClose);
      }
    }
  }
  // If some translation leads away from all common faces, that of the distance does.
  if ((has_face[0][0] && has_face[0][1]) || (has_face[1][0] && has_face[1][1]) || (has_face[2][0] && has_face[2][1]))
    return;
  const graze::Distance d = distance(c.pa, c.pb);
  const graze::Penetration pen = penetration(c.pa, c.pb);
  EXPECT_NEAR(d.value, 0, kClose);
  EXPECT_TRUE(pen.overlapping);
  for (const Vec3& world : {d.normal, pen.direction}) {
    const Vec3 n = c.frame.rotation().transpose() * world;
    for (int k = 0; k < 3; ++k) {
      const double away = has_face[k][0] ? n[k] : has_face[k][1] ? -n[k] : 1;
      EXPECT_GT(away, 1e-3) << n.transpose();
    }
  }
}

TEST(SolidContacts, OfLatticeSolidsThatTouchAreAcrossWhatTheyShare) {
  Random random(1201);
  int cases = 0;
  for (int i = 0; cases < scaled(400) && !testing::Test::HasFailure(); ++i) {
    const Cells a = random_cells(random, random.integer(1, 3)), b = random_cells(random, random.integer(1, 3));
    const std::array<int, 3> by{random.integer(-8, 8), random.integer(-8, 8), random.integer(-8, 8)};
    bool overlap = false, touch = false;
    compare(a, b, {4 * by[0], 4 * by[1], 4 * by[2]}, overlap, touch);
    if (overlap || !touch) continue;
    SCOPED_TRACE(testing::Message() << "case " << i);
    check_touching(placed(a, b, {double(by[0]), double(by[1]), double(by[2])}, cases++, random));
  }
}

// Once b has moved by the depth along the normal, the contact is on a face of both; or the two touch there.
void check_overlapping(const Case& c) {
  std::vector<Contact> buffer(4096);
  const auto found = contacts(c.pa, c.pb, std::span<Contact>(buffer), {.max = buffer.size()});
  const graze::Distance d = distance(c.pa, c.pb);
  ASSERT_FALSE(found.empty());
  EXPECT_NEAR(found.front().depth, -d.value, kClose);
  for (const Contact& contact : found) {
    const Vec3 n = c.frame.rotation().transpose() * contact.normal;
    Vec3 p = c.local(contact.point + contact.depth / 2 * contact.normal);
    for (int k = 0; k < 3; ++k) {
      if (std::abs(4 * p[k] - std::round(4 * p[k])) < 1e-7) p[k] = std::round(4 * p[k]) / 4;
    }
    EXPECT_GE(contact.depth, -kClose);
    EXPECT_LE(contact.depth, -d.value + kClose);
    const Vec3 b_at = c.b_at + contact.depth * n;
    // The contact of the separating translation, which may lead out of a corner.
    if (contact.depth > -d.value - kClose && (contact.normal - d.normal).norm() < kClose) continue;
    if (along_axis(n) && is_face(c.a, p, rounded(n), 1) && is_face(c.b, p - b_at, rounded(n), -1)) continue;
    EXPECT_TRUE(normal_is_right(c.a, c.b, p, b_at, n))
        << "at " << p.transpose() << " along " << n.transpose() << " by " << contact.depth << " of " << -d.value
        << " of " << cells_about(c.a, c.b, p, b_at);
  }
}

TEST(SolidContacts, OfLatticeSolidsThatOverlapAreAcrossTheirFaces) {
  Random random(1202);
  int cases = 0;
  for (int i = 0; cases < scaled(300) && !testing::Test::HasFailure(); ++i) {
    const Cells a = random_cells(random, random.integer(1, 3)), b = random_cells(random, random.integer(1, 3));
    const std::array<int, 3> by{random.integer(-20, 20), random.integer(-20, 20), random.integer(-20, 20)};
    bool overlap = false, touch = false;
    compare(a, b, by, overlap, touch);
    if (!overlap) continue;
    const Case c = placed(a, b, {by[0] / 4.0, by[1] / 4.0, by[2] / 4.0}, cases, random);
    SCOPED_TRACE(testing::Message() << "case " << i);
    ++cases;
    check_overlapping(c);
  }
}

}  // namespace lattice_contacts
}  // namespace graze_test
