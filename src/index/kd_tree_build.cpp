#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "graze/base/parallel.h"
#include "index/kd_tree_data.h"

namespace graze::kd_tree {
namespace {

// Parts of up to this many points count few intervals, or many.
constexpr std::size_t kFew = 256, kMany = std::size_t{1} << 15U;
// The range of a large part is estimated from every so many of its points.
constexpr std::size_t kStep = 4;
// Points of a sample of larger parts; of smaller ones it has a fourth of that.
constexpr std::size_t kSample = 1024;
// The binary levels at the top are split one after the other, each level in parallel; what is below is one task each.
constexpr std::size_t kTasks = 256;

// Consecutive points that make whole leaves, in the first or in the second of the two arrays.
struct Part {
  std::size_t begin, end;
  bool second;
  std::size_t size() const { return end - begin; }
  std::size_t leaves() const { return (size() + kLeaf - 1) / kLeaf; }
};

template <class T>
class Builder {
 public:
  Builder(Tree<T>& tree, Buffer<Record<T>>& records, int threads)
      : tree_(tree), size_(records.size()), threads_(threads) {
    scratch_.resize(size_);
    arrays_[0] = records.data();
    arrays_[1] = scratch_.data();
  }

  void build() {
    shape();
    std::vector<Part> parts{{0, size_, false}};
    // Parts of a level are split at the same time, the last ones of them perhaps not any more.
    while (parts.size() < kTasks && parts.front().leaves() > kFan) {
      std::vector<Part> next(2 * parts.size());
      parallel_for(
          parts.size(), [&](std::size_t i) { split(parts[i], next[2 * i], next[2 * i + 1]); }, options());
      std::erase_if(next, [](const Part& part) { return part.size() == 0; });
      parts = std::move(next);
    }
    parallel_for(
        parts.size(), [&](std::size_t i) { finish(parts[i]); }, options());
    enclose();
  }

 private:
  ParallelOptions options() const { return {.threads = threads_, .grain = 1}; }

  void shape() {
    tree_.size = size_;
    const std::size_t leaves = (size_ + kLeaf - 1) / kLeaf;
    tree_.leaves.resize(leaves);
    std::size_t total = 0;
    for (std::size_t n = leaves; n > 1 || tree_.levels == 0;) {
      n = (n + kFan - 1) / kFan;
      tree_.count[tree_.levels++] = n;
      total += n;
    }
    tree_.nodes.resize(total);
    // The topmost level comes first, so that what every search reads lies together.
    std::size_t at = total;
    for (std::size_t level = 0; level < tree_.levels; ++level) tree_.first[level] = at -= tree_.count[level];
  }

  // The left part gets the leaves of a full subtree, the right part what is left: so all leaves but the last are full,
  // and the children of a node follow from its number.
  void split(const Part& part, Part& left, Part& right) {
    const std::size_t leaves = part.leaves();
    std::size_t half = 1;
    while (2 * half < leaves) half *= 2;
    if (leaves <= 1) {
      left = part;
      right = {part.end, part.end, part.second};
      return;
    }
    const std::size_t rank = half * kLeaf;
    const bool second = rank_split(part, rank);
    left = {part.begin, part.begin + rank, second};
    right = {part.begin + rank, part.end, second};
  }

  // An axis and the range of some points along it.
  struct Range {
    int axis;
    T low, high;
  };
  static Range widest(const Record<T>* r, std::size_t count, std::size_t step) {
    T low[3], high[3];
    for (int axis = 0; axis < 3; ++axis) low[axis] = high[axis] = r[0].at[axis];
    for (std::size_t i = 1; i < count; ++i) {
      for (int axis = 0; axis < 3; ++axis) {
        low[axis] = std::min(low[axis], r[i * step].at[axis]);
        high[axis] = std::max(high[axis], r[i * step].at[axis]);
      }
    }
    int best = 0;
    for (int axis = 1; axis < 3; ++axis) {
      if (high[axis] - low[axis] > high[best] - low[best]) best = axis;
    }
    return {best, low[best], high[best]};
  }

  static void select(Record<T>* begin, Record<T>* nth, Record<T>* end, int axis) {
    if (nth == end) return;
    std::nth_element(begin, nth, end,
                     [axis](const Record<T>& a, const Record<T>& b) { return a.at[axis] < b.at[axis]; });
  }

  // Where a point belongs: 1 in one of them or 0 in both, which leaves it between.
  struct Side {
    std::size_t below, above;
  };

  // Arranges the points so that none of the first `rank` ones lies above any of the others along the axis: most points
  // go to their side at once, without jumps that depend on them, the few between are looked at again, unless `alike`.
  template <class SideOf>
  static void divide(Record<T>* from, Record<T>* to, std::size_t n, std::size_t rank, int axis, bool alike,
                     const SideOf& side_of) {
    std::size_t below = 0, above = n, between = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const Record<T> r = from[i];
      const Side side = side_of(i, from[i].at[axis]);
      to[below] = r;
      to[above - 1] = r;
      from[between] = r;  // never before it was read
      below += side.below;
      above -= side.above;
      between += 1 - side.below - side.above;
    }
    const bool enclosed = below <= rank && rank <= above;
    if (enclosed && !alike) select(from, from + (rank - below), from + between, axis);
    std::copy_n(from, between, to + below);
    if (rank < below) select(to, to + rank, to + below, axis);
    if (rank > above) select(to + above, to + rank, to + n, axis);
  }

  // Splits a part along its widest axis; returns in which array the points are then.
  bool rank_split(const Part& part, std::size_t rank) {
    Record<T>* from = arrays_[part.second ? 1 : 0] + part.begin;
    Record<T>* to = arrays_[part.second ? 0 : 1] + part.begin;
    const std::size_t n = part.size();
    if (n <= kFew) {
      split_by_counting<64, kFew>(from, to, n, rank, n);
    } else if (n > kMany || !split_by_counting<256, kMany>(from, to, n, rank, n / 8)) {
      split_by_sampling(from, to, n, rank);
    }
    return !part.second;
  }

  // Counts how many points fall into each of some equal intervals; only those of one of them need be compared. Does
  // nothing and returns false if these are more than `max_count`.
  template <int kIntervals, std::size_t kMax>
  static bool split_by_counting(Record<T>* from, Record<T>* to, std::size_t n, std::size_t rank,
                                std::size_t max_count) {
    const std::size_t step = n > kFew ? kStep : 1;
    const Range range = widest(from, n / step, step);
    const double low = static_cast<double>(range.low);
    double scale = kIntervals / (static_cast<double>(range.high) - low);
    if (!(scale < 1e300)) scale = 0;  // no extent, or nearly none
    const auto interval = [low, scale](T x) {
      // What lies outside of the range belongs to the first or the last.
      return static_cast<int>(
          std::min(std::max((static_cast<double>(x) - low) * scale, 0.0), static_cast<double>(kIntervals - 1)));
    };
    std::array<std::uint32_t, kIntervals> counts{};
    std::array<std::uint8_t, kMax> intervals;
    for (std::size_t i = 0; i < n; ++i) {
      const auto x = static_cast<std::uint8_t>(interval(from[i].at[range.axis]));
      intervals[i] = x;
      ++counts[x];
    }
    int cut = 0;
    for (std::size_t sum = counts[0]; sum < rank; sum += counts[static_cast<std::size_t>(cut)]) ++cut;
    const bool alike = step == 1 && !(range.low < range.high);
    if (!alike && counts[static_cast<std::size_t>(cut)] > max_count) return false;
    divide(from, to, n, rank, range.axis, alike, [&intervals, cut](std::size_t i, T) -> Side {
      // The signs of differences: comparisons would become a jump that is wrong every second time.
      const auto before = static_cast<std::uint32_t>(intervals[i] - cut), behind = -before;
      return {before >> 31U, behind >> 31U};
    });
    return true;
  }

  // Two values of a sample that enclose the wanted one in all likelihood (Floyd and Rivest).
  static void split_by_sampling(Record<T>* from, Record<T>* to, std::size_t n, std::size_t rank) {
    std::array<T, kSample> sample;
    const std::size_t count = n > kMany ? kSample : kSample / 4;
    const std::size_t step = n / count;
    const int axis = widest(from, count, step).axis;
    for (std::size_t i = 0; i < count; ++i) sample[i] = from[i * step].at[axis];
    const std::size_t middle = std::min(rank * count / n, count - 1);
    // Three standard deviations of a rank in the sample.
    const auto margin = static_cast<std::size_t>(1.5 * std::sqrt(static_cast<double>(count)));
    const auto at = [&](std::size_t i) { return sample.begin() + static_cast<std::ptrdiff_t>(i); };
    const std::size_t low_rank = middle > margin ? middle - margin : 0,
                      high_rank = std::min(middle + margin, count - 1);
    std::nth_element(at(0), at(low_rank), at(count));
    std::nth_element(at(low_rank), at(high_rank), at(count));
    const T low = *at(low_rank), high = *at(high_rank);
    divide(from, to, n, rank, axis, !(low < high), [low, high](std::size_t, T x) -> Side {
      return {x < low ? std::size_t{1} : 0, x > high ? std::size_t{1} : 0};
    });
  }

  // All leaves of a part. Splits halve, so the stack holds one part per level.
  void finish(const Part& whole) {
    std::array<Part, 64> stack;
    std::size_t height = 0;
    stack[height++] = whole;
    while (height > 0) {
      const Part part = stack[--height];
      if (part.leaves() <= 1) {
        fill(part);
        continue;
      }
      Part left, right;
      split(part, left, right);
      stack[height++] = right;
      stack[height++] = left;
    }
  }

  void fill(const Part& part) {
    const std::size_t number = part.begin / kLeaf;
    const Record<T>* records = arrays_[part.second ? 1 : 0] + part.begin;
    Leaf<T>& leaf = tree_.leaves[number];
    Node<T>& node = tree_.nodes[tree_.first[0] + number / kFan];
    const std::size_t n = part.size();
    for (std::size_t i = 0; i < n; ++i) {
      for (int axis = 0; axis < 3; ++axis) leaf.at[axis][i] = records[i].at[axis];
      leaf.index[i] = static_cast<std::uint32_t>(records[i].index);
    }
    for (std::size_t i = n; i < kLeaf; ++i) {
      for (int axis = 0; axis < 3; ++axis) leaf.at[axis][i] = std::numeric_limits<T>::quiet_NaN();
      leaf.index[i] = kNoPoint;
    }
    for (int axis = 0; axis < 3; ++axis) {
      T low = leaf.at[axis][0], high = low;
      for (std::size_t i = 1; i < n; ++i) {
        low = std::min(low, leaf.at[axis][i]);
        high = std::max(high, leaf.at[axis][i]);
      }
      node.min[axis][number % kFan] = low;
      node.max[axis][number % kFan] = high;
    }
  }

  // The bounds of the upper nodes from those below, and empty ones for children that do not exist.
  void enclose() {
    constexpr T kHuge = std::numeric_limits<T>::infinity();
    for (std::size_t level = 0; level < tree_.levels; ++level) {
      Node<T>& last = tree_.nodes[tree_.first[level] + tree_.count[level] - 1];
      for (std::size_t child = tree_.children(level); child < tree_.count[level] * kFan; ++child) {
        for (int axis = 0; axis < 3; ++axis) {
          last.min[axis][child % kFan] = kHuge;
          last.max[axis][child % kFan] = -kHuge;
        }
      }
      for (std::size_t i = 0; i < tree_.count[level]; ++i) {
        const Node<T>& node = tree_.nodes[tree_.first[level] + i];
        for (int axis = 0; axis < 3; ++axis) {
          const T low = *std::min_element(node.min[axis], node.min[axis] + kFan);
          const T high = *std::max_element(node.max[axis], node.max[axis] + kFan);
          if (level + 1 < tree_.levels) {
            Node<T>& parent = tree_.nodes[tree_.first[level + 1] + i / kFan];
            parent.min[axis][i % kFan] = low;
            parent.max[axis][i % kFan] = high;
          } else {
            tree_.bounds.min[axis] = low;
            tree_.bounds.max[axis] = high;
          }
        }
      }
    }
    tree_.largest = std::max(tree_.bounds.min.cwiseAbs().maxCoeff(), tree_.bounds.max.cwiseAbs().maxCoeff());
  }

  Tree<T>& tree_;
  std::size_t size_;
  int threads_;
  Buffer<Record<T>> scratch_;
  Record<T>* arrays_[2];
};

}  // namespace

template <class T>
void build_tree(Tree<T>& tree, Buffer<Record<T>>& records, int threads) {
  if (records.size() > 0) Builder<T>(tree, records, threads).build();
}

template void build_tree(Tree<float>&, Buffer<Record<float>>&, int);
template void build_tree(Tree<double>&, Buffer<Record<double>>&, int);

}  // namespace graze::kd_tree
