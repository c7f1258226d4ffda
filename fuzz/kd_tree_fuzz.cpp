// Bytes → points, as floats or doubles, and a volume of any kind → every kind of result. Nothing may crash, the tree
// must keep its invariants, and every answer must be that of a loop.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "fuzz/fuzz.h"
#include "graze/base/error.h"
#include "index/kd_tree_oracle.h"

namespace {

using graze::Pose;
using graze::Vec3;
using graze_test::Question;
namespace region = graze::region;

class Choices : public graze_fuzz::Bytes {
 public:
  using Bytes::Bytes;
  // Mostly small lattice numbers, which meet each other exactly; also any bits at all, specials included.
  double number() {
    const std::uint8_t how = byte();
    if (how < 200) return small() / 8.0;
    if (how < 230) return small() * std::ldexp(1.0, small());
    return any_double();
  }
  Vec3 vector() {
    const double x = number(), y = number();
    return {x, y, number()};
  }
};

Question question_from(Choices& bytes) {
  Question q;
  const std::uint8_t kind = bytes.byte();
  q.to_axis = kind >= 128;
  const Vec3 a = bytes.vector(), b = bytes.vector();
  const double r = bytes.number();
  switch (kind % 8) {
    case 0:
      q.volume = region::Ball(a, r);
      break;
    case 1:
      q.volume = region::Line(a, b, r);
      break;
    case 2:
      q.volume = region::Ray(a, b, r);
      break;
    case 3:
      q.volume = region::Segment(a, b, r);
      break;
    case 4:
      q.volume = region::Box(a.cwiseMin(b), a.cwiseMax(b));
      break;
    case 5: {
      const double w = bytes.number(), x = bytes.number(), y = bytes.number();
      q.volume = region::OrientedBox(b.cwiseAbs(), Pose::from_wxyz(a, w, x, y, r));
      break;
    }
    case 6:
      q.volume = region::Cylinder(a, b, r);
      break;
    default:
      for (int i = bytes.byte() % 8; i > 0; --i) {
        const Vec3 normal = bytes.vector();
        q.sides.push_back({normal, bytes.number()});
      }
      q.volume = region::Polytope(q.sides, a);
  }
  q.to_axis = q.to_axis && graze::has_axis(q.volume);
  return q;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Choices bytes(data, size);
  try {
    const Question q = question_from(bytes);
    const bool as_float = bytes.byte() % 2 == 0;
    const std::size_t repeats = bytes.byte() % 32 + 1U;  // so that few bytes make several leaves
    std::vector<Vec3> points;
    std::vector<float> floats;
    while (bytes.left() > 0 && points.size() < 4000) {
      Vec3 p = bytes.vector();
      for (std::size_t i = 0; i < repeats; ++i) {
        if (as_float) {
          for (double& x : p) {
            x = std::abs(x) > 3e38 && std::isfinite(x) ? 0 : x;
            floats.push_back(static_cast<float>(x));
            x = static_cast<double>(floats.back());
          }
        }
        points.push_back(p);
        p = 0.5 * p + Vec3(0.5, 0, -0.25);
      }
    }
    const graze::KdTree tree = as_float ? graze::KdTree(graze::PointView(floats)) : graze::KdTree(points);
    std::string flaw = tree.validate();
    if (flaw.empty()) flaw = difference(tree, graze_test::SearchOracle(points), q);
    if (!flaw.empty()) {
      std::fprintf(stderr, "volume %zu, %zu points: %s\n", q.volume.index(), points.size(), flaw.c_str());
      std::abort();
    }
  } catch (const graze::Error&) {  // rejected by the volume or the tree
  }
  return 0;
}
