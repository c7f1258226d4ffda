#include "query/mesh_points.h"

#include <algorithm>
#include <array>
#include <limits>

#include "geometry/mesh_data.h"
#include "geometry/mesh_surface.h"
#include "graze/base/parallel.h"
#include "index/curve_order.h"
#include "query/mesh_inside.h"
#include "query/mesh_walk.h"
#include "query/relative.h"

namespace graze {
namespace {

// Points that are ordered at a time, and that are walked for one after the other.
constexpr std::size_t kBlock = std::size_t{1} << 20U, kGroup = 256;

// The mesh of a body and where its points are. Single questions see them at the same position, to the bit: what they
// subtract and rotate is only reversed.
struct Target {
  const Placed& body;
  const Mesh& mesh;

  Vec3 local(const Vec3& p) const { return turned_back(body.pose.rotation(), minus(p, body.pose.translation())); }
  // Around what may be near.
  Curve curve() const {
    const Aabb& box = mesh.bounds();
    return Curve(box.grown((box.max - box.min).maxCoeff() / 2));
  }
};

// Calls each(places) with groups of neighbours of those that were chosen, whose keys are places on the curve.
template <class Each>
void in_groups(std::vector<CurvePlace>& places, int threads, const Each& each) {
  sort_places(places);
  parallel_chunks(places.size(),
                  [&](std::size_t begin, std::size_t end) {
                    each(std::span<const CurvePlace>(places.data() + begin, end - begin));
                  },
                  {.threads = threads, .grain = kGroup});
}

// Asks for the memory of a point some time ahead: in the order of the curve the processor cannot foresee it.
void fetch_ahead(const PointView& points, std::size_t first, std::span<const CurvePlace> group, std::size_t k) {
  constexpr std::size_t kAhead = 6;
  if (k + kAhead < group.size()) __builtin_prefetch(points.at(first + group[k + kAhead].index));
}

// Distances of some points from the triangles of one mesh: those of a group that have the same side.
class Group {
 public:
  void add(const Vec3& p, std::size_t index, double sign) {
    points_[count_] = p, index_[count_] = index, sign_[count_] = sign;
    ++count_;
  }
  // Calls found(index, sign, distance, point); the distance is infinite beyond the limit and NaN if it cannot be
  // decided.
  template <class Found>
  void measure(const mesh::Data& mesh, double limit, const Found& found) {
    walk::nearest_squares(mesh, {points_.data(), count_}, limit, {squares_.data(), count_});
    for (std::size_t i = 0; i < count_; ++i) found(index_[i], sign_[i], std::sqrt(squares_[i]), points_[i]);
  }

 private:
  std::size_t count_ = 0;
  std::array<Vec3, kGroup> points_;
  std::array<std::size_t, kGroup> index_;
  std::array<double, kGroup> sign_, squares_;
};

}  // namespace

void mesh_contains_each(const Placed& body, const Mesh& mesh, const PointView& points, std::span<bool> inside,
                        const PointsEachOptions& options) {
  const Target target{body, mesh};
  const Curve curve = target.curve();
  const bool solid = target.mesh.solid();
  constexpr std::uint32_t kDone = std::numeric_limits<std::uint32_t>::max();
  std::vector<CurvePlace> places;
  for (std::size_t first = 0; first < points.size(); first += kBlock) {
    places.resize(std::min(kBlock, points.size() - first));
    parallel_for(places.size(),
                 [&](std::size_t i) {
                   const Vec3 p = points[first + i];
                   places[i] = {kDone, static_cast<std::uint32_t>(i)};
                   inside[first + i] = true;
                   if (!is_finite(p)) return;
                   const Vec3 local = target.local(p);
                   const auto known = solid ? inside_by_cells(target.mesh, local, body.uncertainty) : std::nullopt;
                   if (known) inside[first + i] = *known;
                   else places[i].key = curve(local);
                 },
                 {.threads = options.threads});
    std::erase_if(places, [](const CurvePlace& place) { return place.key == kDone; });
    in_groups(places, options.threads, [&](std::span<const CurvePlace> group) {
      for (std::size_t k = 0; k < group.size(); ++k) {
        const std::size_t i = first + group[k].index;
        fetch_ahead(points, first, group, k);
        inside[i] = contains(body, points[i]);
      }
    });
  }
}

void mesh_signed_distance_each(const Placed& body, const Mesh& mesh, const PointView& points,
                               std::span<double> distances, const PointsEachOptions& options) {
  const Target target{body, mesh};
  const Curve curve = target.curve();
  // Inside, the surface counts and not the faces within (as in point_depth).
  const mesh::Surface* surface = mesh.solid() ? data_of(mesh).surface.get() : nullptr;
  const Mesh& border = surface != nullptr && !surface->whole && !surface->cut.empty() ? surface->cut : mesh;
  const double given = options.limit + body.uncertainty, limit = std::isnan(given) ? kInfinity : given;
  const double size = size_of(mesh.bounds().min) + size_of(mesh.bounds().max);

  std::vector<CurvePlace> places;
  for (std::size_t first = 0; first < points.size(); first += kBlock) {
    places.resize(std::min(kBlock, points.size() - first));
    parallel_for(places.size(),
                 [&](std::size_t i) {
                   places[i] = {curve(target.local(points[first + i])), static_cast<std::uint32_t>(i)};
                 },
                 {.threads = options.threads});
    in_groups(places, options.threads, [&](std::span<const CurvePlace> group) {
      // More than what the single question's tolerance may be.
      const auto rounding = [&](const Vec3& p) { return 128 * kEpsilon * (size + size_of(p)) + 1e-150; };
      const auto single = [&](std::size_t i) { return closest_point(body, points[i], options.limit).distance; };
      const auto answer = [&](std::size_t i, double sign, double distance, const Vec3& p) {
        const double value = sign * distance;
        // On the surface, or where the limit is as near as rounding: what single questions do is not repeated here.
        const bool off = distance > 0;
        if (off && value <= limit) distances[i] = value;
        else if (off && sign > 0 && distance - rounding(p) > limit) distances[i] = kInfinity;
        else distances[i] = single(i);
      };
      Group outside, within;
      double reach = limit;
      for (std::size_t k = 0; k < group.size(); ++k) {
        const std::size_t i = first + group[k].index;
        fetch_ahead(points, first, group, k);
        const Vec3 p = points[i];
        if (!is_finite(p)) {
          distances[i] = std::numeric_limits<double>::quiet_NaN();
          continue;
        }
        const Vec3 local = target.local(p);
        if (surface != nullptr && mesh.winding(local) != 0) {
          within.add(local, i, -1);
        } else {
          outside.add(local, i, 1);
          reach = std::max(reach, limit + rounding(local));
        }
      }
      outside.measure(data_of(mesh), std::max(reach, 0.0), answer);
      within.measure(data_of(border), kInfinity, answer);
    });
  }
}

}  // namespace graze
