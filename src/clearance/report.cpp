#include "graze/clearance/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "clearance/coverage_count.h"
#include "clearance/report_cells.h"
#include "graze/base/error.h"
#include "graze/base/parallel.h"

namespace graze::clearance {
namespace {

constexpr std::size_t kGrain = 65536;  // points that one thread takes at a time
constexpr std::int64_t kMaxRows = 10'000'000;

using Row = std::array<Candidate, kSides>;

/// What is known of some of the points; the order in which parts are merged does not matter.
struct Tally {
  std::uint64_t points = 0, skipped = 0, within = 0;
  std::array<std::uint64_t, kLevels> levels{};
  Candidate worst;
  std::map<std::int64_t, Row> rows;
  Cells cells;

  static void take(Candidate& best, const Candidate& other) {
    if (other.none) return;
    if (best.none || worse(other.result.clearance, other.index, best.result.clearance, best.index)) {
      best = other;
    }
  }

  void merge(Tally&& other) {
    points += other.points;
    skipped += other.skipped;
    within += other.within;
    for (std::size_t k = 0; k < kLevels; ++k) levels[k] += other.levels[k];
    take(worst, other.worst);
    for (const auto& [key, row] : other.rows) {
      Row& mine = rows[key];
      for (std::size_t k = 0; k < kSides; ++k) take(mine[k], row[k]);
    }
    for (const auto& [key, cell] : other.cells) cells[key].merge(cell);
  }
};

void check(const ReportOptions& o) {
  const auto is_length = [](double x) { return std::isfinite(x) && x > 0; };
  if (!(std::isfinite(o.warn) && std::isfinite(o.fail) && 0 <= o.fail && o.fail <= o.warn)) {
    throw Error("thresholds", fmt::format("must be 0 <= fail <= warn, got fail {} and warn {}", o.fail, o.warn));
  }
  if (!(std::isfinite(o.tolerance) && o.tolerance >= 0)) {
    throw Error("tolerance", fmt::format("must not be negative or infinite, got {}", o.tolerance));
  }
  if (!is_length(o.bin)) throw Error("bin", fmt::format("must be positive, got {}", o.bin));
  if (!is_length(o.link)) throw Error("link", fmt::format("must be positive, got {}", o.link));
  if (o.halo < 0) throw Error("halo", fmt::format("must not be negative, got {}", o.halo));
}

}  // namespace

struct ReportBuilder::State {
  State(const ReportPath& p, const ReportOptions& o) : path(p), options(o), coverage(p, o.coverage, o.bin) {}

  void add(const Vec3& point, const PointClearance& result, std::uint64_t index, Tally& into) {
    ++into.points;
    if (!is_finite(point)) {
      ++into.skipped;
      return;
    }
    coverage.add(point);
    const Level level = level_of(result.clearance, options);
    ++into.levels[static_cast<std::size_t>(level)];
    if (result.clearance == kInfinity) return;
    ++into.within;
    const ReportPoint place = path.point_of(point, result, index);
    Candidate candidate{point, result, index, false};
    // NaN is worse than any number.
    if (std::isnan(result.clearance)) candidate.result.clearance = -kInfinity;
    Tally::take(into.worst, candidate);
    const double row = std::floor(place.chainage / options.bin);
    Tally::take(into.rows[static_cast<std::int64_t>(row)][static_cast<std::size_t>(place.side)], candidate);
    if (level == Level::clear) return;
    Cell& cell = into.cells[key_of(point)];
    Tally::take(cell.worst, candidate);
    ++cell.points[static_cast<std::size_t>(level)];
    cell.from = std::min(cell.from, place.chainage);
    cell.to = std::max(cell.to, place.chainage);
    cell.bounds.extend(point);
  }

  CellKey key_of(const Vec3& p) const {
    // Beyond this the cubes are finer than the numbers; all such points share the outermost ones.
    constexpr double kMax = 4e18;
    const auto on_axis = [&](double x) {
      return static_cast<std::int64_t>(std::clamp(std::floor(x / options.link), -kMax, kMax));
    };
    return {on_axis(p.x()), on_axis(p.y()), on_axis(p.z())};
  }

  ReportPoint place(const Candidate& c) const {
    return c.none ? ReportPoint{} : path.point_of(c.point, c.result, c.index);
  }

  ReportCluster cluster(const std::vector<CellKey>& keys) const {
    Cell all;
    for (const CellKey& key : keys) all.merge(tally.cells.at(key));
    return {place(all.worst), level_of(all.worst.result.clearance, options), all.points, all.from, all.to, all.bounds};
  }

  ReportPath path;
  ReportOptions options;
  CoverageCount coverage;
  Tally tally;
};

ReportBuilder::ReportBuilder(const ReportPath& path, const ReportOptions& options) {
  check(options);
  const double reach = path.model().max.cwiseAbs().cwiseMax(path.model().min.cwiseAbs()).norm();
  const double rows = (path.length() + 2 * reach) / options.bin;
  if (!(rows < static_cast<double>(kMaxRows))) {
    throw Error("bin", fmt::format("{} m make {:.3g} rows of the profile; at most {} are written", options.bin, rows,
                                   kMaxRows));
  }
  state_ = std::make_unique<State>(path, options);
}

ReportBuilder::~ReportBuilder() = default;
ReportBuilder::ReportBuilder(ReportBuilder&&) noexcept = default;
ReportBuilder& ReportBuilder::operator=(ReportBuilder&&) noexcept = default;

void ReportBuilder::add(std::span<const Vec3> points, std::span<const PointClearance> results, std::uint64_t first) {
  if (points.size() != results.size()) {
    throw Error("results", fmt::format("{} of them for {} points", results.size(), points.size()));
  }
  const std::size_t poses = state_->path.poses().size();
  state_->tally = parallel_reduce(
      points.size(), std::move(state_->tally),
      [&](std::size_t begin, std::size_t end) {
        Tally tally;
        for (std::size_t i = begin; i < end; ++i) {
          if (results[i].pose >= poses && results[i].clearance != kInfinity) {
            throw Error("results", fmt::format("point {} names pose {} of {}", first + i, results[i].pose, poses));
          }
          state_->add(points[i], results[i], first + i, tally);
        }
        return tally;
      },
      [](Tally&& all, Tally&& part) {
        all.merge(std::move(part));
        return std::move(all);
      },
      {.threads = state_->options.threads, .grain = kGrain});
}

Report ReportBuilder::finish() && {
  const State& s = *state_;
  Report report;
  report.options = s.options;
  report.points = s.tally.points;
  report.skipped = s.tally.skipped;
  report.within = s.tally.within;
  report.levels = s.tally.levels;
  report.worst = s.place(s.tally.worst);
  CoverageCount::Result covered = s.coverage.finish();
  report.coverage = std::move(covered.coverage);
  const std::int64_t first = s.coverage.first_bin(), last = first + s.coverage.bins();
  std::int64_t begin = first, end = last;
  if (!s.tally.rows.empty()) {
    begin = std::min(begin, s.tally.rows.begin()->first);
    end = std::max(end, s.tally.rows.rbegin()->first + 1);
  }
  if (end - begin > kMaxRows) throw Error("bin", "is too small for how far apart the points lie");
  for (std::int64_t k = begin; k < end; ++k) {
    ProfileRow row;
    row.from = static_cast<double>(k) * s.options.bin;
    row.to = static_cast<double>(k + 1) * s.options.bin;
    const auto found = s.tally.rows.find(k);
    for (std::size_t side = 0; found != s.tally.rows.end() && side < kSides; ++side) {
      row.nearest[side] = s.place(found->second[side]);
    }
    row.swept = k >= first && k < last;
    if (row.swept) {
      const CoverageCount::Bin& bin = covered.bins[static_cast<std::size_t>(k - first)];
      row.scanned = bin.scanned, row.seen = bin.seen, row.points = bin.points;
    }
    report.profile.push_back(row);
  }
  for (const std::vector<CellKey>& keys : join_cells(s.tally.cells, s.options.halo)) {
    report.clusters.push_back(s.cluster(keys));
  }
  std::sort(report.clusters.begin(), report.clusters.end(), [](const ReportCluster& a, const ReportCluster& b) {
    return worse(a.worst.clearance, a.worst.index, b.worst.clearance, b.worst.index);
  });
  report.clusters_found = report.clusters.size();
  if (report.clusters.size() > s.options.clusters) report.clusters.resize(s.options.clusters);
  state_.reset();
  return report;
}

}  // namespace graze::clearance
