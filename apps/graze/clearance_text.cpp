// What a clearance run says on the terminal.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "clearance_job.h"
#include "command.h"
#include "numbers.h"

namespace graze::app {
namespace {

std::string coverage_text(const clearance::Coverage& c, bool quiet) {
  std::string seen;
  for (std::size_t side = 0; side < clearance::kSides; ++side) {
    seen += fmt::format("{}{} {:.0f}", side == 0 ? "" : ", ", name_of(static_cast<clearance::Side>(side)),
                        whole_metres(c, side));
  }
  const std::string demanded = sides_text(c.options.demanded);
  std::string out = fmt::format("scanned: {} (seen on sides: {} m; required: {})\n", scanned_text(c), seen,
                                demanded.empty() ? "none" : demanded);
  if (quiet) return out;
  constexpr std::size_t kRows = 5;
  std::vector<clearance::CoverageGap> gaps = c.gaps;
  std::stable_sort(gaps.begin(), gaps.end(), [](const clearance::CoverageGap& a, const clearance::CoverageGap& b) {
    return a.length() > b.length();
  });
  for (std::size_t i = 0; i < std::min(kRows, gaps.size()); ++i) {
    out += fmt::format("  not scanned from {} to {} m: {}\n", fixed(gaps[i].from, 1), fixed(gaps[i].to, 1),
                       sides_text(gaps[i].unseen));
  }
  if (gaps.size() > kRows) out += fmt::format("  … and {} shorter sections\n", gaps.size() - kRows);
  return out;
}

}  // namespace

std::string scanned_text(const clearance::Coverage& c) {
  // Rounded down, so that no gap is rounded away.
  const bool fine = c.length() < 20;
  const double unit = fine ? 0.1 : 1;
  const double scanned = c.gaps.empty() ? c.length() : std::floor(c.scanned / unit) * unit;
  return fmt::format("{:.{}f} of {:.{}f} m", scanned, fine ? 1 : 0, c.length(), fine ? 1 : 0);
}

std::string sides_text(const std::array<bool, clearance::kSides>& sides) {
  std::string out;
  for (std::size_t side = 0; side < clearance::kSides; ++side) {
    if (sides[side]) out += (out.empty() ? "" : ", ") + std::string(name_of(static_cast<clearance::Side>(side)));
  }
  return out;
}

std::string unchecked_reason(const ClearanceOutcome& outcome) {
  const clearance::Coverage& c = outcome.report.coverage;
  if (c.points == 0) return "no point of the scan is near the path";
  if (const Caution* doubt = outcome.doubt()) {
    return fmt::format("{} in doubt, see the caution; if it is correct, use --accept {}",
                       doubt->name == "size"    ? "the size of the model is"
                       : doubt->name == "units" ? "the units are"
                       : doubt->name == "axes"  ? "the axes are"
                                                : "the location of the scan is",
                       doubt->name);
  }
  return fmt::format("only {} of the path was scanned, less than {:g} %", scanned_text(c), 100 * c.options.min_share);
}

int ClearanceOutcome::exit_code(const ClearanceArguments& a) const {
  switch (verdict()) {
    case clearance::Verdict::fails:
      return kCollision;
    case clearance::Verdict::not_checked:
      return kInput;
    case clearance::Verdict::partly_checked:
      return a.allow_gaps ? kClear : kPartly;
    case clearance::Verdict::clear:
      return kClear;
  }
  return kInternal;
}

std::string clearance_text(const ClearanceArguments& a, const ClearanceOutcome& outcome, bool quiet, bool color) {
  const clearance::Report& r = outcome.report;
  const clearance::Verdict verdict = outcome.verdict();
  const auto colored = [&](const char* text, int code) {
    return color ? fmt::format("\033[1;{}m{}\033[0m", code, text) : std::string(text);
  };
  constexpr int kRed = 31, kGreen = 32, kYellow = 33;
  const bool narrow = r.levels[2] > 0;
  std::string out;
  if (verdict == clearance::Verdict::not_checked) {
    out = colored("NOT CHECKED", kRed) + ": " + unchecked_reason(outcome) + "\n" + coverage_text(r.coverage, quiet);
    return out;
  }
  if (verdict == clearance::Verdict::fails) {
    out = colored("DOES NOT FIT", kRed);
  } else if (verdict == clearance::Verdict::partly_checked) {
    out = colored("PARTLY CHECKED", kYellow) +
          fmt::format(": {} where scanned: {}", narrow ? "fits, narrowly," : "clear", scanned_text(r.coverage));
  } else {
    out = narrow ? colored("FITS, NARROWLY", kYellow) : colored("CLEAR", kGreen);
  }
  out += fmt::format("{} of {} points {} are hit, {} more are below {:g} m and {} more below {:g} m",
                     verdict == clearance::Verdict::partly_checked ? ";" : ":", r.points, r.levels[0], r.levels[1],
                     a.fail, r.levels[2], a.warn);
  if (std::isfinite(r.worst.clearance)) {
    out += fmt::format("; minimum clearance {} m, {} at chainage {} m", fixed(whole_millimetres(r.worst.clearance), 3),
                       name_of(r.worst.side), fixed(r.worst.chainage, 1));
  }
  out += "\n" + coverage_text(r.coverage, quiet);
  if (quiet || r.clusters.empty()) return out;
  out += fmt::format("\n  {:>3}  {:<5} {:>10}  {:<6} {:>10}  {:>19}  {:>8}\n", "#", "level", "clearance", "side",
                     "chainage", "from – to ", "points");
  constexpr std::size_t kRows = 10;
  for (std::size_t i = 0; i < std::min(kRows, r.clusters.size()); ++i) {
    const clearance::ReportCluster& c = r.clusters[i];
    out += fmt::format("  {:>3}  {:<5} {:>8} m  {:<6} {:>8} m  {:>17}  {:>8}\n", i + 1, name_of(c.level),
                       fixed(whole_millimetres(c.worst.clearance), 3), name_of(c.worst.side),
                       fixed(c.worst.chainage, 1), fmt::format("{} – {}", fixed(c.from, 1), fixed(c.to, 1)), c.total());
  }
  if (r.clusters_found > kRows) out += fmt::format("  … and {} more locations\n", r.clusters_found - kRows);
  return out;
}

}  // namespace graze::app
