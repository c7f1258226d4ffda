// The pairs of points of two noisy clouds that may meet, found by their trees.
#pragma once

#include <algorithm>
#include <bit>
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
  double slack;            ///< metres: what placing any point may be wrong by, the uncertainty included
  double uncertainty = 0;  ///< metres: how far both clouds together may be from where their poses put them

  NoisyPair pair(const Ball& a, const Ball& b) const {
    const Vec3 difference = minus(relative.to_a(b.center), a.center);
    // What placing the points may be wrong by is added on the side of safety.
    const double error = relative.placing_error(b.center) + 2 * kEpsilon * size_of(a.center) + uncertainty;
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
  double max_probability(double bound) const {
    const double reach = (radius + slack) / sigma;
    return sides ? upper_tail(bound - slack / sigma) : ball_probability(bound + radius / sigma, reach);
  }
};

/// Those pairs that are nearer to touching than `limit` standard deviations, up to a number of them.
class NoisyPairSearch {
 public:
  static constexpr std::size_t kMaxPairs = std::size_t{1} << 20U;  // that are kept
  static constexpr std::size_t kMaxSeen = std::size_t{8'000'000};  // that are looked at

  NoisyPairSearch(const CloudTree& a, const CloudTree& b, const NoisyMeeting& meeting, std::vector<NoisyPair>& kept)
      : a_(a), b_(b), meeting_(meeting), kept_(kept) {}

  /// Starts anew.
  void run(double limit) {
    kept_.clear();
    limit_ = limit;
    min_probability_ = meeting_.max_probability(limit);
    sum_ = left_out_ = max_probability_ = 0;
    seen_ = 0;
    overflow_ = given_up_ = false;
    using Walk = detail::TwoWalk<CloudTree, CloudTree, NoisyPairSearch>;
    using Place = Walk::Place;
    // What is beyond the limit is left out, but counted.
    struct Open : NearStack<Place, double, 2 * CloudTree::kMaxDepth> {
      NoisyPairSearch& search;

      Open(const Pending<Place, double>& first, NoisyPairSearch& of) : NearStack(first), search(of) {}
      void leave(const Pending<Place, double>& pending) const {
        search.leave_out(pending.place.a, pending.place.b, pending.bound);
      }
      void put(const Walk& walk, const Place& parent, const Children<double>& children) {
        for (unsigned rest = children.apart; rest != 0; rest &= rest - 1) {
          const auto k = static_cast<std::size_t>(std::countr_zero(rest));
          const Place child = walk.child(parent, k);
          search.leave_out(child.a, child.b, children.bound[k]);
        }
        NearStack::put(walk, parent, children);
      }
    };
    Walk walk(a_, b_, *this);
    Open open({meeting_.bound(a_.bounds(a_.root()), b_.bounds(b_.root())), {a_.root(), b_.root()}}, *this);
    near_first(walk, open);
  }

  // As the traversal asks.
  double bound(const Aabb& a, const Aabb& b) const { return meeting_.bound(a, b); }
  double limit() const { return given_up_ ? -kInfinity : limit_; }
  void leaf(const CloudTree& a, std::size_t i, const CloudTree& b, std::size_t j) {
    if (given_up_) return;
    given_up_ = ++seen_ > kMaxSeen;
    NoisyPair pair = meeting_.pair(a.primitive(i), b.primitive(j));
    if (!(pair.probability > 0)) return;
    if (pair.probability < min_probability_) {
      left_out_ += pair.probability;
      return;
    }
    sum_ += pair.probability;
    max_probability_ = std::max(max_probability_, pair.probability);
    pair.i = static_cast<std::uint32_t>(i), pair.j = static_cast<std::uint32_t>(j);
    if (kept_.size() < kMaxPairs) {
      kept_.push_back(pair);
    } else {
      overflow_ = true;
      left_out_ += pair.probability;
    }
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
  double max_probability() const { return max_probability_; }
  /// Some were not kept.
  bool overflow() const { return overflow_ || given_up_; }

 private:
  void leave_out(CloudTree::Node a, CloudTree::Node b, double bound) {
    const double pairs = static_cast<double>(a_.points(a)) * static_cast<double>(b_.points(b));
    left_out_ += pairs * meeting_.max_probability(bound);
  }

  const CloudTree &a_, &b_;
  const NoisyMeeting& meeting_;
  std::vector<NoisyPair>& kept_;
  double limit_ = 0, min_probability_ = 0, sum_ = 0, left_out_ = 0, max_probability_ = 0;
  std::size_t seen_ = 0;
  bool overflow_ = false, given_up_ = false;
};

}  // namespace graze
