#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "graze/clearance/report.h"

namespace graze::clearance {
namespace {

// Tenths of a millimetre: finer than any scan, and coarser than the rounding of geo-referenced coordinates. Nothing
// where nothing is near.
std::string metres(double value) {
  if (!std::isfinite(value)) return value > 0 ? "" : "-inf";
  const std::string text = fmt::format("{:.4f}", value);
  return text == "-0.0000" ? "0.0000" : text;
}

// A clearance, rounded down: none is written that is more than it is. What is less than a multiple by the tolerance of
// the search is that multiple.
std::string clearance_metres(double value) {
  constexpr double kSteps = 1e4;
  return std::isfinite(value) ? metres(std::floor((value + kTolerance) * kSteps) / kSteps) : metres(value);
}

}  // namespace

std::string profile_csv(const Report& report) {
  std::string out =
      "chainage_from_m,chainage_to_m,left_m,right_m,above_m,below_m,min_m,level,"
      "left_points,right_points,above_points,below_points,unseen,scanned\n";
  for (const ProfileRow& row : report.profile) {
    out += fmt::format("{},{}", metres(row.from), metres(row.to));
    for (const ReportPoint& place : row.nearest) out += "," + clearance_metres(place.clearance);
    out += fmt::format(",{},{}", clearance_metres(row.min_clearance()), level_name(row, report.options));
    if (!row.swept) {
      out += ",,,,,,\n";
      continue;
    }
    std::string unseen;
    for (std::size_t side = 0; side < kSides; ++side) {
      out += fmt::format(",{}", row.points[side]);
      if (!row.seen[side]) unseen += (unseen.empty() ? "" : "+") + std::string(name_of(static_cast<Side>(side)));
    }
    out += fmt::format(",{},{}\n", unseen, row.scanned ? "yes" : "no");
  }
  return out;
}

std::string clusters_csv(const Report& report) {
  std::string out =
      "rank,level,clearance_m,chainage_m,chainage_from_m,chainage_to_m,side,x_m,y_m,z_m,vehicle_x_m,vehicle_y_m,"
      "vehicle_z_m,vehicle_chainage_m,pose,points,hits,below_fail,below_warn,point_index,model_element,"
      "exit_depth_m,exit_left_m,exit_up_m,horizontal_m,vertical_m\n";
  std::size_t rank = 0;
  for (const ReportCluster& c : report.clusters) {
    const ReportPoint& w = c.worst;
    out += fmt::format("{},{},{},{},{},{},{}", ++rank, name_of(c.level), clearance_metres(w.clearance),
                       metres(w.chainage), metres(c.from), metres(c.to), name_of(w.side));
    for (const Vec3& p : {w.point, w.in_vehicle}) {
      out += fmt::format(",{},{},{}", metres(p.x()), metres(p.y()), metres(p.z()));
    }
    out += fmt::format(",{},{},{},{},{},{},{},{}", metres(w.pose_chainage), w.pose, c.total(), c.points[0], c.points[1],
                       c.points[2], w.index, w.element);
    const double nothing = kInfinity;
    const PlaceDepth depth = c.depth.value_or(PlaceDepth{{}, {.depth = nothing}, nothing, nothing});
    out += fmt::format(",{},{},{},{},{}\n", metres(depth.exit.depth), metres(depth.left), metres(depth.up),
                       clearance_metres(depth.directional.horizontal), clearance_metres(depth.directional.vertical));
  }
  return out;
}

}  // namespace graze::clearance
