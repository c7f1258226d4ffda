// What looks like a mistake in the inputs of a clearance run. Nothing near the vehicle may mean that it fits, or that
// it was never there.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "clearance_job.h"
#include "numbers.h"

namespace graze::app {
namespace {

// "24.6 × 3.1 × 4.3 m"
std::string size_text(const Aabb& box) {
  const Vec3 s = box.max - box.min;
  return fmt::format("{:.4g} × {:.4g} × {:.4g} m", s.x(), s.y(), s.z());
}

}  // namespace

std::string range_text(const Aabb& box) {
  const auto corner = [](const Vec3& p) {
    return fmt::format("({}, {}, {})", fixed(p.x(), 1), fixed(p.y(), 1), fixed(p.z(), 1));
  };
  return corner(box.min) + " to " + corner(box.max);
}

namespace {

// How far the model can be from its origin.
double reach_of(const MovingModel& model) { return model.box.max.cwiseAbs().cwiseMax(model.box.min.cwiseAbs()).norm(); }

// How much two boxes, seen from above, are the same: the area that they share as a part of what they cover together.
double sameness(const Aabb& a, const Aabb& b) {
  const auto area = [](const Vec3& size) { return std::max(size.x(), 0.0) * std::max(size.y(), 0.0); };
  const double shared = area(a.max.cwiseMin(b.max) - a.min.cwiseMax(b.min));
  const double all = area(a.max - a.min) + area(b.max - b.min) - shared;
  return all > 0 ? shared / all : 0;
}

Aabb scaled(const Aabb& box, double factor) { return {factor * box.min, factor * box.max}; }

struct Unit {
  const char* name;
  const char* option;
};
constexpr Unit kUnits[] = {{"millimetres", "mm"}, {"centimetres", "cm"}, {"decimetres", "dm"},
                           {"inches", "in"},      {"feet", "ft"},        {"kilometres", "km"}};

// The unit in which the scan or the path would lie where the other one is. Sizes alone do not tell: a path may be a
// third of a scan. Places do, since both are scaled about the same origin. Only what makes the scan larger than the
// path matters: a smaller one shows in what was scanned.
std::string wrong_unit(const ClearanceArguments& a, const Aabb& scan, const Aabb& route, double reach) {
  constexpr double kSame = 0.6, kMargin = 0.5;
  const Aabb around = route.grown(reach);
  double best = kSame;
  std::string hint;
  const double now = sameness(scan.grown(reach), around);
  for (const Unit& unit : kUnits) {
    const double of_scan = sameness(scaled(scan, unit_of(unit.option)).grown(reach), around);
    const double of_route = sameness(scan.grown(reach), scaled(route, unit_of(unit.option)).grown(reach));
    const bool small = unit_of(unit.option) < 1;
    if (small && a.units.empty() && of_scan >= best && now < kMargin * of_scan) {
      best = of_scan;
      hint = fmt::format("Is the scan in {}? Then use --units {}.", unit.name, unit.option);
    }
    if (!small && a.path_units == "m" && of_route >= best && now < kMargin * of_route) {
      best = of_route;
      hint = fmt::format("Is the path in {}? Then use --path-units {}.", unit.name, unit.option);
    }
  }
  return hint;
}

// Which unit would make the sizes agree, as a hint.
std::string unit_hint(double ratio, const char* option) {
  if (ratio > 300 && ratio < 3000) return fmt::format(" Is it in millimetres? Then use {} mm.", option);
  if (ratio > 30 && ratio < 300) return fmt::format(" Is it in centimetres? Then use {} cm.", option);
  if (ratio > 2.9 && ratio < 3.7) return fmt::format(" Is it in feet? Then use {} ft.", option);
  return "";
}

bool swapped(const Aabb& scan, const Aabb& route, double reach) {
  constexpr double kSame = 0.5, kMargin = 0.5;
  Aabb other = scan;
  std::swap(other.min.x(), other.min.y());
  std::swap(other.max.x(), other.max.y());
  const double now = sameness(scan.grown(reach), route.grown(reach));
  const double then = sameness(other.grown(reach), route.grown(reach));
  return then >= kSame && now < kMargin * then;
}

}  // namespace

std::vector<Caution> cautions_of(const ClearanceArguments& a, const MovingModel& model, const Route& route,
                                 const ScanFacts& scan) {
  std::vector<Caution> out;
  const auto doubt = [&](const char* name, const std::string& text) {
    const bool accepted = std::find(a.accept.begin(), a.accept.end(), name) != a.accept.end();
    out.push_back({name, text, true, accepted});
  };
  if (!scan.spots.empty()) {
    const Spot& largest = scan.spots.front();
    const std::string where =
        fmt::format("({:g}, {:g}, {:g})", largest.at.x() + 0.0, largest.at.y() + 0.0, largest.at.z() + 0.0);
    out.push_back(
        {"no-echo",
         fmt::format("At least {} points of the scan are all at {}{}, as scanners write directions without an "
                     "echo. --drop-no-echo leaves them out.",
                     largest.points, where,
                     scan.spots.size() > 1 ? fmt::format(" and more at {} other spots", scan.spots.size() - 1) : "")});
  }
  const double model_size = (model.box.max - model.box.min).maxCoeff();
  constexpr double kLargestVehicle = 200, kSmallestVehicle = 0.02;
  const char* model_option = a.vehicle.empty() ? "--model-units" : "\"unit\" in the vehicle's JSON:";
  if (model_size > kLargestVehicle) {
    doubt("size", fmt::format("The model measures {}, which is large for a vehicle.{}", size_text(model.box),
                              unit_hint(model_size / 25, model_option)));
  } else if (model_size < kSmallestVehicle) {
    doubt("size", fmt::format("The model measures {}, which is small for a vehicle. Is it in a unit other than metres?",
                              size_text(model.box)));
  }
  Aabb route_box;
  for (const Pose& pose : route.poses) route_box.extend(pose.translation());
  if (scan.bounds.empty()) {
    doubt("offset", scan.points == 0 ? "The scan is empty: nothing was checked."
                                     : "The scan has no usable points: nothing was checked.");
    return out;
  }
  const double scan_size = (scan.bounds.max - scan.bounds.min).maxCoeff();
  const double route_size = std::max((route_box.max - route_box.min).maxCoeff(), 1e-6);
  const double reach = reach_of(model), around = std::max(reach, 0.1 * route_size);
  std::string units = wrong_unit(a, scan.bounds, route_box, around);
  const bool misplaced = !units.empty();
  if (units.empty() && scan_size > 0) {
    units = scan_size > route_size ? unit_hint(scan_size / route_size, "--units")
                                   : unit_hint(route_size / scan_size, "--path-units");
  } else if (!units.empty()) {
    units = " " + units;
  }
  const bool crossed = swapped(scan.bounds, route_box, around);
  if (!overlap(scan.bounds, route_box.grown(reach + a.reach()))) {
    doubt("offset", fmt::format("The vehicle never comes near the scan, so nothing was checked: the scan extends "
                                "from {}, the path from {}.{}",
                                range_text(scan.bounds), range_text(route_box), units));
  } else if (misplaced || (route_size > 1 && !(scan_size / route_size <= 300 && route_size / scan_size <= 300))) {
    doubt("units",
          fmt::format("The scan measures {} and the path {}.{}", size_text(scan.bounds), size_text(route_box), units));
  }
  if (crossed) {
    doubt("axes",
          fmt::format("With x and y of the scan exchanged it would lie along the path: are easting and northing "
                      "swapped? The scan extends from {}, the path from {}.",
                      range_text(scan.bounds), range_text(route_box)));
  }
  if (model_size > scan_size) {
    doubt("size",
          fmt::format("The model ({}) is larger than the scan ({}).", size_text(model.box), size_text(scan.bounds)));
  }
  return out;
}

const Caution* ClearanceOutcome::doubt() const {
  for (const Caution& c : cautions) {
    if (c.doubt && !c.accepted) return &c;
  }
  return nullptr;
}

clearance::Verdict ClearanceOutcome::verdict() const {
  const clearance::Verdict said = report.verdict();
  return said != clearance::Verdict::fails && doubt() != nullptr ? clearance::Verdict::not_checked : said;
}

}  // namespace graze::app
