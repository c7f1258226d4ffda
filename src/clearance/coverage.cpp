#include "graze/clearance/coverage.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "clearance/coverage_count.h"
#include "graze/base/elementary.h"
#include "graze/base/error.h"

namespace graze::clearance {
namespace {

// A path that comes by more often than this has only its first passes counted: the bins of the others stay unseen,
// which is safe, and a point costs no more than this.
constexpr std::size_t kMaxPasses = 64;
// Cosine: where the path turns by more, what follows is another pass, as a track that comes back beside itself.
constexpr double kSamePass = 0.5;
constexpr double kMinCell = 2;  // metres
constexpr double kMaxBins = 10'000'000;

void check(const CoverageOptions& o) {
  const auto refuse = [](const char* what, const char* demand, double value) {
    throw Error(what, fmt::format("must be {}, got {}", demand, value));
  };
  if (!(o.lookout > 0) || !std::isfinite(o.lookout)) refuse("lookout", "positive and finite", o.lookout);
  if (!(o.points > 0) || !std::isfinite(o.points)) refuse("points of coverage", "positive and finite", o.points);
  if (!(o.gap >= 0) || !std::isfinite(o.gap)) refuse("gap", "finite and not negative", o.gap);
  if (!(o.min_share >= 0 && o.min_share <= 1)) refuse("min_share", "from 0 to 1", o.min_share);
}

}  // namespace

CoverageCount::CoverageCount(const ReportPath& path, const CoverageOptions& options, double bin)
    : path_(path), options_(options), bin_(bin) {
  check(options);
  make_sections();
  const double bins = (to_ - from_) / bin;
  if (!(bins < kMaxBins)) {
    throw Error("bin", fmt::format("{} m make {:.3g} bins of coverage; at most {:g} are counted", bin, bins, kMaxBins));
  }
  first_ = static_cast<std::int64_t>(std::floor(from_ / bin));
  count_ = std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(to_ / bin)) - first_);
  points_ = std::make_unique<std::atomic<std::uint64_t>[]>(kSides * static_cast<std::size_t>(count_));
  make_cells();
}

void CoverageCount::make_sections() {
  const std::span<const Pose> poses = path_.poses();
  const std::span<const double> chainage = path_.chainage();
  const Vec3 center = path_.model().center(), half = path_.model().half();
  from_ = kInfinity, to_ = -kInfinity;
  double section = 0;
  sections_.resize(poses.size());
  for (std::size_t i = 0; i < poses.size(); ++i) {
    const Mat3& rotation = poses[i].rotation();
    const Vec3& forward = path_.direction(i);
    // Where the model climbs along its own z, its y still says what is left.
    constexpr double kSteepest = 1e-3;
    Vec3 left = Vec3(rotation.col(2)).cross(forward);
    if (!(left.norm() > kSteepest)) left = rotation.col(1) - forward * forward.dot(rotation.col(1));
    if (!(left.norm() > kSteepest)) left = rotation.col(0) - forward * forward.dot(rotation.col(0));
    left = unit_vector(left);
    const Vec3 up = forward.cross(left), middle = rotation * center;
    const auto extent = [&](const Vec3& axis) { return (rotation.transpose() * axis).cwiseAbs().dot(half); };
    const double along = middle.dot(forward), across = middle.dot(left), over = middle.dot(up);
    sections_[i] = {left, up, across - extent(left), across + extent(left), over - extent(up), over + extent(up)};
    const Section& s = sections_[i];
    section = std::max(section, elementary::hypot(std::max(std::abs(s.left_min), std::abs(s.left_max)),
                                                  std::max(std::abs(s.up_min), std::abs(s.up_max))));
    if (i == 0) behind_ = along - extent(forward);
    if (i + 1 == poses.size()) ahead_ = along + extent(forward);
    from_ = std::min(from_, chainage[i] + along - extent(forward));
    to_ = std::max(to_, chainage[i] + along + extent(forward));
  }
  if (!(to_ > from_)) from_ -= bin_ / 2, to_ += bin_ / 2;  // a model without length that stands
  reach_ = section + options_.lookout;
}

// Cells near the path know the poses near them, so that a point finds its chainage without a search.
void CoverageCount::make_cells() {
  const std::span<const Pose> poses = path_.poses();
  cell_ = std::max(kMinCell, reach_ / 2);
  const double spacing = cell_ / 2;
  std::uint32_t sample = 0;
  const auto line = [&](const Vec3& from, const Vec3& edge, double length, std::uint32_t pose) {
    const auto parts = static_cast<std::size_t>(std::ceil(length / spacing));
    for (std::size_t k = 0; k <= parts; ++k) {
      mark(from + edge * (static_cast<double>(k) / static_cast<double>(std::max<std::size_t>(parts, 1))), pose,
           sample++);
    }
  };
  const Vec3 first = poses.front().translation(), last = poses.back().translation();
  if (behind_ < 0) line(first + behind_ * path_.direction(0), -behind_ * path_.direction(0), -behind_, 0);
  Vec3 marked = first;
  mark(first, 0, sample++);
  for (std::size_t i = 0; i + 1 < poses.size(); ++i) {
    const Vec3 &a = poses[i].translation(), &b = poses[i + 1].translation();
    if ((b - marked).norm() < spacing && i + 2 < poses.size()) continue;
    line(a, b - a, (b - a).norm(), static_cast<std::uint32_t>(i));
    marked = b;
  }
  const std::size_t end = poses.size() - 1;
  if (ahead_ > 0) line(last, ahead_ * path_.direction(end), ahead_, static_cast<std::uint32_t>(end));
}

void CoverageCount::mark(const Vec3& at, std::uint32_t pose, std::uint32_t sample) {
  // A point within reach of the line is within reach and half a spacing of one of its samples.
  const Vec3 around = Vec3::Constant(reach_ + cell_ / 4);
  const CellKey low = key_of(at - around), high = key_of(at + around);
  for (std::int64_t x = low.x; x <= high.x; ++x) {
    for (std::int64_t y = low.y; y <= high.y; ++y) {
      for (std::int64_t z = low.z; z <= high.z; ++z) {
        const Vec3 middle =
            cell_ * Vec3(static_cast<double>(x) + 0.5, static_cast<double>(y) + 0.5, static_cast<double>(z) + 0.5);
        const auto distance = static_cast<float>((middle - at).norm());
        std::vector<Pass>& passes = cells_[{x, y, z}];
        if (passes.empty() || sample > passes.back().last_sample + 1 ||
            path_.direction(pose).dot(path_.direction(passes.back().first_pose)) < kSamePass) {
          if (passes.size() < kMaxPasses) passes.push_back({pose, pose, sample, distance});
          continue;
        }
        passes.back().last_sample = sample;
        if (distance < passes.back().distance) passes.back().pose = pose, passes.back().distance = distance;
      }
    }
  }
}

CellKey CoverageCount::key_of(const Vec3& p) const {
  constexpr double kFarthest = 4e18;  // beyond, cells are finer than the numbers
  const auto on_axis = [&](double x) {
    return static_cast<std::int64_t>(std::clamp(std::floor(x / cell_), -kFarthest, kFarthest));
  };
  return {on_axis(p.x()), on_axis(p.y()), on_axis(p.z())};
}

void CoverageCount::add(const Vec3& point) {
  const auto cell = cells_.find(key_of(point));
  if (cell == cells_.end()) return;
  std::array<std::int64_t, kMaxPasses> counted;
  std::size_t count = 0;
  for (const Pass& pass : cell->second) {
    const auto [chainage, segment] = path_.place_along(point, pass.pose);
    const double bin = std::floor(chainage / bin_) - static_cast<double>(first_);
    if (!(bin >= 0 && bin < static_cast<double>(count_))) continue;
    const Section& s = sections_[segment];
    const Vec3 off = point - path_.poses()[segment].translation();
    const double across = off.dot(s.left), over = off.dot(s.up);
    const double beside = std::max({s.left_min - across, across - s.left_max, 0.0}),
                 beyond = std::max({s.up_min - over, over - s.up_max, 0.0});
    if (!(beside * beside + beyond * beyond <= options_.lookout * options_.lookout)) continue;
    // As ReportPath::side_of.
    const double y = across - (s.left_min + s.left_max) / 2, z = over - (s.up_min + s.up_max) / 2;
    const double wide = std::abs(y) * (s.up_max - s.up_min), high = std::abs(z) * (s.left_max - s.left_min);
    const Side side = wide >= high ? (y >= 0 ? Side::left : Side::right) : (z >= 0 ? Side::above : Side::below);
    const std::int64_t slot =
        static_cast<std::int64_t>(kSides) * static_cast<std::int64_t>(bin) + static_cast<std::int64_t>(side);
    // Passes that end at the same place are one.
    const auto end = counted.begin() + static_cast<std::ptrdiff_t>(count);
    if (std::find(counted.begin(), end, slot) != end) continue;
    counted[count++] = slot;
    points_[static_cast<std::size_t>(slot)].fetch_add(1, std::memory_order_relaxed);
  }
}

void CoverageCount::close_gaps(std::vector<Bin>& bins, std::size_t side) const {
  const std::size_t n = bins.size();
  std::vector<bool> seen(n);
  for (std::size_t i = 0; i < n; ++i) seen[i] = bins[i].seen[side];
  for (std::size_t begin = 0; begin < n;) {
    if (seen[begin]) {
      ++begin;
      continue;
    }
    std::size_t end = begin;
    while (end < n && !seen[end]) ++end;
    const bool bounded = !(begin == 0 && end == n);  // there is a seen neighbour; two, unless it is an end of the path
    const double length =
        to_of(first_ + static_cast<std::int64_t>(end) - 1) - from_of(first_ + static_cast<std::int64_t>(begin));
    for (std::size_t i = begin; bounded && length <= options_.gap && i < end; ++i) bins[i].seen[side] = true;
    begin = end;
  }
}

CoverageCount::Result CoverageCount::finish() const {
  Result out;
  Coverage& c = out.coverage;
  c.options = options_;
  c.from = from_, c.to = to_;
  out.bins.resize(static_cast<std::size_t>(count_));
  const double needed = std::max(1.0, std::ceil(options_.points * bin_ * (1 - 4 * kEpsilon)));
  for (std::size_t i = 0; i < out.bins.size(); ++i) {
    for (std::size_t side = 0; side < kSides; ++side) {
      const std::uint64_t n = points_[kSides * i + side].load(std::memory_order_relaxed);
      out.bins[i].points[side] = n;
      out.bins[i].seen[side] = static_cast<double>(n) >= needed;
      c.points += n;
    }
  }
  for (std::size_t side = 0; side < kSides; ++side) close_gaps(out.bins, side);
  bool open = false;  // whether the last bin was part of a gap
  for (std::size_t i = 0; i < out.bins.size(); ++i) {
    Bin& bin = out.bins[i];
    const std::int64_t k = first_ + static_cast<std::int64_t>(i);
    const double length = std::max(0.0, to_of(k) - from_of(k));
    std::array<bool, kSides> unseen{};
    bin.scanned = true;
    for (std::size_t side = 0; side < kSides; ++side) {
      if (bin.seen[side]) c.seen[side] += length;
      unseen[side] = options_.demanded[side] && !bin.seen[side];
      bin.scanned = bin.scanned && !unseen[side];
    }
    if (bin.scanned) {
      c.scanned += length;
    } else {
      if (!open) c.gaps.push_back({from_of(k), to_of(k), {}});
      c.gaps.back().to = to_of(k);
      for (std::size_t side = 0; side < kSides; ++side) {
        c.gaps.back().unseen[side] = c.gaps.back().unseen[side] || unseen[side];
      }
    }
    open = !bin.scanned;
  }
  if (c.gaps.empty()) c.scanned = c.length();  // which the sum is but for rounding
  return out;
}

}  // namespace graze::clearance
