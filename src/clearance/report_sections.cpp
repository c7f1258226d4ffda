#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <unordered_map>

#include "clearance/report_cells.h"
#include "graze/base/error.h"
#include "graze/base/parallel.h"
#include "graze/clearance/report_view.h"

namespace graze::clearance {
namespace {

constexpr double kCoarse = 4;  // metres of the cells by which points find the sections near them
constexpr std::size_t kGrain = 65536;

struct Sample {
  ReportSection::Point point;
  Vec3 world = Vec3::Zero();  // settles ties, so that the order of the points does not matter
};

bool before(const Sample& a, const Sample& b) {
  if (a.point.clearance != b.point.clearance) return a.point.clearance < b.point.clearance;
  return std::lexicographical_compare(a.world.data(), a.world.data() + 3, b.world.data(), b.world.data() + 3);
}

using Raster = std::unordered_map<std::uint64_t, Sample>;

void take(Raster& raster, std::uint64_t cell, const Sample& sample) {
  const auto [at, fresh] = raster.emplace(cell, sample);
  if (!fresh && before(sample, at->second)) at->second = sample;
}

CellKey coarse(const Vec3& p) {
  constexpr double kMax = 4e18;
  const auto axis = [&](double x) {
    return static_cast<std::int64_t>(std::clamp(std::floor(x / kCoarse), -kMax, kMax));
  };
  return {axis(p.x()), axis(p.y()), axis(p.z())};
}

// Where the triangles of the model meet the plane x = `at`.
std::vector<ReportSection::Line> cut(const ReportModel& model, double at) {
  std::vector<ReportSection::Line> lines;
  for (const MeshTriangle& t : model.triangles) {
    std::array<std::array<float, 2>, 3> ends{};
    std::size_t count = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      const Vec3 &a = model.vertices[t[k]], &b = model.vertices[t[(k + 1) % 3]];
      // A corner on the plane counts as behind it, so that each crossing is one edge's.
      if ((a.x() > at) == (b.x() > at)) continue;
      const double f = (at - a.x()) / (b.x() - a.x());
      ends[count++] = {static_cast<float>(a.y() + f * (b.y() - a.y())),
                       static_cast<float>(a.z() + f * (b.z() - a.z()))};
    }
    if (count == 2) lines.push_back({ends[0], ends[1]});
  }
  return lines;
}

}  // namespace

struct SectionBuilder::State {
  struct Slice {
    ReportSection section;
    Pose pose;
    Raster raster;
  };
  SectionOptions options;
  std::vector<Slice> slices;
  std::unordered_map<CellKey, std::vector<std::size_t>, CellHash> near;

  void add(std::size_t k, const Vec3& p, double clearance, Raster& raster) const {
    const Slice& slice = slices[k];
    const Vec3 local = slice.pose.rotation().transpose() * (p - slice.pose.translation());
    const Aabb& w = slice.section.window;
    if (!w.contains(local)) return;
    const auto n = static_cast<double>(options.raster);
    const auto cell = [&](Eigen::Index axis) {
      const double f = (local[axis] - w.min[axis]) / (w.max[axis] - w.min[axis]);
      return static_cast<std::uint64_t>(std::clamp(std::floor(f * n), 0.0, n - 1));
    };
    take(raster, cell(2) * options.raster + cell(1),
         {{static_cast<float>(local.y()), static_cast<float>(local.z()), clearance}, p});
  }
};

SectionBuilder::SectionBuilder(const ReportPath& path, std::span<const ReportModel> models,
                               std::span<const ReportPoint> places, const SectionOptions& options)
    : state_(std::make_unique<State>()) {
  const auto is_length = [](double x) { return std::isfinite(x) && x > 0; };
  if (!is_length(options.thickness) || !is_length(options.margin) || options.raster == 0) {
    throw Error("section", fmt::format("thickness {}, margin {} and raster {} must be positive", options.thickness,
                                       options.margin, options.raster));
  }
  if (models.size() != 1 && models.size() != path.poses().size()) {
    throw Error("section",
                fmt::format("{} models for {} poses; one, or one for each", models.size(), path.poses().size()));
  }
  state_->options = options;
  for (const ReportPoint& place : places) {
    State::Slice slice{.section = {}, .pose = path.pose_at(place), .raster = {}};
    slice.section.place = place;
    const double x = place.in_vehicle.x();
    Aabb& w = slice.section.window;
    w = path.model().grown(options.margin).extend(place.in_vehicle);
    w.min.x() = x - options.thickness / 2;
    w.max.x() = x + options.thickness / 2;
    for (const std::size_t shape : path.frames_at(place, models.size())) {
      for (const ReportSection::Line& line : cut(models[shape], x)) slice.section.outline.push_back(line);
      for (const Vec3& p : models[shape].points) {
        if (std::abs(p.x() - x) <= options.thickness / 2) {
          slice.section.model.push_back({static_cast<float>(p.y()), static_cast<float>(p.z()), 0});
        }
      }
    }
    // All coarse cells that the slice can meet.
    const Aabb around = transformed(w, slice.pose);
    const CellKey low = coarse(around.min), high = coarse(around.max);
    for (std::int64_t i = low.x; i <= high.x; ++i) {
      for (std::int64_t j = low.y; j <= high.y; ++j) {
        for (std::int64_t k = low.z; k <= high.z; ++k) state_->near[{i, j, k}].push_back(state_->slices.size());
      }
    }
    state_->slices.push_back(std::move(slice));
  }
}

SectionBuilder::~SectionBuilder() = default;
SectionBuilder::SectionBuilder(SectionBuilder&&) noexcept = default;
SectionBuilder& SectionBuilder::operator=(SectionBuilder&&) noexcept = default;

void SectionBuilder::add(std::span<const Vec3> points, std::span<const PointClearance> results) {
  if (points.size() != results.size()) {
    throw Error("results", fmt::format("{} of them for {} points", results.size(), points.size()));
  }
  if (state_->slices.empty()) return;
  std::mutex merging;
  parallel_chunks(points.size(),
                  [&](std::size_t begin, std::size_t end) {
                    std::map<std::size_t, Raster> found;
                    for (std::size_t i = begin; i < end; ++i) {
                      if (!is_finite(points[i])) continue;
                      const auto near = state_->near.find(coarse(points[i]));
                      if (near == state_->near.end()) continue;
                      for (const std::size_t k : near->second)
                        state_->add(k, points[i], results[i].clearance, found[k]);
                    }
                    // Which of two samples is kept does not depend on which comes first.
                    const std::lock_guard lock(merging);
                    for (const auto& [k, raster] : found) {
                      for (const auto& [cell, sample] : raster) take(state_->slices[k].raster, cell, sample);
                    }
                  },
                  {.grain = kGrain});
}

std::vector<ReportSection> SectionBuilder::finish() && {
  std::vector<ReportSection> out;
  for (State::Slice& slice : state_->slices) {
    std::vector<std::uint64_t> cells;
    cells.reserve(slice.raster.size());
    for (const auto& entry : slice.raster) cells.push_back(entry.first);
    std::sort(cells.begin(), cells.end());
    for (const std::uint64_t cell : cells) slice.section.points.push_back(slice.raster.at(cell).point);
    out.push_back(std::move(slice.section));
  }
  state_.reset();
  return out;
}

}  // namespace graze::clearance
