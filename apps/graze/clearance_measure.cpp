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
Method exact(const ClearanceArguments& a, const MovingModel& model, const Route& route) {
  const auto engines = std::make_shared<std::vector<clearance::SweptClearance>>();
  for (const clearance::Model& m : model.models) {
    engines->emplace_back(m, route.poses, clearance::Options{.limit = a.reach(), .threads = a.threads});
  }
  Method method;
  for (const clearance::SweptClearance& engine : *engines)
    method.tolerance = std::max(method.tolerance, engine.tolerance());
  method.depth = [engines, fail = a.fail](const clearance::ReportPath& path, const clearance::ReportPoint& place) {
    return depth_of(*engines, path, place, fail);
  };
  method.measure = [engines](std::span<const Vec3> points, std::span<clearance::PointClearance> results,
                             const Progress& progress) {
    std::vector<clearance::PointClearance> other(engines->size() > 1 ? points.size() : 0);
    std::size_t elements = 0;
    for (std::size_t k = 0; k < engines->size(); ++k) {
      const auto parts = static_cast<double>(engines->size()), at = static_cast<double>(k);
      const Progress part = progress.part(at / parts, (at + 1) / parts);
      const std::span<clearance::PointClearance> into = k == 0 ? results : std::span<clearance::PointClearance>(other);
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
Measure paper(const ClearanceArguments& a, const MovingModel& model, const Route& route,
              clearance::PaperMethod method) {
  const double r = a.fail;
  if (!(r > 0)) throw Error("--fail", "is the paper's radius r and must be positive");
  const clearance::PaperOptions options{.radius = r, .axis = 0, .threads = a.threads};
  std::vector<std::vector<Vec3>> shapes;
  for (const std::vector<Placed>& parts : model.frames) {
    shapes.push_back(points_of(model, parts, "the paper's method"));
  }
  // Of a model that changes, all points at the poses that were given: neither can be thinned without the other.
  const auto engine = shapes.size() == 1
                          ? std::make_shared<clearance::PaperClearance>(
                                clearance::voxel_centres(shapes[0], clearance::paper_spacing(r)),
                                clearance::sample_path(route.poses, clearance::paper_spacing(r)), options)
                          : std::make_shared<clearance::PaperClearance>(std::move(shapes), route.poses, options);
  const auto track = std::make_shared<clearance::Track>(clearance::Trajectory{{}, route.poses});
  const bool depth = method == clearance::PaperMethod::kd_pd || method == clearance::PaperMethod::kd_pd_fast;
  return [engine, track, method, depth, threads = a.threads](
             std::span<const Vec3> points, std::span<clearance::PointClearance> results, const Progress& progress) {
    progress.report(0);
    const std::vector<std::uint8_t> hits = engine->colliding(depth ? clearance::PaperMethod::kd_cd : method, points);
    progress.report(0.5);
    const std::vector<double> depths = depth ? engine->depth(method, points, hits) : std::vector<double>(points.size());
    parallel_for(points.size(),
                 [&](std::size_t i) {
                   results[i] = {};
                   if (!is_finite(points[i])) results[i].pose = clearance::PointClearance::kSkipped;
                   if (hits[i] == 0) return;
                   const clearance::TrackPosition place = track->nearest(points[i]);
                   const double way_in = std::isfinite(depths[i]) ? depths[i] : 0;
                   results[i] = {way_in > 0 ? -way_in : 0, static_cast<std::uint32_t>(place.segment),
                                 static_cast<float>(place.fraction), 0};
                 },
                 {.threads = threads});
    progress.report(1);
  };
}

Measure gauge(const ClearanceArguments& a, const MovingModel& model, const Route& route) {
  std::vector<Vec3> outline;
  for (const std::vector<Placed>& parts : model.frames) {
    const clearance::ReportModel drawn = clearance::report_model(parts);
    outline.insert(outline.end(), drawn.vertices.begin(), drawn.vertices.end());
    outline.insert(outline.end(), drawn.points.begin(), drawn.points.end());
  }
  const auto section = std::make_shared<clearance::Gauge>(clearance::Gauge::around(outline));
  // Along the track, as gauges are: that it does not know how a long vehicle leaves it in bends is what it is to show.
  const auto track = std::make_shared<clearance::Track>(route.track);
  return [section, track, &route, options = clearance::GaugeOptions{.limit = a.reach(), .threads = a.threads}](
             std::span<const Vec3> points, std::span<clearance::PointClearance> results, const Progress& progress) {
    std::vector<clearance::GaugePoint> found(points.size());
    check_gauge(*section, *track, points, found, options);
    for (std::size_t i = 0; i < points.size(); ++i) {
      results[i] = {};
      if (found[i].state == clearance::GaugeState::nothing) results[i].pose = clearance::PointClearance::kSkipped;
      if (found[i].state == clearance::GaugeState::nothing || found[i].state == clearance::GaugeState::beyond) continue;
      if (!std::isfinite(found[i].clearance)) continue;
      const auto after =
          std::upper_bound(route.chainage.begin(), route.chainage.end(), found[i].chainage + route.chainage_start);
      const auto pose = std::max<std::ptrdiff_t>(after - route.chainage.begin() - 1, 0);
      results[i] = {found[i].clearance, static_cast<std::uint32_t>(pose), 0, 0};
    }
    progress.report(1);
  };
}

}  // namespace

Method method_of(const ClearanceArguments& a, const MovingModel& model, const Route& route) {
  if (a.method == "exact") return exact(a, model, route);
  if (a.method == "gauge") return {gauge(a, model, route)};
  if (a.method == "kd-cd-simple") return {paper(a, model, route, clearance::PaperMethod::kd_cd_simple)};
  if (a.method == "kd-cd") return {paper(a, model, route, clearance::PaperMethod::kd_cd)};
  if (a.method == "kd-pd-fast") return {paper(a, model, route, clearance::PaperMethod::kd_pd_fast)};
  if (a.method == "kd-pd") return {paper(a, model, route, clearance::PaperMethod::kd_pd)};
  throw Error(a.method, "unknown method");
}

}  // namespace graze::app
