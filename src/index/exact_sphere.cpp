#include "index/exact_sphere.h"

#include <cstddef>

#include "base/two_sum.h"

namespace graze {
namespace {

// A sum of doubles kept without rounding as a nonoverlapping expansion (Shewchuk, "Adaptive precision floating-point
// arithmetic", grow-expansion), smallest first.
class Expansion {
 public:
  void add(double term) {
    for (std::size_t i = 0; i < size_; ++i) {
      const DoubleDouble s = two_sum(term, terms_[i]);
      terms_[i] = s.error;
      term = s.sum;
    }
    terms_[size_++] = term;
  }
  void add_product(double a, double b, double sign) {
    const DoubleDouble product = two_product(a, b);
    add(sign * product.sum);
    add(sign * product.error);
  }
  // (a + b)² for an unrounded sum a + b.
  void add_square(const DoubleDouble& s, double sign) {
    add_product(s.sum, s.sum, sign);
    add_product(2 * s.sum, s.error, sign);
    add_product(s.error, s.error, sign);
  }
  // The last term that is not zero outweighs all before it.
  bool positive() const {
    for (std::size_t i = size_; i > 0; --i) {
      if (terms_[i - 1] != 0) return terms_[i - 1] > 0;
    }
    return false;
  }

 private:
  std::array<double, 24> terms_{};  // four squares of six terms
  std::size_t size_ = 0;
};

}  // namespace

bool touches(const std::array<float, 3>& point, const double* center, double radius, double point_radius) {
  const double squared = squared_distance(point, center);
  const double reach = radius + point_radius;
  // Either side is off by less than six roundings of itself.
  constexpr double kUndecided = 16 * 0x1p-53;
  if (squared * (1 - kUndecided) > reach * reach) return false;
  if (squared < reach * reach * (1 - kUndecided)) return true;
  Expansion difference;
  for (std::size_t axis = 0; axis < 3; ++axis) difference.add_square(two_sum(point[axis], -center[axis]), 1);
  difference.add_square(two_sum(radius, point_radius), -1);
  return !difference.positive();
}

}  // namespace graze
