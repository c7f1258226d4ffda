// The results of a clearance run for machines.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "clearance_job.h"
#include "graze/version.h"
#include "numbers.h"

namespace graze::app {
namespace {

using Json = nlohmann::ordered_json;

Json vector(const Vec3& v) { return {v.x(), v.y(), v.z()}; }

// JSON has no infinity: what is beyond the limit has no number.
Json number(double x) { return std::isfinite(x) ? Json(x) : Json(); }

Json place(const clearance::ReportPoint& p) {
  if (p.clearance == kInfinity) return nullptr;
  return {{"clearance", number(p.clearance)},    {"side", name_of(p.side)},  {"chainage", p.chainage},
          {"vehicle_chainage", p.pose_chainage}, {"point", vector(p.point)}, {"point_index", p.index},
          {"in_vehicle", vector(p.in_vehicle)},  {"pose", p.pose},           {"fraction", p.fraction},
          {"model_element", p.element}};
}

Json depth(const clearance::PlaceDepth& d) {
  return {{"exit_depth", number(d.exit.depth)},
          {"exit_depth_at_least", number(d.exit.at_least)},
          {"direction", vector(d.exit.direction)},
          {"left", number(d.left)},
          {"up", number(d.up)},
          {"horizontal", number(d.directional.horizontal)},
          {"vertical", number(d.directional.vertical)}};
}

Json counts(const std::array<std::uint64_t, clearance::kLevels>& levels) {
  Json out;
  for (std::size_t k = 0; k < clearance::kLevels; ++k)
    out[std::string(name_of(static_cast<clearance::Level>(k)))] = levels[k];
  return out;
}

Json sides(const std::array<bool, clearance::kSides>& which) {
  Json out = Json::array();
  for (std::size_t side = 0; side < clearance::kSides; ++side) {
    if (which[side]) out.push_back(name_of(static_cast<clearance::Side>(side)));
  }
  return out;
}

Json coverage_json(const clearance::Coverage& c) {
  Json out = {{"from", c.from}, {"to", c.to}, {"length", c.length()}, {"scanned", c.scanned}, {"share", c.share()}};
  for (std::size_t side = 0; side < clearance::kSides; ++side)
    out["seen"][std::string(name_of(static_cast<clearance::Side>(side)))] = c.seen[side];
  out["demanded"] = sides(c.options.demanded);
  out["lookout"] = c.options.lookout;
  out["scan_density"] = c.options.points;
  out["gap"] = c.options.gap;
  out["min_share"] = c.options.min_share;
  out["points"] = c.points;
  out["gaps"] = Json::array();
  for (const clearance::CoverageGap& gap : c.gaps) {
    out["gaps"].push_back({{"from", gap.from}, {"to", gap.to}, {"unseen", sides(gap.unseen)}});
  }
  return out;
}

}  // namespace

std::string clearance_json(const ClearanceArguments& arguments, const MovingModel& model, const Route& route,
                           const ClearanceOutcome& outcome) {
  const clearance::Report& r = outcome.report;
  Json out;
  out["schema"] = "graze-clearance/2";
  out["graze"] = kVersion;
  const clearance::Verdict verdict = outcome.verdict();
  out["passed"] = outcome.exit_code(arguments) == 0;
  out["exit_code"] = outcome.exit_code(arguments);
  out["verdict"] = verdict == clearance::Verdict::not_checked      ? "unchecked"
                   : verdict == clearance::Verdict::partly_checked ? "partial"
                   : r.levels[0] > 0                               ? "hit"
                   : r.levels[1] > 0                               ? "fail"
                   : r.levels[2] > 0                               ? "warn"
                                                                   : "clear";
  out["why"] = verdict == clearance::Verdict::not_checked ? Json(unchecked_reason(outcome)) : Json();
  Json cautions = Json::array();
  for (const Caution& c : outcome.cautions) {
    cautions.push_back({{"name", c.name}, {"text", c.text}, {"doubt", c.doubt}, {"accepted", c.accepted}});
  }
  out["cautions"] = std::move(cautions);
  out["notes"] = outcome.notes;
  out["points"] = {{"total", r.points},
                   {"skipped", outcome.scan.skipped},
                   {"outside_roi", outcome.scan.outside},
                   {"no_echo_dropped", outcome.scan.dropped},
                   {"within_limit", r.within},
                   {"levels", counts(r.levels)}};
  out["tolerance"] = r.options.tolerance;
  out["coverage"] = coverage_json(r.coverage);
  out["worst"] = place(r.worst);
  Json clusters = Json::array();
  for (const clearance::ReportCluster& c : r.clusters) {
    Json entry = {{"level", name_of(c.level)},
                  {"from", c.from},
                  {"to", c.to},
                  {"points", counts(c.points)},
                  {"min", vector(c.bounds.min)},
                  {"max", vector(c.bounds.max)}};
    entry["worst"] = place(c.worst);
    entry["depth"] = c.depth ? depth(*c.depth) : Json();
    clusters.push_back(std::move(entry));
  }
  out["clusters"] = std::move(clusters);
  out["clusters_found"] = r.clusters_found;
  Json profile = Json::array();
  for (const clearance::ProfileRow& row : r.profile) {
    Json entry = {{"from", row.from}, {"to", row.to}};
    for (std::size_t side = 0; side < clearance::kSides; ++side) {
      entry[std::string(name_of(static_cast<clearance::Side>(side)))] = number(row.nearest[side].clearance);
    }
    entry["level"] = level_name(row, r.options);
    entry["scanned"] = row.swept ? Json(row.scanned) : Json();
    entry["seen"] = row.swept ? sides(row.seen) : Json();
    entry["scan_points"] = row.swept ? Json(row.points) : Json();
    profile.push_back(std::move(entry));
  }
  out["profile"] = std::move(profile);
  Json settings;
  for (const auto& [name, value] : settings_of(arguments, model, route)) {
    // The page calls it path; scripts have read it by this key since the first schema.
    settings[name == "path" ? "way" : name] = value;
  }
  out["settings"] = std::move(settings);
  Json inputs = Json::array();
  for (const InputFile& file : outcome.inputs) {
    inputs.push_back({{"role", file.role}, {"file", file.path}, {"bytes", file.size}, {"sha256", file.sha256}});
  }
  out["inputs"] = std::move(inputs);
  return json_text(std::move(out), 1) + "\n";
}

}  // namespace graze::app
