// The methods by which a scan can be measured, all with the same kind of answer.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "clearance_job.h"
#include "graze/base/error.h"
#include "graze/base/parallel.h"
#include "graze/clearance/clearance.h"
#include "graze/clearance/gauge.h"
#include "graze/clearance/paper.h"
#include "graze/clearance/track.h"

namespace graze::app {
namespace {

// Each part of the model for itself; the nearest counts, of equally near ones the first.
Method exact(const ClearanceArguments& a, const MovingModel& model, const Way& way) {
  const auto engines = std::make_shared<std::vector<SweptClearance>>();
  for (const ClearanceModel& m : model.models) {
    engines->emplace_back(m, way.poses, ClearanceOptions{.limit = a.reach(), .threads = a.threads});
  }
  Method method;
  method.depth = [engines, fail = a.fail](const ReportPath& path, const ReportPlace& place) {
    return depth_of(*engines, path, place, fail);
  };
  method.measure = [engines](std::span<const Vec3> points, std::span<PointClearance> results,
                             const Progress& progress) {
    std::vector<PointClearance> other(engines->size() > 1 ? points.size() : 0);
    std::size_t elements = 0;
    for (std::size_t k = 0; k < engines->size(); ++k) {
      const auto parts = static_cast<double>(engines->size()), at = static_cast<double>(k);
      const Progress part = progress.part(at / parts, (at + 1) / parts);
      const std::span<PointClearance> into = k == 0 ? results : std::span<PointClearance>(other);
      if (!(*engines)[k].measure(points, into, part).complete) throw Error("measuring", "was cancelled");
      for (std::size_t i = 0; k > 0 && i < points.size(); ++i) {
        if (!other[i].found() || !(other[i].clearance < results[i].clearance)) continue;
        results[i] = other[i];
        results[i].element += static_cast<std::uint32_t>(elements);
      }
      elements += (*engines)[k].model().size();
    }
  };
  return method;
}

std::vector<Vec3> points_of(const MovingModel& model, std::span<const Placed> parts, const char* what) {
  std::vector<Vec3> points;
  for (const Placed& part : parts) {
    const Cloud* cloud = std::get_if<Cloud>(&part.geometry);
    if (cloud == nullptr) {
      throw Error(model.name, fmt::format("is made of more than points; {} knows points only", what));
    }
    for (std::size_t i = 0; i < cloud->size(); ++i) {
      if (!cloud->is_skipped(i)) points.push_back(part.pose * cloud->point(i));
    }
  }
  return points;
}

// The paper's methods tell which points collide and how deep, not when: the moment is that of the nearest pose.
Measure paper(const ClearanceArguments& a, const MovingModel& model, const Way& way, PaperMethod method) {
  const double r = a.fail;
  if (!(r > 0)) throw Error("--fail", "is the paper's radius r and must be positive");
  const PaperOptions options{.radius = r, .axis = 0, .threads = a.threads};
  std::vector<std::vector<Vec3>> shapes;
  for (const std::vector<Placed>& parts : model.frames) {
    shapes.push_back(points_of(model, parts, "the paper's method"));
  }
  // Of a model that changes, all points at the poses that were given: neither can be thinned without the other.
  const auto engine = shapes.size() == 1
                          ? std::make_shared<PaperClearance>(voxel_centres(shapes[0], paper_spacing(r)),
                                                             sample_path(way.poses, paper_spacing(r)), options)
                          : std::make_shared<PaperClearance>(std::move(shapes), way.poses, options);
  const auto track = std::make_shared<Track>(Trajectory{{}, way.poses});
  const bool depth = method == PaperMethod::kd_pd || method == PaperMethod::kd_pd_fast;
  return [engine, track, method, depth, threads = a.threads](
             std::span<const Vec3> points, std::span<PointClearance> results, const Progress& progress) {
    progress.report(0);
    const std::vector<std::uint8_t> hits = engine->colliding(depth ? PaperMethod::kd_cd : method, points);
    progress.report(0.5);
    const std::vector<double> depths = depth ? engine->depth(method, points, hits) : std::vector<double>(points.size());
    parallel_for(points.size(),
                 [&](std::size_t i) {
                   results[i] = {};
                   if (!is_finite(points[i])) results[i].pose = PointClearance::kSkipped;
                   if (hits[i] == 0) return;
                   const TrackPlace place = track->nearest(points[i]);
                   const double way_in = std::isfinite(depths[i]) ? depths[i] : 0;
                   results[i] = {way_in > 0 ? -way_in : 0, static_cast<std::uint32_t>(place.segment),
                                 static_cast<float>(place.fraction), 0};
                 },
                 {.threads = threads});
    progress.report(1);
  };
}

Measure gauge(const ClearanceArguments& a, const MovingModel& model, const Way& way) {
  std::vector<Vec3> outline;
  for (const std::vector<Placed>& parts : model.frames) {
    const ReportModel drawn = report_model(parts);
    outline.insert(outline.end(), drawn.vertices.begin(), drawn.vertices.end());
    outline.insert(outline.end(), drawn.points.begin(), drawn.points.end());
  }
  const auto section = std::make_shared<Gauge>(Gauge::around(outline));
  // Along the track, as gauges are: that it does not know how a long vehicle leaves it in bends is what it is to show.
  const auto track = std::make_shared<Track>(way.track);
  return [section, track, &way, options = GaugeOptions{.limit = a.reach(), .threads = a.threads}](
             std::span<const Vec3> points, std::span<PointClearance> results, const Progress& progress) {
    std::vector<GaugePoint> found(points.size());
    check_gauge(*section, *track, points, found, options);
    for (std::size_t i = 0; i < points.size(); ++i) {
      results[i] = {};
      if (found[i].state == GaugeState::nothing) results[i].pose = PointClearance::kSkipped;
      if (found[i].state == GaugeState::nothing || found[i].state == GaugeState::beyond) continue;
      if (!std::isfinite(found[i].clearance)) continue;
      const auto after =
          std::upper_bound(way.chainage.begin(), way.chainage.end(), found[i].chainage + way.chainage_start);
      const auto pose = std::max<std::ptrdiff_t>(after - way.chainage.begin() - 1, 0);
      results[i] = {found[i].clearance, static_cast<std::uint32_t>(pose), 0, 0};
    }
    progress.report(1);
  };
}

// "24.6 × 3.1 × 4.3 m"
std::string size_text(const Aabb& box) {
  const Vec3 s = box.max - box.min;
  return fmt::format("{:.4g} × {:.4g} × {:.4g} m", s.x(), s.y(), s.z());
}

std::string range_text(const Aabb& box) {
  return fmt::format("({:.1f}, {:.1f}, {:.1f}) to ({:.1f}, {:.1f}, {:.1f})", box.min.x(), box.min.y(), box.min.z(),
                     box.max.x(), box.max.y(), box.max.z());
}

// Which unit would make the sizes agree, as a hint.
std::string unit_hint(double ratio, const char* option) {
  if (ratio > 300 && ratio < 3000) return fmt::format(" Is it in millimetres? Then say {} mm.", option);
  if (ratio > 30 && ratio < 300) return fmt::format(" Is it in centimetres? Then say {} cm.", option);
  if (ratio > 2.9 && ratio < 3.7) return fmt::format(" Is it in feet? Then say {} ft.", option);
  return "";
}

}  // namespace

Method method_of(const ClearanceArguments& a, const MovingModel& model, const Way& way) {
  if (a.method == "exact") return exact(a, model, way);
  if (a.method == "gauge") return {gauge(a, model, way), {}};
  if (a.method == "kd-cd-simple") return {paper(a, model, way, PaperMethod::kd_cd_simple), {}};
  if (a.method == "kd-cd") return {paper(a, model, way, PaperMethod::kd_cd), {}};
  if (a.method == "kd-pd-fast") return {paper(a, model, way, PaperMethod::kd_pd_fast), {}};
  if (a.method == "kd-pd") return {paper(a, model, way, PaperMethod::kd_pd), {}};
  throw Error(a.method, "is no method");
}

bool nothing_to_check(const ClearanceArguments& a, const MovingModel& model, const Way& way, const ScanFacts& scan) {
  if (scan.bounds.empty()) return true;
  Aabb way_box;
  for (const Pose& pose : way.poses) way_box.extend(pose.translation());
  const double reach = model.box.max.cwiseAbs().cwiseMax(model.box.min.cwiseAbs()).norm() + a.reach();
  return !overlap(scan.bounds, way_box.grown(reach));
}

std::vector<std::string> cautions_of(const ClearanceArguments& a, const MovingModel& model, const Way& way,
                                     const ScanFacts& scan) {
  std::vector<std::string> out;
  const double model_size = (model.box.max - model.box.min).maxCoeff();
  constexpr double kLargestVehicle = 200, kSmallestVehicle = 0.02;
  const char* model_option = a.vehicle.empty() ? "--model-units" : "\"unit\" in the vehicle's JSON:";
  if (model_size > kLargestVehicle) {
    out.push_back(fmt::format("The model measures {}, which is much for a vehicle.{}", size_text(model.box),
                              unit_hint(model_size / 25, model_option)));
  } else if (model_size < kSmallestVehicle) {
    out.push_back(
        fmt::format("The model measures {}, which is little. Is it in other units than metres?", size_text(model.box)));
  }
  Aabb way_box;
  for (const Pose& pose : way.poses) way_box.extend(pose.translation());
  if (scan.bounds.empty()) {
    out.emplace_back(scan.points == 0 ? "The scan is empty: nothing was checked."
                                      : "No point of the scan counts: nothing was checked.");
    return out;
  }
  const double scan_size = (scan.bounds.max - scan.bounds.min).maxCoeff();
  const double way_size = std::max((way_box.max - way_box.min).maxCoeff(), 1e-6);
  if (nothing_to_check(a, model, way, scan)) {
    out.push_back(
        fmt::format("The vehicle never comes near the scan, so that nothing was checked: the scan reaches "
                    "from {}, the path from {}.{}",
                    range_text(scan.bounds), range_text(way_box),
                    scan_size > way_size ? unit_hint(scan_size / way_size, "--units")
                                         : unit_hint(way_size / scan_size, "--path-units")));
  } else if (way_size > 1 && (scan_size / way_size > 300 || way_size / scan_size > 300)) {
    out.push_back(fmt::format("The scan measures {} and the path {}.{}", size_text(scan.bounds), size_text(way_box),
                              scan_size > way_size ? unit_hint(scan_size / way_size, "--units")
                                                   : unit_hint(way_size / scan_size, "--path-units")));
  }
  if (model_size > scan_size) {
    out.push_back(
        fmt::format("The model ({}) is larger than the scan ({}).", size_text(model.box), size_text(scan.bounds)));
  }
  return out;
}

}  // namespace graze::app
