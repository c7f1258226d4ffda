// The page of a clearance report: one file that needs nothing else.
#include <fmt/format.h>

#include <Eigen/Geometry>
#include <cmath>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>

#include "clearance_job.h"
#include "embedded.h"
#include "graze/base/error.h"
#include "graze/io/write_file.h"
#include "graze/version.h"
#include "image.h"

namespace graze::app {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMostPoses = 50'000;  // of the way, for the viewer; between them it is straight

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

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
  const ClearanceReport& r = outcome.report;
  if (outcome.unchecked) {
    return "<div class=\"verdict fail\"><div><b>Not checked</b><br>No point of the scan is near the way, so that "
           "nothing "
           "can be said.</div></div>";
  }
  const std::uint64_t bad = r.levels[0] + r.levels[1];
  std::uint64_t places = 0;
  for (const ReportCluster& c : r.clusters) places += c.level < ClearanceLevel::warn ? 1 : 0;
  const std::string worst = std::isfinite(r.worst.clearance)
                                ? fmt::format("Least clearance {} m, {} at chainage {} m.", metres(r.worst.clearance),
                                              name_of(r.worst.side), metres(r.worst.chainage, 1))
                                : "Nothing is near.";
  if (bad > 0) {
    return fmt::format(
        "<div class=\"verdict fail\"><div><b>Does not fit</b><br>{} points in {} places are nearer than "
        "{:g} m{}. {}</div></div>",
        grouped(bad), places, r.options.fail,
        r.levels[0] > 0 ? fmt::format(", {} of them are hit", grouped(r.levels[0])) : "", worst);
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

std::string tiles(const ClearanceOutcome& o, const Way& way) {
  const ClearanceReport& r = o.report;
  return tile(grouped(r.points), "points in the scan") +
         tile(fmt::format("{} m", metres(way.chainage.back() - way.chainage.front(), 1)), "of way") +
         tile(std::isfinite(r.worst.clearance) ? metres(r.worst.clearance) + " m" : "–", "least clearance") +
         tile(grouped(r.levels[0]), "points hit") +
         tile(grouped(r.levels[1]), fmt::format("not hit, but below {:g} m", r.options.fail)) +
         tile(grouped(r.levels[2]), fmt::format("from {:g} to {:g} m", r.options.fail, r.options.warn)) +
         tile(grouped(r.clusters_found), "places");
}

// "0.213 m up": how far the point would have to move for the vehicle to keep the clearance that was asked for.
std::string way_out(const ReportCluster& c) {
  if (!c.depth || c.depth->exit.depth == 0) return "";
  if (!c.depth->exit.found) return fmt::format("over {:g} m", ExitDepthOptions().farthest);
  const double sideways = std::abs(c.depth->left), upright = std::abs(c.depth->up);
  constexpr double kLean = 0.4;  // tangent of some 22 degrees
  std::string where;
  if (upright > kLean * sideways) where = c.depth->up > 0 ? "up" : "down";
  if (sideways > kLean * upright)
    where += std::string(where.empty() ? "" : " ") + (c.depth->left > 0 ? "left" : "right");
  return fmt::format("{} m {}", metres(c.depth->exit.depth), where);
}

std::string clusters(const ClearanceReport& r, const PageParts& parts, double limit, bool live) {
  if (r.clusters.empty()) return "<p>There are none.</p>";
  std::string out = fmt::format(
      "<p class=\"soft\">Points below {:g} m that hang together, worst first. The way out is how far "
      "the worst point would have to move across the way for the vehicle to keep {:g} m.{}</p>\n<div "
      "class=\"scroll{}\"><table>"
      "<thead><tr><th class=\"n\">#</th><th>section</th><th></th><th class=\"n\">clearance</th><th>side</th><th "
      "class=\"n\">chainage</th><th class=\"n\">way out</th><th class=\"n\">from – to</th><th "
      "class=\"n\">points</th><th class=\"n\">point of the "
      "scan</th><th class=\"n\">on the vehicle</th><th class=\"n\">vehicle at</th></tr></thead>\n<tbody>\n",
      r.options.warn, r.options.fail, live ? " Click one to go there." : "", live ? " live" : "");
  for (std::size_t i = 0; i < r.clusters.size(); ++i) {
    const ReportCluster& c = r.clusters[i];
    const ReportPlace& w = c.worst;
    const auto point = [](const Vec3& p) {
      return fmt::format("{}, {}, {}", metres(p.x(), 2), metres(p.y(), 2), metres(p.z(), 2));
    };
    out += fmt::format("<tr data-cluster=\"{}\"{}><td class=\"n\">{}</td><td class=\"picture\">{}</td>", i,
                       live ? " tabindex=\"0\"" : "", i + 1,
                       i < parts.sections.size() ? section_svg(parts.sections[i], r.options, limit) : "");
    out += fmt::format(
        "<td><span class=\"badge {0}\">{0}</span></td><td class=\"n\">{1} m</td><td>{2}</td>"
        "<td class=\"n\">{3} m</td><td class=\"n\">{4}</td><td class=\"n\">{5} – {6}</td><td class=\"n\">{7}</td>",
        name_of(c.level), metres(w.clearance), name_of(w.side), metres(w.chainage, 2), way_out(c), metres(c.from, 1),
        metres(c.to, 1), grouped(c.total()));
    out += fmt::format("<td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{} m</td></tr>\n", point(w.point),
                       point(w.in_vehicle), metres(w.pose_chainage, 1));
  }
  out += "</tbody></table></div>";
  if (r.clusters_found > r.clusters.size()) {
    out += fmt::format("<p class=\"soft\">{} more are not listed.</p>", r.clusters_found - r.clusters.size());
  }
  return out;
}

std::string settings(const ClearanceArguments& a, const MovingModel& model, const Way& way, const ClearanceOutcome& o) {
  std::string out = "<table><tbody>\n";
  for (const auto& [name, value] : settings_of(a, model, way)) {
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

// --- what the viewer reads (viewer/src/data.ts) ---

double rounded(double x, double unit = 1e-4) { return std::round(x / unit) * unit; }

// JSON has no infinities; nothing is a kilometre deep.
double shown_clearance(double c) { return std::isfinite(c) ? rounded(c, 1e-6) : -1e3; }

Json vector(const Vec3& v) { return {rounded(v.x()), rounded(v.y()), rounded(v.z())}; }

Json place(const ReportPlace& p, const Vec3& origin) {
  if (p.clearance == kInfinity) return nullptr;
  return {{"clearance", shown_clearance(p.clearance)},
          {"chainage", rounded(p.chainage)},
          {"at", p.pose + static_cast<double>(p.fraction)},
          {"point", vector(p.point - origin)},
          {"inVehicle", vector(p.in_vehicle)},
          {"side", name_of(p.side)},
          {"index", p.index}};
}

std::vector<std::size_t> shown_poses(const Way& way, std::size_t& stride) {
  stride = (way.poses.size() + kMostPoses - 1) / kMostPoses;
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i + 1 < way.poses.size(); i += stride) out.push_back(i);
  out.push_back(way.poses.size() - 1);
  return out;
}

std::string floats(const std::vector<float>& values) {
  return {reinterpret_cast<const char*>(values.data()), 4 * values.size()};
}

std::string path_bytes(const Way& way, const std::vector<std::size_t>& shown, const Vec3& origin) {
  std::vector<float> out;
  for (const std::size_t i : shown) {
    const Vec3 p = way.poses[i].translation() - origin;
    const Eigen::Quaterniond q(way.poses[i].rotation());
    for (const double v : {p.x(), p.y(), p.z(), q.x(), q.y(), q.z(), q.w(), way.chainage[i]}) {
      out.push_back(static_cast<float>(v));
    }
  }
  return floats(out);
}

std::string model_bytes(std::span<const ReportModel> models) {
  const auto flat = [](const std::vector<Vec3>& points) {
    std::vector<float> out;
    for (const Vec3& p : points) {
      for (Eigen::Index k = 0; k < 3; ++k) out.push_back(static_cast<float>(p[k]));
    }
    return floats(out);
  };
  std::string out;
  for (const ReportModel& model : models) {
    out += flat(model.vertices);
    for (const MeshTriangle& t : model.triangles) {
      for (const std::uint32_t corner : t) out.append(reinterpret_cast<const char*>(&corner), 4);
    }
    out += flat(model.points);
  }
  return out;
}

std::string node_bytes(const ReportCloud& cloud, const ReportCloudNode& node) {
  std::string out(std::size_t{7} * node.count, '\0');
  static_assert(sizeof cloud.places[0] == 6);
  if (node.count == 0) return out;
  std::memcpy(out.data(), cloud.places.data() + node.first, std::size_t{6} * node.count);
  std::memcpy(out.data() + std::size_t{6} * node.count, cloud.codes.data() + node.first, node.count);
  return out;
}

Json data(const ClearanceArguments& a, const MovingModel& model, const Way& way, const ClearanceOutcome& o,
          const PageParts& parts, const std::vector<std::size_t>& shown, std::size_t stride) {
  const ClearanceReport& r = o.report;
  const Vec3& origin = parts.cloud.origin;
  Json out = {{"schema", 1},        {"warn", r.options.warn},   {"fail", r.options.fail},
              {"limit", a.reach()}, {"origin", vector(origin)}, {"scanPoints", r.points}};
  Json frames = Json::array();
  for (const ReportModel& m : parts.models) frames.push_back({m.vertices.size(), m.triangles.size(), m.points.size()});
  out["model"] = {{"min", vector(model.box.min)}, {"max", vector(model.box.max)}, {"frames", std::move(frames)}};
  out["path"] = {{"poses", shown.size()}, {"stride", stride}, {"last", way.poses.size() - 1}};
  Json from = Json::array(), to = Json::array(), worst = Json::array(), least;
  for (std::size_t side = 0; side < kSides; ++side) {
    Json column = Json::array();
    for (const ProfileRow& row : r.profile) {
      const double c = row.least[side].clearance;
      column.push_back(c == kInfinity ? Json() : Json(shown_clearance(c)));
    }
    least[std::string(name_of(static_cast<Side>(side)))] = std::move(column);
  }
  for (const ProfileRow& row : r.profile) {
    from.push_back(rounded(row.from));
    to.push_back(rounded(row.to));
    const ReportPlace* nearest = row.least.data();
    for (const ReportPlace& p : row.least) nearest = p.clearance < nearest->clearance ? &p : nearest;
    worst.push_back(place(*nearest, origin));
  }
  out["profile"] = {
      {"from", std::move(from)}, {"to", std::move(to)}, {"least", std::move(least)}, {"worst", std::move(worst)}};
  Json clusters = Json::array();
  for (const ReportCluster& c : r.clusters) {
    Json entry = place(c.worst, origin);
    entry["level"] = name_of(c.level);
    entry["from"] = rounded(c.from);
    entry["to"] = rounded(c.to);
    entry["points"] = c.total();
    clusters.push_back(std::move(entry));
  }
  out["clusters"] = std::move(clusters);
  Json nodes = Json::array();
  for (const ReportCloudNode& n : parts.cloud.nodes) {
    for (const double v : {static_cast<double>(n.min[0]), static_cast<double>(n.min[1]), static_cast<double>(n.min[2]),
                           static_cast<double>(n.size)}) {
      nodes.push_back(v);
    }
    for (const std::uint32_t v : {n.count, n.children, n.child_count, 0U}) nodes.push_back(v);
  }
  out["nodes"] = std::move(nodes);
  return out;
}

// A script that is data: no '<' may end it.
std::string harmless(const std::string& text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

void write_block(FileWriter& file, const std::string& name, std::string_view bytes) {
  file.write(fmt::format("<script type=\"text/plain\" id=\"graze-{}\">", name));
  file.write(base64(bytes));
  file.write("</script>\n");
}

void write_data(FileWriter& file, const ClearanceArguments& a, const MovingModel& model, const Way& way,
                const ClearanceOutcome& o, const PageParts& parts) {
  std::size_t stride = 1;
  const std::vector<std::size_t> shown = shown_poses(way, stride);
  file.write("<script type=\"application/json\" id=\"graze-data\">");
  file.write(harmless(data(a, model, way, o, parts, shown, stride).dump()));
  file.write("</script>\n");
  write_block(file, "path", path_bytes(way, shown, parts.cloud.origin));
  write_block(file, "model", model_bytes(parts.models));
  for (std::size_t i = 0; i < parts.cloud.nodes.size(); ++i) {
    write_block(file, fmt::format("node-{}", i), node_bytes(parts.cloud, parts.cloud.nodes[i]));
  }
}

}  // namespace

void write_clearance_page(const ClearanceArguments& a, const MovingModel& model, const Way& way,
                          const ClearanceOutcome& o, const PageParts& parts) {
  const ClearanceReport& r = o.report;
  const bool live = !viewer_script().empty();
  std::string cautions;
  for (const std::string& text : o.cautions) cautions += fmt::format("<p class=\"caution\">{}</p>\n", escaped(text));
  std::string scans;
  for (const std::string& scan : a.scans) scans += (scans.empty() ? "" : ", ") + scan;
  const std::map<std::string_view, std::string> places = {
      {"title", escaped(a.title)},
      {"generator", std::string("graze ") + kVersion},
      {"subtitle", escaped(fmt::format("{} along {} through {}", model.name, a.path, scans))},
      {"verdict", verdict(o)},
      {"cautions", cautions},
      {"tiles", tiles(o, way)},
      {"bin", fmt::format("{:g} m", r.options.bin)},
      {"profile_hint", live ? "Drag to zoom, double-click to see all, click to go there." : ""},
      {"profile", profile_svg(r, a.reach())},
      {"no_viewer", live ? ""
                         : "<p class=\"caution\">This report has no 3-D view: graze was built without npm, which its "
                           "viewer needs. Everything else is here.</p>"},
      {"fail", fmt::format("{:g} m", r.options.fail)},
      {"warn", fmt::format("{:g} m", r.options.warn)},
      {"limit", fmt::format("{:g} m", a.reach())},
      {"clusters", clusters(r, parts, a.reach(), live)},
      {"settings", settings(a, model, way, o)},
      {"script", std::string(viewer_script())}};
  FileWriter file(a.report);
  std::string_view rest = report_template();
  for (;;) {
    const std::size_t open = rest.find("{{"), close = rest.find("}}", open);
    if (open == std::string_view::npos || close == std::string_view::npos) break;
    file.write(rest.substr(0, open));
    const std::string_view name = rest.substr(open + 2, close - open - 2);
    if (name == "data") {
      if (live) write_data(file, a, model, way, o, parts);
    } else {
      file.write(places.at(name));
    }
    rest.remove_prefix(close + 2);
  }
  file.write(rest);
  file.commit();
}

}  // namespace graze::app
