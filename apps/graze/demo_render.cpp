#include "demo_render.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <atomic>
#include <cmath>
#include <utility>

#include "graze/base/parallel.h"

namespace graze::app {
namespace {

constexpr double kFar = 40;            // metres; rays end here
constexpr double kHit = 1e-4;          // of the way gone: as near as this is a hit
constexpr int kMaxSteps = 200;         // along one ray
constexpr double kLevelSpacing = 0.1;  // metres between the lines on the floor

using Candidates = std::vector<const Object*>;

struct Nearest {
  double value = kFar;
  const Object* object = nullptr;
  Vec3 normal = Vec3::UnitZ();  // away from the object
};

struct Sample {
  Vec3 color = Vec3::Zero();  // linear
  double depth = kFar;
  const Object* object = nullptr;
};

// Whether a ray meets a box grown by `margin`.
bool meets(const Aabb& box, const Vec3& origin, const Vec3& direction, double margin) {
  double from = 0, to = kFar;
  for (int i = 0; i < 3; ++i) {
    const double a = (box.min[i] - margin - origin[i]) / direction[i];
    const double b = (box.max[i] + margin - origin[i]) / direction[i];
    from = std::max(from, std::min(a, b));
    to = std::min(to, std::max(a, b));
  }
  return from <= to;
}

double smooth(double edge0, double edge1, double x) {
  const double t = std::clamp((x - edge0) / (edge1 - edge0), 0.0, 1.0);
  return t * t * (3 - 2 * t);
}

/// One row's worth of rays; counts its queries.
class Tracer {
 public:
  Tracer(const Scene& scene, const Camera& camera) : scene_(scene), camera_(camera) {
    for (const Object& object : scene) {
      all_.push_back(&object);
      (object.bounds.bounded() ? bodies_ : flat_).push_back(&object);
    }
  }

  Sample sample(double x, double y) {
    const Vec3 ray = camera_.ray(x, y);
    const auto [t, hit] = march(camera_.eye(), ray);
    if (hit.object == nullptr) return {background(ray), kFar, nullptr};
    const Vec3 point = camera_.eye() + t * ray;
    const double haze = 1 - std::exp(-std::pow(t / 22, 3));
    return {(1 - haze) * shade(point, ray, t, hit) + haze * background(ray), t, hit.object};
  }

  std::uint64_t queries() const { return queries_; }

 private:
  Nearest nearest(const Candidates& candidates, const Vec3& point, double limit) {
    const Placed probe = at(Sphere{.radius = 0}, Pose::at(point));
    Nearest best{.value = limit};
    for (const Object* object : candidates) {
      if (gap(object->bounds, point) >= best.value) continue;
      ++queries_;
      const Distance d = distance(object->placed, probe, {.limit = best.value});
      if (!d.beyond && d.value < best.value) best = {d.value, object, d.normal};
    }
    return best;
  }

  // The bodies that a ray can meet at all: most rays pass most of them.
  const Candidates& in_the_way(const Vec3& origin, const Vec3& ray, double margin) {
    on_ray_.clear();
    for (const Object* object : bodies_) {
      if (meets(object->bounds, origin, ray, margin)) on_ray_.push_back(object);
    }
    return on_ray_;
  }

  // Where a ray meets floor or wall: they are flat, so that one distance and its direction tell.
  std::pair<double, Nearest> meet_flat(const Vec3& origin, const Vec3& ray) {
    std::pair<double, Nearest> first{kFar, {}};
    for (const Object* object : flat_) {
      ++queries_;
      const Distance d = distance(object->placed, at(Sphere{.radius = 0}, Pose::at(origin)));
      const double approach = -d.normal.dot(ray);
      if (approach <= 0 || d.value >= first.first * approach) continue;
      first = {d.value / approach, {0, object, d.normal}};
    }
    return first;
  }

  std::pair<double, Nearest> march(const Vec3& origin, const Vec3& ray) {
    const std::pair<double, Nearest> flat = meet_flat(origin, ray);
    const Candidates& candidates = in_the_way(origin, ray, 0.01);
    double t = 0;
    for (int step = 0; step < kMaxSteps && t < flat.first && !candidates.empty(); ++step) {
      const Nearest near = nearest(candidates, origin + t * ray, kFar);
      t += near.value;
      if (near.object != nullptr && near.value < kHit * t) return {t, near};
    }
    return flat;
  }

  // How much of the sun is seen from `point`: rays that pass close by something are dimmed, too.
  double sunlight(const Vec3& point, const Vec3& to_sun) {
    // The sun stands above the floor and before the wall: only bodies are in its way.
    constexpr double kSharpness = 16, kReach = 3.2;
    const Candidates& candidates = in_the_way(point, to_sun, kReach / kSharpness);
    if (candidates.empty()) return 1;
    double light = 1;
    for (double t = 0.01; t < kReach;) {
      const double gap_here = nearest(candidates, point + t * to_sun, kReach).value;
      light = std::min(light, kSharpness * gap_here / t);
      if (light < 0.01) return 0;
      t += std::clamp(gap_here, 0.025, 0.6);
    }
    return smooth(0, 1, light);
  }

  // How open the surroundings are: along the normal the distance grows as fast as the height unless something is near.
  double openness(const Vec3& point, const Vec3& normal) {
    double covered = 0, weight = 1;
    for (const double height : {0.02, 0.07, 0.16, 0.3, 0.5}) {
      covered += weight * (height - nearest(all_, point + height * normal, height).value);
      weight *= 0.72;
    }
    return std::clamp(1 - 1.6 * covered, 0.0, 1.0);
  }

  // Lines of equal distance from the nearest body, as on a map.
  double level_lines(const Vec3& point, double pixel) {
    const double d = nearest(bodies_, point, 3).value;
    if (d >= 3) return 1;
    const double level = d / kLevelSpacing;
    const double off = std::abs(level - std::round(level)) * kLevelSpacing;
    const bool strong = static_cast<long>(std::round(level)) % 5 == 0;
    const double width = strong ? 0.006 : 0.003;
    const double ink = (strong ? 0.55 : 0.3) * (1 - smooth(width, width + pixel, off));
    return 1 - ink * (1 - smooth(1.2, 3, d));
  }

  Vec3 shade(const Vec3& point, const Vec3& ray, double t, const Nearest& hit) {
    const Vec3 normal = hit.normal.dot(ray) > 0 ? Vec3(-hit.normal) : hit.normal;
    const Vec3 above = point + 2 * kHit * t * normal;
    const Vec3 to_sun = Vec3(-0.55, -0.5, 0.85).normalized();
    const double facing = std::max(0.0, normal.dot(to_sun));
    const double sun = facing > 0 ? facing * sunlight(above, to_sun) : 0;
    const double open = openness(above, normal);
    const Vec3 half_way = (to_sun - ray).normalized();
    const double shine = std::pow(std::max(0.0, normal.dot(half_way)), 40) * sun;

    const Vec3 sky = Vec3(0.52, 0.6, 0.72) * (0.55 + 0.45 * normal.z()) * open;
    const Vec3 bounce = Vec3(0.2, 0.17, 0.13) * (0.5 - 0.5 * normal.z()) * open;
    const Vec3 light = Vec3(1.9, 1.7, 1.4) * sun + sky + bounce;
    Vec3 color = hit.object->color;
    const bool body = hit.object->bounds.bounded();
    if (hit.object == &scene_.front())
      color *= level_lines(point, t * pixel_angle() / std::sqrt(std::max(0.05, -ray.z())));
    return color.cwiseProduct(light) + (body ? 0.35 : 0.0) * shine * Vec3::Ones();
  }

  double pixel_angle() const { return (camera_.ray(0.5, 0.5) - camera_.ray(1.5, 0.5)).norm(); }

  static Vec3 background(const Vec3& ray) { return Vec3(0.62, 0.7, 0.8) + 0.2 * std::max(0.0, ray.z()) * Vec3::Ones(); }

  const Scene& scene_;
  const Camera& camera_;
  Candidates all_, bodies_, flat_, on_ray_;
  std::uint64_t queries_ = 0;
};

// Linear light to what a screen expects, with highlights rolled off.
std::uint8_t to_screen(double linear) {
  const double rolled = linear * (1 + linear / 6) / (1 + linear);
  return static_cast<std::uint8_t>(std::lround(255 * std::pow(std::clamp(1.15 * rolled, 0.0, 1.0), 1 / 2.2)));
}

// Whether something begins or ends at a pixel, seen from its neighbours.
bool on_an_edge(const std::vector<Sample>& samples, std::size_t width, std::size_t height, std::size_t i) {
  const std::size_t x = i % width, y = i / width;
  const Sample& here = samples[i];
  const auto differs = [&](const Sample& other) {
    return other.object != here.object || (other.color - here.color).cwiseAbs().maxCoeff() > 0.12;
  };
  return (x > 0 && differs(samples[i - 1])) || (x + 1 < width && differs(samples[i + 1])) ||
         (y > 0 && differs(samples[i - width])) || (y + 1 < height && differs(samples[i + width]));
}

}  // namespace

Camera::Camera(const Vec3& eye, const Vec3& target, double field_of_view, std::size_t width, std::size_t height)
    : eye_(eye),
      forward_((target - eye).normalized()),
      right_(forward_.cross(Vec3::UnitZ()).normalized()),
      down_(forward_.cross(right_)),
      width_(width),
      height_(height),
      focal_(static_cast<double>(width) / 2 / std::tan(field_of_view / 2)) {}

Vec3 Camera::ray(double x, double y) const {
  const double across = x - static_cast<double>(width_) / 2, downward = y - static_cast<double>(height_) / 2;
  return (focal_ * forward_ + across * right_ + downward * down_).normalized();
}

std::pair<double, double> Camera::project(const Vec3& point) const {
  const Vec3 offset = point - eye_;
  const double scale = focal_ / offset.dot(forward_);
  return {scale * offset.dot(right_) + static_cast<double>(width_) / 2,
          scale * offset.dot(down_) + static_cast<double>(height_) / 2};
}

Picture render(const Scene& scene, const Camera& camera) {
  const std::size_t width = camera.width(), height = camera.height();
  std::vector<Sample> samples(width * height);
  std::atomic<std::uint64_t> queries = 0;
  const auto each_row = [&](const auto& action) {
    parallel_for(height, [&](std::size_t y) {
      Tracer tracer(scene, camera);
      for (std::size_t x = 0; x < width; ++x) action(tracer, x, y);
      queries += tracer.queries();
    });
  };
  each_row([&](Tracer& tracer, std::size_t x, std::size_t y) {
    samples[y * width + x] = tracer.sample(static_cast<double>(x) + 0.5, static_cast<double>(y) + 0.5);
  });

  Picture picture{.image = {width, height, std::vector<std::uint8_t>(3 * width * height)}, .depth = {}};
  each_row([&](Tracer& tracer, std::size_t x, std::size_t y) {
    const std::size_t i = y * width + x;
    Vec3 color = samples[i].color.cwiseMin(1.5);
    if (on_an_edge(samples, width, height, i)) {
      for (const auto& [dx, dy] : {std::pair{0.2, 0.35}, {0.65, 0.2}, {0.8, 0.65}, {0.35, 0.8}}) {
        color += tracer.sample(static_cast<double>(x) + dx, static_cast<double>(y) + dy).color.cwiseMin(1.5);
      }
      color /= 5;
    }
    for (std::size_t k = 0; k < 3; ++k) picture.image.rgb[3 * i + k] = to_screen(color[static_cast<Eigen::Index>(k)]);
  });
  picture.queries = queries;
  picture.depth.reserve(samples.size());
  for (const Sample& sample : samples) picture.depth.push_back(sample.depth);
  return picture;
}

}  // namespace graze::app
