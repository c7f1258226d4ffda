// What the viewer of a clearance page reads (viewer/src/data.ts): one JSON object, and blocks of bytes in base64.
#include <fmt/format.h>

#include <Eigen/Geometry>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "clearance_job.h"
#include "clearance_page_data.h"
#include "numbers.h"
#include "page_template.h"

namespace graze::app {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMaxPoses = 50'000;  // of the route; the viewer draws straight lines between them

// To 0.1 mm, to keep the page small.
double rounded(double x) { return std::round(x / 1e-4) * 1e-4; }

// In whole millimetres, as the page shows it: the viewer's three digits are then the same. JSON has no infinities;
// nothing is a kilometre deep.
double shown_clearance(double c) { return std::isfinite(c) ? whole_millimetres(c) : -1e3; }

Json vector(const Vec3& v) { return {rounded(v.x()), rounded(v.y()), rounded(v.z())}; }

Json place(const clearance::ReportPoint& p, const Vec3& origin) {
  if (p.clearance == kInfinity) return nullptr;
  return {{"clearance", shown_clearance(p.clearance)},
          {"chainage", rounded(p.chainage)},
          {"at", p.pose + static_cast<double>(p.fraction)},
          {"point", vector(p.point - origin)},
          {"inVehicle", vector(p.in_vehicle)},
          {"side", name_of(p.side)},
          {"index", p.index}};
}

// Which poses the viewer gets: every `stride`-th, and the last.
std::vector<std::size_t> shown_poses(const Route& route, std::size_t& stride) {
  stride = (route.poses.size() + kMaxPoses - 1) / kMaxPoses;
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i + 1 < route.poses.size(); i += stride) out.push_back(i);
  out.push_back(route.poses.size() - 1);
  return out;
}

std::string floats(const std::vector<float>& values) {
  return {reinterpret_cast<const char*>(values.data()), 4 * values.size()};
}

// Eight floats per pose: position, quaternion x y z w, chainage.
std::string path_bytes(const Route& route, const std::vector<std::size_t>& shown, const Vec3& origin) {
  std::vector<float> out;
  for (const std::size_t i : shown) {
    const Vec3 p = route.poses[i].translation() - origin;
    const Eigen::Quaterniond q(route.poses[i].rotation());
    for (const double v : {p.x(), p.y(), p.z(), q.x(), q.y(), q.z(), q.w(), route.chainage[i]}) {
      out.push_back(static_cast<float>(v));
    }
  }
  return floats(out);
}

// Per shape: vertices (3 floats), triangles (3 uint32), points (3 floats).
std::string model_bytes(std::span<const clearance::ReportModel> models) {
  const auto flat = [](const std::vector<Vec3>& points) {
    std::vector<float> out;
    for (const Vec3& p : points) {
      for (Eigen::Index k = 0; k < 3; ++k) out.push_back(static_cast<float>(p[k]));
    }
    return floats(out);
  };
  std::string out;
  for (const clearance::ReportModel& model : models) {
    out += flat(model.vertices);
    for (const MeshTriangle& t : model.triangles) {
      for (const std::uint32_t corner : t) out.append(reinterpret_cast<const char*>(&corner), 4);
    }
    out += flat(model.points);
  }
  return out;
}

// Per node of the cloud: 6 bytes of position for each point, then a byte of colour code for each.
std::string node_bytes(const clearance::ReportCloud& cloud, const clearance::ReportCloudNode& node) {
  std::string out(std::size_t{7} * node.count, '\0');
  static_assert(sizeof cloud.places[0] == 6);
  if (node.count == 0) return out;
  std::memcpy(out.data(), cloud.places.data() + node.first, std::size_t{6} * node.count);
  std::memcpy(out.data() + std::size_t{6} * node.count, cloud.codes.data() + node.first, node.count);
  return out;
}

Json viewer_json(const ClearanceArguments& a, const MovingModel& model, const Route& route, const ClearanceOutcome& o,
                 const PageParts& parts, const std::vector<std::size_t>& shown, std::size_t stride) {
  const clearance::Report& r = o.report;
  const Vec3& origin = parts.cloud.origin;
  Json out = {{"schema", 1},        {"warn", r.options.warn},   {"fail", r.options.fail},
              {"limit", a.reach()}, {"origin", vector(origin)}, {"scanPoints", r.points}};
  Json frames = Json::array();
  for (const clearance::ReportModel& m : parts.models)
    frames.push_back({m.vertices.size(), m.triangles.size(), m.points.size()});
  out["model"] = {{"min", vector(model.box.min)}, {"max", vector(model.box.max)}, {"frames", std::move(frames)}};
  out["path"] = {{"poses", shown.size()}, {"stride", stride}, {"last", route.poses.size() - 1}};
  Json from = Json::array(), to = Json::array(), worst = Json::array(), scanned = Json::array(), minimum, seen;
  for (std::size_t side = 0; side < clearance::kSides; ++side) {
    Json column = Json::array();
    for (const clearance::ProfileRow& row : r.profile) {
      const double c = row.nearest[side].clearance;
      column.push_back(c == kInfinity ? Json() : Json(shown_clearance(c)));
    }
    minimum[std::string(name_of(static_cast<clearance::Side>(side)))] = std::move(column);
    Json looked = Json::array();
    for (const clearance::ProfileRow& row : r.profile)
      looked.push_back(row.swept ? Json(row.seen[side] ? 1 : 0) : Json());
    seen[std::string(name_of(static_cast<clearance::Side>(side)))] = std::move(looked);
  }
  for (const clearance::ProfileRow& row : r.profile) {
    from.push_back(rounded(row.from));
    to.push_back(rounded(row.to));
    scanned.push_back(row.swept ? Json(row.scanned ? 1 : 0) : Json());
    const clearance::ReportPoint* nearest = row.nearest.data();
    for (const clearance::ReportPoint& p : row.nearest) nearest = p.clearance < nearest->clearance ? &p : nearest;
    worst.push_back(place(*nearest, origin));
  }
  out["profile"] = {{"from", std::move(from)},   {"to", std::move(to)},     {"minimum", std::move(minimum)},
                    {"worst", std::move(worst)}, {"seen", std::move(seen)}, {"scanned", std::move(scanned)}};
  Json clusters = Json::array();
  for (const clearance::ReportCluster& c : r.clusters) {
    Json entry = place(c.worst, origin);
    entry["level"] = name_of(c.level);
    entry["from"] = rounded(c.from);
    entry["to"] = rounded(c.to);
    entry["points"] = c.total();
    clusters.push_back(std::move(entry));
  }
  out["clusters"] = std::move(clusters);
  Json nodes = Json::array();
  for (const clearance::ReportCloudNode& n : parts.cloud.nodes) {
    for (const double v : {static_cast<double>(n.min[0]), static_cast<double>(n.min[1]), static_cast<double>(n.min[2]),
                           static_cast<double>(n.size)}) {
      nodes.push_back(v);
    }
    for (const std::uint32_t v : {n.count, n.children, n.child_count, 0U}) nodes.push_back(v);
  }
  out["nodes"] = std::move(nodes);
  return out;
}

}  // namespace

void write_viewer_data(FileWriter& file, const ClearanceArguments& a, const MovingModel& model, const Route& route,
                       const ClearanceOutcome& o, const PageParts& parts) {
  std::size_t stride = 1;
  const std::vector<std::size_t> shown = shown_poses(route, stride);
  write_page_data(file, json_text(viewer_json(a, model, route, o, parts, shown, stride)));
  write_page_block(file, "path", path_bytes(route, shown, parts.cloud.origin));
  write_page_block(file, "model", model_bytes(parts.models));
  for (std::size_t i = 0; i < parts.cloud.nodes.size(); ++i) {
    write_page_block(file, fmt::format("node-{}", i), node_bytes(parts.cloud, parts.cloud.nodes[i]));
  }
}

}  // namespace graze::app
