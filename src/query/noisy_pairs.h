// The pairs of points of two noisy clouds that may meet, found by their trees.
#pragma once

#include <algorithm>
#include <vector>

#include "query/cloud_tree.h"
#include "query/coverage.h"
#include "query/pair_probability.h"

namespace graze {

/// How two clouds are compared: b stands at `relative` in a's frame.
struct NoisyMeeting {
  const Relative& relative;
  double sigma;   ///< metres, > 0: of the difference of two points, along each axis
  double radius;  ///< metres: the sum of the clouds'
  bool sides;
  double slack;  ///< metres: what placing any point may be wrong by

  NoisyPair pair(const Ball& a, const Ball& b) const {
    const Vec3 difference = minus(relative.to_a(b.center), a.center);
    // What placing the points may be wrong by is added on the side of safety.
    const double error = placing_error(b, relative) + 2 * kEpsilon * size_of(a.center);
    const double distance = difference.norm();
    NoisyPair pair{};
    const double reach = (radius + error) / sigma;
    if (sides) {
      pair.toward = distance > 0 ? Vec3(difference / distance) : Vec3(Vec3::UnitX());
      pair.reach = (radius + error - distance) / sigma;
      pair.probability = upper_tail(-pair.reach);
    } else {
      pair.toward = difference / sigma;
      pair.reach = reach;
      pair.probability = ball_probability(distance / sigma, reach);
    }
    return pair;
  }
  /// How many standard deviations are at least between any two balls in these boxes.
  double bound(const Aabb& a, const Aabb& b) const {
    return std::max(0.0, gap(a, relative.box_to_a(b)) - slack) / sigma;
  }
  /// The most that the probability of a pair can be whose balls are that far apart.
  double most(double bound) const {
    const double reach = (radius + slack) / sigma;
    return sides ? upper_tail(bound - slack / sigma) : ball_probability(bound + radius / sigma, reach);
  }
};

/// Those pairs that are nearer to touching than `limit` standard deviations, up to a number of them.
class NoisyPairSearch {
 public:
  static constexpr std::size_t kMostPairs = std::size_t{1} << 20U;  // that are kept
  static constexpr std::size_t kMostSeen = std::size_t{8'000'000};  // that are looked at

  NoisyPairSearch(const CloudTree& a, const CloudTree& b, const NoisyMeeting& meeting, std::vector<NoisyPair>& kept)
      : a_(a), b_(b), meeting_(meeting), kept_(kept) {}

  /// Starts anew.
  void run(double limit) {
    kept_.clear();
    limit_ = limit;
    least_ = meeting_.most(limit);
    sum_ = left_out_ = most_ = 0;
    seen_ = 0;
    overflow_ = given_up_ = false;
    visit(a_.root(), b_.root(), meeting_.bound(a_.bounds(a_.root()), b_.bounds(b_.root())));
  }

  /// Of very many kept pairs, gives up the least likely, as many as are no likelier than `little` in sum.
  void trim(double little) {
    constexpr std::size_t kFew = 4096;
    if (kept_.size() <= kFew) return;
    std::sort(kept_.begin(), kept_.end(), [](const NoisyPair& x, const NoisyPair& y) {
      if (x.probability != y.probability) return x.probability > y.probability;
      return x.i != y.i ? x.i < y.i : x.j < y.j;
    });
    for (double given = 0; !kept_.empty(); kept_.pop_back()) {
      given += kept_.back().probability;
      if (given > little) return;
      left_out_ += kept_.back().probability;
    }
  }

  /// Of the probabilities of all pairs within the limit, the kept ones or not.
  double sum() const { return sum_; }
  /// No less than that of all that were not kept.
  double left_out() const { return given_up_ ? kInfinity : left_out_; }
  double most() const { return most_; }
  /// Some were not kept.
  bool overflow() const { return overflow_ || given_up_; }

 private:
  using Node = CloudTree::Node;

  // Depth first; the trees are no deeper than kMaxDepth.
  void visit(Node a, Node b, double bound) {
    if (given_up_) return;
    if (bound > limit_) {
      left_out_ += static_cast<double>(a_.points(a)) * static_cast<double>(b_.points(b)) * meeting_.most(bound);
      return;
    }
    const bool leaf_a = a_.is_leaf(a), leaf_b = b_.is_leaf(b);
    if (leaf_a && leaf_b) return leaves(a, b);
    const Aabb box_a = a_.bounds(a), box_b = b_.bounds(b);
    if (leaf_b || (!leaf_a && (box_a.max - box_a.min).squaredNorm() >= (box_b.max - box_b.min).squaredNorm())) {
      for (std::size_t i = 0, n = a_.children(a); i < n; ++i) {
        const Node child = a_.child(a, i);
        visit(child, b, meeting_.bound(a_.bounds(child), box_b));
      }
    } else {
      for (std::size_t i = 0, n = b_.children(b); i < n; ++i) {
        const Node child = b_.child(b, i);
        visit(a, child, meeting_.bound(box_a, b_.bounds(child)));
      }
    }
  }

  void leaves(Node a, Node b) {
    for (std::size_t i = a_.first(a), end_a = a_.last(a); i < end_a; ++i) {
      for (std::size_t j = b_.first(b), end_b = b_.last(b); j < end_b; ++j) {
        NoisyPair pair = meeting_.pair(a_.primitive(i), b_.primitive(j));
        if (!(pair.probability > 0)) continue;
        if (pair.probability < least_) {
          left_out_ += pair.probability;
          continue;
        }
        sum_ += pair.probability;
        most_ = std::max(most_, pair.probability);
        pair.i = static_cast<std::uint32_t>(i), pair.j = static_cast<std::uint32_t>(j);
        if (kept_.size() < kMostPairs) {
          kept_.push_back(pair);
        } else {
          overflow_ = true;
          left_out_ += pair.probability;
        }
      }
    }
    seen_ += (a_.last(a) - a_.first(a)) * (b_.last(b) - b_.first(b));
    given_up_ = given_up_ || seen_ > kMostSeen;
  }

  const CloudTree &a_, &b_;
  const NoisyMeeting& meeting_;
  std::vector<NoisyPair>& kept_;
  double limit_ = 0, least_ = 0, sum_ = 0, left_out_ = 0, most_ = 0;
  std::size_t seen_ = 0;
  bool overflow_ = false, given_up_ = false;
};

}  // namespace graze
