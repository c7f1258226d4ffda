// The page of a clearance report: one file that needs nothing else.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "clearance_job.h"
#include "clearance_page_data.h"
#include "embedded.h"
#include "graze/base/error.h"
#include "graze/io/write_file.h"
#include "graze/version.h"
#include "numbers.h"
#include "page_template.h"

namespace graze::app {
namespace {

std::string metres(double value, int digits = 3) {
  if (!std::isfinite(value)) return "–";
  const std::string text = fmt::format("{:.{}f}", std::abs(value), digits);
  const bool zero = text.find_first_not_of("0.") == std::string::npos;
  return (value < 0 && !zero ? "−" : "") + text;
}

// 18,920,000
std::string grouped(std::uint64_t n) {
  const std::string digits = fmt::format("{}", n);
  std::string out;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) out += ',';
    out += digits[i];
  }
  return out;
}

std::string verdict(const ClearanceOutcome& outcome) {
  const clearance::Report& r = outcome.report;
  const clearance::Verdict said = outcome.verdict();
  if (said == clearance::Verdict::not_checked) {
    return fmt::format("<div class=\"verdict fail\"><div><b>Not checked</b><br>No verdict: {}.</div></div>",
                       escaped(unchecked_reason(outcome)));
  }
  const std::uint64_t bad = r.levels[0] + r.levels[1];
  std::uint64_t places = 0;
  for (const clearance::ReportCluster& c : r.clusters) places += c.level < clearance::Level::warn ? 1 : 0;
  const std::string worst =
      std::isfinite(r.worst.clearance)
          ? fmt::format("Minimum clearance {} m, {} at chainage {} m.", metres(whole_millimetres(r.worst.clearance)),
                        name_of(r.worst.side), metres(r.worst.chainage, 1))
          : "Nothing within range.";
  if (bad > 0) {
    return fmt::format(
        "<div class=\"verdict fail\"><div><b>Does not fit</b><br>{} points at {} locations are nearer than "
        "{:g} m{}. {}</div></div>",
        grouped(bad), places, r.options.fail,
        r.levels[0] > 0 ? fmt::format(", {} of them are hit", grouped(r.levels[0])) : "", worst);
  }
  if (said == clearance::Verdict::partly_checked) {
    return fmt::format(
        "<div class=\"verdict warn\"><div><b>Partly checked</b><br>{} where scanned: {}. The rest of the path was not "
        "scanned. {}</div></div>",
        r.levels[2] > 0 ? "Fits, narrowly," : "Clear", scanned_text(r.coverage), worst);
  }
  if (r.levels[2] > 0) {
    return fmt::format(
        "<div class=\"verdict warn\"><div><b>Fits, narrowly</b><br>{} points are nearer than {:g} m, none "
        "nearer than {:g} m. {}</div></div>",
        grouped(r.levels[2]), r.options.warn, r.options.fail, worst);
  }
  return fmt::format("<div class=\"verdict clear\"><div><b>Clear</b><br>No point is nearer than {:g} m. {}</div></div>",
                     r.options.warn, worst);
}

std::string tile(const std::string& value, std::string_view what) {
  return fmt::format("<div class=\"tile\"><b>{}</b><span>{}</span></div>\n", value, what);
}

std::string tiles(const ClearanceOutcome& o, const Route& route) {
  const clearance::Report& r = o.report;
  return tile(grouped(r.points), "points in the scan") +
         tile(fmt::format("{} m", metres(route.chainage.back() - route.chainage.front(), 1)), "path length") +
         tile(scanned_text(r.coverage), "scanned") +
         tile(std::isfinite(r.worst.clearance) ? metres(whole_millimetres(r.worst.clearance)) + " m" : "–",
              "minimum clearance") +
         tile(grouped(r.levels[0]), "points hit") +
         tile(grouped(r.levels[1]), fmt::format("not hit, but below {:g} m", r.options.fail)) +
         tile(grouped(r.levels[2]), fmt::format("from {:g} to {:g} m", r.options.fail, r.options.warn)) +
         tile(grouped(r.clusters_found), "locations");
}

// "0.213 m up": how far the point would have to move for the vehicle to keep the clearance that was asked for.
std::string exit_depth(const clearance::ReportCluster& c) {
  if (!c.depth || c.depth->exit.depth == 0) return "";
  if (!c.depth->exit.found) return fmt::format("over {:g} m", clearance::ExitDepthOptions().farthest);
  const double sideways = std::abs(c.depth->left), upright = std::abs(c.depth->up);
  constexpr double kLean = 0.4;  // tangent of some 22 degrees
  std::string where;
  if (upright > kLean * sideways) where = c.depth->up > 0 ? "up" : "down";
  if (sideways > kLean * upright)
    where += std::string(where.empty() ? "" : " ") + (c.depth->left > 0 ? "left" : "right");
  return fmt::format("{} m {}", metres(c.depth->exit.depth), where);
}

std::string clusters(const clearance::Report& r, const PageParts& parts, double limit, bool live) {
  if (r.clusters.empty()) return "<p>None.</p>";
  std::string out = fmt::format(
      "<p class=\"soft\">Clusters of points below {:g} m, worst first. The exit depth is how far the worst point would "
      "have to move, across the path, for the vehicle to keep {:g} m.{}</p>\n<div "
      "class=\"scroll{}\"><table>"
      "<thead><tr><th class=\"n\">#</th><th>section</th><th></th><th class=\"n\">clearance</th><th>side</th><th "
      "class=\"n\">chainage</th><th class=\"n\">exit depth</th><th class=\"n\">from – to</th><th "
      "class=\"n\">points</th><th class=\"n\">scan "
      "point</th><th class=\"n\">on the vehicle</th><th class=\"n\">vehicle at</th></tr></thead>\n<tbody>\n",
      r.options.warn, r.options.fail, live ? " Click a row to show it." : "", live ? " live" : "");
  for (std::size_t i = 0; i < r.clusters.size(); ++i) {
    const clearance::ReportCluster& c = r.clusters[i];
    const clearance::ReportPoint& w = c.worst;
    const auto point = [](const Vec3& p) {
      return fmt::format("{}, {}, {}", metres(p.x(), 2), metres(p.y(), 2), metres(p.z(), 2));
    };
    out += fmt::format("<tr data-cluster=\"{}\"{}><td class=\"n\">{}</td><td class=\"picture\">{}</td>", i,
                       live ? " tabindex=\"0\"" : "", i + 1,
                       i < parts.sections.size() ? section_svg(parts.sections[i], r.options, limit) : "");
    out += fmt::format(
        "<td><span class=\"badge {0}\">{0}</span></td><td class=\"n\">{1} m</td><td>{2}</td>"
        "<td class=\"n\">{3} m</td><td class=\"n\">{4}</td><td class=\"n\">{5} – {6}</td><td class=\"n\">{7}</td>",
        name_of(c.level), metres(whole_millimetres(w.clearance)), name_of(w.side), metres(w.chainage, 2), exit_depth(c),
        metres(c.from, 1), metres(c.to, 1), grouped(c.total()));
    out += fmt::format("<td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{} m</td></tr>\n", point(w.point),
                       point(w.in_vehicle), metres(w.pose_chainage, 1));
  }
  out += "</tbody></table></div>";
  if (r.clusters_found > r.clusters.size()) {
    out += fmt::format("<p class=\"soft\">{} more are not listed.</p>", r.clusters_found - r.clusters.size());
  }
  return out;
}

// What was scanned and what was not, longest gap first.
std::string coverage(const clearance::Coverage& c) {
  std::string out = fmt::format("<p id=\"coverage\">Scanned: {} (required sides: {}).", scanned_text(c),
                                sides_text(c.options.demanded).empty() ? "none" : sides_text(c.options.demanded));
  for (std::size_t side = 0; side < clearance::kSides; ++side) {
    out += fmt::format("{} {} m {}", side == 0 ? " Seen:" : ",", metres(whole_metres(c, side), 0),
                       name_of(static_cast<clearance::Side>(side)));
  }
  out += ".</p>\n";
  if (c.gaps.empty()) return out;
  std::vector<clearance::CoverageGap> gaps = c.gaps;
  std::stable_sort(gaps.begin(), gaps.end(), [](const clearance::CoverageGap& a, const clearance::CoverageGap& b) {
    return a.length() > b.length();
  });
  constexpr std::size_t kRows = 50;
  out += "<details><summary>Sections not scanned: " + grouped(gaps.size()) +
         "</summary><table><thead><tr><th class=\"n\">from – to</th><th class=\"n\">length</th><th>not seen</th></tr>"
         "</thead><tbody>\n";
  for (std::size_t i = 0; i < std::min(kRows, gaps.size()); ++i) {
    out += fmt::format("<tr><td class=\"n\">{} – {} m</td><td class=\"n\">{} m</td><td>{}</td></tr>\n",
                       metres(gaps[i].from, 1), metres(gaps[i].to, 1), metres(gaps[i].length(), 1),
                       sides_text(gaps[i].unseen));
  }
  out += "</tbody></table>";
  if (gaps.size() > kRows) out += fmt::format("<p>{} shorter sections are not listed.</p>", gaps.size() - kRows);
  return out + "</details>\n";
}

std::string settings(const ClearanceArguments& a, const MovingModel& model, const Route& route,
                     const ClearanceOutcome& o) {
  std::string out = "<table><tbody>\n";
  for (const auto& [name, value] : settings_of(a, model, route)) {
    out += fmt::format("<tr><th>{}</th><td>{}</td></tr>\n", escaped(name), escaped(value));
  }
  for (const std::string& note : o.notes) out += fmt::format("<tr><th>note</th><td>{}</td></tr>\n", escaped(note));
  out += fmt::format("<tr><th>graze</th><td>{}</td></tr>\n</tbody></table>\n", kVersion);
  out +=
      "<h2>Inputs</h2>\n<div class=\"scroll\"><table><thead><tr><th></th><th>file</th><th class=\"n\">bytes</th>"
      "<th>SHA-256</th></tr></thead><tbody>\n";
  for (const InputFile& file : o.inputs) {
    out += fmt::format("<tr><td>{}</td><td>{}</td><td class=\"n\">{}</td><td class=\"id\">{}</td></tr>\n", file.role,
                       escaped(file.path), grouped(file.size), file.sha256);
  }
  return out + "</tbody></table></div>";
}

}  // namespace

void write_clearance_page(const ClearanceArguments& a, const MovingModel& model, const Route& route,
                          const ClearanceOutcome& o, const PageParts& parts) {
  const clearance::Report& r = o.report;
  const bool live = !viewer_script().empty();
  std::string cautions;
  for (const Caution& c : o.cautions) {
    cautions += fmt::format("<p class=\"caution\">{}{}</p>\n", escaped(c.text), c.accepted ? " (accepted)" : "");
  }
  std::string scans;
  for (const std::string& scan : a.scans) scans += (scans.empty() ? "" : ", ") + scan;
  const std::map<std::string_view, std::string> places = {
      {"title", escaped(a.title)},
      {"generator", std::string("graze ") + kVersion},
      {"subtitle", escaped(fmt::format("{} along {} through {}", model.name, a.path, scans))},
      {"verdict", verdict(o)},
      {"cautions", cautions},
      {"tiles", tiles(o, route)},
      {"bin", fmt::format("{:g} m", r.options.bin)},
      {"profile_hint", live ? "Drag to zoom, double-click to see all, click to show a location." : ""},
      {"profile", profile_svg(r, a.reach())},
      {"coverage", coverage(r.coverage)},
      {"no_viewer", live ? ""
                         : "<p class=\"caution\">This report has no 3-D view: graze was built without npm, which its "
                           "viewer needs. Everything else is here.</p>"},
      {"fail", fmt::format("{:g} m", r.options.fail)},
      {"warn", fmt::format("{:g} m", r.options.warn)},
      {"limit", fmt::format("{:g} m", a.reach())},
      {"clusters", clusters(r, parts, a.reach(), live)},
      {"settings", settings(a, model, route, o)},
      {"script", std::string(viewer_script())}};
  FileWriter file(a.report);
  write_from_template(file, report_template(), places, [&] {
    if (live) write_viewer_data(file, a, model, route, o, parts);
  });
  file.commit();
}

}  // namespace graze::app
