#include "graze/index/filter.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "graze/base/error.h"
#include "index/buffer.h"
#include "index/point_check.h"

namespace graze {
namespace {

/// A point that nothing speaks against but its neighbours.
struct Candidate {
  float at[3];
  std::uint32_t index;  // of the caller's points
};

struct Extent {
  float low[3], high[3];
};

double squared_distance(const Candidate& a, const Candidate& b) {
  const double x = double{a.at[0]} - b.at[0], y = double{a.at[1]} - b.at[1], z = double{a.at[2]} - b.at[2];
  return x * x + y * y + z * z;
}

/// Cells whose diagonal is the distance as numbers: x, y and z side by side, with as many bits as the extent needs.
class Cells {
 public:
  Cells(const Extent& extent, double distance) : inverse_(std::sqrt(3.0) / distance) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      low_[axis] = extent.low[axis];
      const double cells = (extent.high[axis] - low_[axis]) * inverse_;
      // Room for two more: then no step of two cells from a point's cell carries over into the cells of others.
      const auto last = static_cast<std::uint64_t>(std::min(cells, kMax));
      bits_[axis] = std::min(static_cast<unsigned>(std::bit_width(last + 2)), kBits + 1);
    }
  }

  unsigned bits() const { return bits_[0] + bits_[1] + bits_[2]; }
  /// What a step along x or y adds; a step along z adds 1.
  std::uint64_t x_step() const { return std::uint64_t{1} << (bits_[1] + bits_[2]); }
  std::uint64_t y_step() const { return std::uint64_t{1} << bits_[2]; }
  std::uint64_t operator()(const Candidate& p) const {
    return cell(p, 0) << (bits_[1] + bits_[2]) | cell(p, 1) << bits_[2] | cell(p, 2);
  }

 private:
  // Cells so far apart have the same number. They know less of their kept points then, and thin less; never too much,
  // since every distance is computed.
  static constexpr unsigned kBits = 20;
  static constexpr double kMax = 0x1p62;

  std::uint64_t cell(const Candidate& p, std::size_t axis) const {
    const auto c = static_cast<std::int64_t>(std::min((p.at[axis] - low_[axis]) * inverse_, kMax));
    return static_cast<std::uint64_t>(c) & ((1U << kBits) - 1);
  }

  double low_[3], inverse_;
  unsigned bits_[3];
};

/// Goes from cell to cell and keeps a point where no kept one of its cell or of those before it covers it.
template <class Key>
class Thinner {
 public:
  Thinner(const Buffer<Candidate>& candidates, const Cells& cells, double distance)
      : candidates_(candidates), squared_(distance * distance) {
    const std::uint64_t x = cells.x_step(), y = cells.y_step();
    rows_ = {x,         y,         x + y,     x - y,     2 * y,         2 * x,
             2 * x + y, 2 * x - y, x + 2 * y, x - 2 * y, 2 * x + 2 * y, 2 * x - 2 * y};
    sort(cells);
  }

  /// Sets a flag for every candidate: 1 if it is kept, else 0.
  void choose(Buffer<std::uint8_t>& flags) {
    flags.assign(candidates_.size(), 0);
    for (std::size_t begin = 0, end = 0; begin < entries_.size(); begin = end) {
      const Key key = entries_[begin].key;
      look_around(key);
      for (; end < entries_.size() && entries_[end].key == key; ++end) {
        constexpr std::size_t kAhead = 16;  // cells do not lie in the order of the candidates
        if (end + kAhead < entries_.size()) __builtin_prefetch(&candidates_[entries_[end + kAhead].at]);
        const std::uint32_t at = entries_[end].at;
        if (covered(candidates_[at], key)) continue;
        flags[at] = 1;
        kept_.push_back({key, at});
        near_count_ = std::min(near_count_ + 1, kNear);
        near_[near_count_ - 1] = near_[0];
        near_[0] = candidates_[at];
      }
    }
  }

 private:
  struct Entry {
    Key key;
    std::uint32_t at;  // of the candidates
  };
  static constexpr std::size_t kNearRows = 4;
  // Kept points that may cover a point: 62 neighbours with one each, more only where far cells have the same number.
  static constexpr std::size_t kNear = 64;

  // By the digits of their cells, the last one first; candidates of a cell keep their order.
  void sort(const Cells& cells) {
    constexpr unsigned kDigit = 11;
    const unsigned passes = (cells.bits() + kDigit - 1) / kDigit, digit = (cells.bits() + passes - 1) / passes;
    const std::size_t values = std::size_t{1} << digit;
    const auto digit_of = [&](Key key, unsigned pass) {
      return static_cast<std::size_t>(key >> pass * digit) & (values - 1);
    };
    std::vector<std::uint32_t> begin(passes * values, 0);
    entries_.resize(candidates_.size());
    for (std::uint32_t i = 0; i < candidates_.size(); ++i) {
      const Key key = static_cast<Key>(cells(candidates_[i]));
      entries_[i] = {key, i};
      for (unsigned pass = 0; pass < passes; ++pass) ++begin[pass * values + digit_of(key, pass)];
    }
    Buffer<Entry> sorted;
    sorted.resize(entries_.size());
    for (unsigned pass = 0; pass < passes; ++pass) {
      std::uint32_t* to = begin.data() + pass * values;
      std::uint32_t sum = 0;
      for (std::size_t i = 0; i < values; ++i) sum += std::exchange(to[i], sum);
      for (const Entry& entry : entries_) sorted[to[digit_of(entry.key, pass)]++] = entry;
      std::swap(entries_, sorted);
    }
  }

  // Collects the kept points of some rows of cells along z that lie before this cell, no farther from it than a point
  // that covers one of its points can be: two cells. The places in the rows advance as the cells do.
  void look_along(Key key, std::size_t first_row, std::size_t last_row) {
    for (std::size_t row = first_row; row < last_row; ++row) {
      std::size_t& i = reached_[row];
      while (i < kept_.size() && kept_[i].key + rows_[row] + 2 < key) ++i;
      for (std::size_t k = i; k < kept_.size() && near_count_ < kNear; ++k) {
        if (kept_[k].key + rows_[row] > std::uint64_t{key} + 2) break;
        add(kept_[k]);
      }
    }
  }
  void look_around(Key key) {
    near_count_ = 0;
    for (std::size_t i = kept_.size(); i-- > 0 && kept_[i].key + 2 >= key && near_count_ < kNear;) add(kept_[i]);
    look_along(key, 0, kNearRows);
    looked_ = kNearRows;
  }
  void add(const Entry& kept) { near_[near_count_++] = candidates_[kept.at]; }

  // Whether a kept point covers this one. Looks into the farther rows only if those of the nearer ones do not.
  bool covered(const Candidate& p, Key key) {
    if (covered_from(p, 0)) return true;
    if (looked_ == rows_.size()) return false;
    const std::size_t known = near_count_;
    look_along(key, looked_, rows_.size());
    looked_ = rows_.size();
    return covered_from(p, known);
  }
  // Whoever has covered a point is likely to cover the next one: it comes to the front.
  bool covered_from(const Candidate& p, std::size_t first) {
    for (std::size_t i = first; i < near_count_; ++i) {
      if (squared_distance(near_[i], p) > squared_) continue;
      if (i > 0) std::swap(near_[0], near_[i]);
      return true;
    }
    return false;
  }

  const Buffer<Candidate>& candidates_;
  double squared_;
  Buffer<Entry> entries_;  // sorted by cells
  Buffer<Entry> kept_;     // so far
  // How much lower the numbers of the cells are in rows that come before a cell's own, the nearer ones first; where the
  // kept points of these rows begin; and in how many of them the current cell has looked.
  std::array<std::uint64_t, 12> rows_;
  std::array<std::size_t, 12> reached_{};
  std::size_t looked_ = 0;
  std::array<Candidate, kNear> near_;
  std::size_t near_count_ = 0;
};

void check(const PointView& points, const FilterOptions& o) {
  check_floats(points);
  if (!(o.distance >= 0)) throw Error("filter distance", fmt::format("must not be negative, got {}", o.distance));
  if (!(o.min_range >= 0) || !(o.max_range >= o.min_range)) {
    throw Error("filter range", fmt::format("must be from 0 on and ascending, got {} to {}", o.min_range, o.max_range));
  }
  if (!is_finite(o.viewpoint)) throw Error("filter viewpoint", "must be finite");
  if (o.box.min.hasNaN() || o.box.max.hasNaN()) throw Error("filter box", "must not be NaN");
  if (points.size() >= std::numeric_limits<std::uint32_t>::max())
    throw Error("points", fmt::format("at most 2^32 - 2 are supported, got {}", points.size()));
}

/// The points that are where they should be; counts the others.
Extent collect(const PointView& points, const FilterOptions& options, FilteredPoints& result,
               Buffer<Candidate>& candidates) {
  const bool anywhere = options.box == Aabb::everything();
  const bool any_range = options.min_range == 0 && options.max_range == kInfinity;
  constexpr float kMax = std::numeric_limits<float>::max();
  Extent extent{{kMax, kMax, kMax}, {-kMax, -kMax, -kMax}};
  candidates.resize(points.size());
  std::size_t count = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::array<float, 3> p = points.load_point<float>(i);
    if (!((p[0] - p[0]) + (p[1] - p[1]) + (p[2] - p[2]) == 0)) {  // infinity minus itself is NaN
      ++result.not_finite;
      continue;
    }
    if (!any_range || !anywhere) {
      const Vec3 at(p[0], p[1], p[2]);
      const double range = (at - options.viewpoint).norm();
      if (range < options.min_range || range > options.max_range) {
        ++result.out_of_range;
        continue;
      }
      if (!options.box.contains(at)) {
        ++result.out_of_box;
        continue;
      }
    }
    for (std::size_t axis = 0; axis < 3; ++axis) {
      extent.low[axis] = std::min(extent.low[axis], p[axis]);
      extent.high[axis] = std::max(extent.high[axis], p[axis]);
    }
    candidates[count++] = {{p[0], p[1], p[2]}, static_cast<std::uint32_t>(i)};
  }
  candidates.resize(count);
  return extent;
}

}  // namespace

FilteredPoints filter_points(const PointView& points, const FilterOptions& options) {
  check(points, options);
  FilteredPoints result;
  Buffer<Candidate> candidates;
  const Extent extent = collect(points, options, result, candidates);
  Buffer<std::uint8_t> flags;
  // Distances whose square or inverse leaves the range of doubles thin nothing that matters.
  if (options.distance > 1e-150 && !candidates.empty()) {
    const double distance = std::min(options.distance, kLargestLength);
    const Cells cells(extent, distance);
    if (cells.bits() <= 32) {
      Thinner<std::uint32_t>(candidates, cells, distance).choose(flags);
    } else {
      Thinner<std::uint64_t>(candidates, cells, distance).choose(flags);
    }
  } else {
    flags.assign(candidates.size(), 1);
  }
  for (const std::uint8_t flag : flags) result.thinned += 1U - flag;
  const std::size_t kept = candidates.size() - result.thinned;
  result.kept.reserve(kept);
  result.xyz.reserve(3 * kept);
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (flags[i] == 0) continue;
    result.kept.push_back(candidates[i].index);
    result.xyz.insert(result.xyz.end(), candidates[i].at, candidates[i].at + 3);
  }
  return result;
}

}  // namespace graze
