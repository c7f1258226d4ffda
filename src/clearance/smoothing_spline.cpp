#include "clearance/smoothing_spline.h"

#include <algorithm>
#include <array>
#include <utility>

namespace graze::clearance {

SmoothingSpline::SmoothingSpline(std::vector<double> knots, Columns data, std::vector<double> weights)
    : knots_(std::move(knots)), data_(std::move(data)), weights_(std::move(weights)) {
  fit(0);
}

void SmoothingSpline::fit(double stiffness) {
  const auto n = static_cast<Eigen::Index>(knots_.size());
  values_ = data_;
  bends_ = Columns::Zero(n, 4);
  if (n < 3) return;  // a line
  const auto width = [&](Eigen::Index i) {
    return knots_[static_cast<std::size_t>(i) + 1] - knots_[static_cast<std::size_t>(i)];
  };
  const auto looseness = [&](Eigen::Index i) { return stiffness / weights_[static_cast<std::size_t>(i)]; };
  // The column of Q for the inner knot j has these three entries, at rows j - 1, j and j + 1.
  const auto column = [&](Eigen::Index j) {
    const double before = 1 / width(j - 1), after = 1 / width(j);
    return std::array<double, 3>{before, -before - after, after};
  };

  // (R + stiffness · Qᵀ W⁻¹ Q) · bends = Qᵀ y, factored as L D Lᵀ while it is made. One row per inner knot.
  const Eigen::Index m = n - 2;
  std::vector<double> diagonal(static_cast<std::size_t>(m)), first(diagonal), second(diagonal);
  Columns right(m, 4);
  for (Eigen::Index k = 0; k < m; ++k) {
    const Eigen::Index j = k + 1;
    const std::array<double, 3> q = column(j);
    const auto at = static_cast<std::size_t>(k);
    double d = (width(j - 1) + width(j)) / 3 + q[0] * q[0] * looseness(j - 1) + q[1] * q[1] * looseness(j) +
               q[2] * q[2] * looseness(j + 1);
    double e = 0, f = 0;  // towards the next row and the one behind it
    if (k + 1 < m) {
      const std::array<double, 3> next = column(j + 1);
      e = width(j) / 6 + q[1] * next[0] * looseness(j) + q[2] * next[1] * looseness(j + 1);
    }
    if (k + 2 < m) f = q[2] * column(j + 2)[0] * looseness(j + 1);
    right.row(k) = q[0] * data_.row(j - 1) + q[1] * data_.row(j) + q[2] * data_.row(j + 1);
    if (k >= 1) {
      const double pull = first[at - 1];
      d -= pull * pull * diagonal[at - 1];
      if (k + 1 < m) e -= pull * second[at - 1] * diagonal[at - 1];
      right.row(k) -= pull * right.row(k - 1);
    }
    if (k >= 2) {
      const double pull = second[at - 2];
      d -= pull * pull * diagonal[at - 2];
      right.row(k) -= pull * right.row(k - 2);
    }
    diagonal[at] = d;
    first[at] = e / d;
    second[at] = f / d;
  }
  for (Eigen::Index k = m; k-- > 0;) {
    const auto at = static_cast<std::size_t>(k);
    right.row(k) /= diagonal[at];
    if (k + 1 < m) right.row(k) -= first[at] * right.row(k + 1);
    if (k + 2 < m) right.row(k) -= second[at] * right.row(k + 2);
  }
  bends_.middleRows(1, m) = right;
  if (stiffness == 0) return;
  for (Eigen::Index k = 0; k < m; ++k) {
    const std::array<double, 3> q = column(k + 1);
    for (Eigen::Index r = 0; r < 3; ++r) {
      values_.row(k + r) -= looseness(k + r) * q[static_cast<std::size_t>(r)] * right.row(k);
    }
  }
}

SmoothingSpline::Row SmoothingSpline::at(std::size_t i, double fraction) const {
  if (i + 1 >= size() || fraction <= 0) return at_knot(i);
  if (fraction >= 1) return at_knot(i + 1);
  const auto k = static_cast<Eigen::Index>(i);
  const double h = knots_[i + 1] - knots_[i], rest = 1 - fraction;
  const double bend = h * h / 6 * fraction * rest;
  return rest * values_.row(k) + fraction * values_.row(k + 1) -
         bend * ((1 + rest) * bends_.row(k) + (1 + fraction) * bends_.row(k + 1));
}

double SmoothingSpline::speed_bound(std::size_t i) const {
  const auto k = static_cast<Eigen::Index>(i);
  const double h = knots_[i + 1] - knots_[i];
  const Row chord = values_.row(k + 1) - values_.row(k);
  // The legs of the Bézier polygon, times three: the derivative is a mean of them.
  const Row begin = chord - h * h / 6 * (2 * bends_.row(k) + bends_.row(k + 1));
  const Row end = chord + h * h / 6 * (bends_.row(k) + 2 * bends_.row(k + 1));
  const Row middle = 3 * chord - begin - end;
  return std::max({begin.head<3>().norm(), middle.head<3>().norm(), end.head<3>().norm()});
}

}  // namespace graze::clearance
