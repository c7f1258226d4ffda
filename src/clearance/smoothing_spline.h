// The cubic smoothing spline: trades closeness to its data for smoothness, by a given amount.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <vector>

namespace graze::clearance {

/// Natural cubic splines over the same knots, one per column of the data: those f that minimise
/// sum of weight (y - f)² + stiffness · integral of f''². Stiffness 0 gives the splines through the data.
/// After Reinsch (1967): a linear system with five diagonals, O(n).
class SmoothingSpline {
 public:
  using Columns = Eigen::Matrix<double, Eigen::Dynamic, 4>;
  using Row = Eigen::Matrix<double, 1, 4>;

  /// Knots must increase, at least one; a row of `data` and a positive weight for each.
  SmoothingSpline(std::vector<double> knots, Columns data, std::vector<double> weights);

  void fit(double stiffness);

  std::size_t size() const { return knots_.size(); }
  /// The curve at a knot; exactly the data after fit(0).
  Row at_knot(std::size_t i) const { return values_.row(static_cast<Eigen::Index>(i)); }
  /// The curve between knot i and the next.
  Row at(std::size_t i, double fraction) const;
  /// No part of the curve between knot i and the next runs faster than this: distance of the first three columns per
  /// fraction.
  double speed_bound(std::size_t i) const;

 private:
  std::vector<double> knots_;
  Columns data_, values_, bends_;  // bends_: second derivatives at the knots
  std::vector<double> weights_;
};

}  // namespace graze::clearance
