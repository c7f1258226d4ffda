#include "apps/synthetic/tunnel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "apps/synthetic/scene_noise.h"
#include "apps/synthetic/scene_options.h"
#include "graze/base/elementary.h"
#include "graze/base/error.h"
#include "graze/base/parallel.h"

namespace graze::synthetic {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kSpeed = 20;                // of the train, m/s
constexpr double kCurve = 300, kCant = 0.1;  // radius and height of the outer rail above the inner, metres
constexpr double kRails = 1.5;               // between the middles of the rails, metres
constexpr double kFloor = -0.25;             // below the top of rail
constexpr double kScanner = 2.3;             // above it
constexpr double kSpringing = 2.2;           // where the walls end and the vault begins
constexpr double kNoise = 0.003;
constexpr double kStep = 0.01;  // of the table of the line
constexpr double kFullScan = 18'920'000, kFullProfile = 330;

// 1/m; transition curves of 60 m on both sides of each curve.
double curvature(double s) {
  const auto ramp = [s](double from, double to) { return std::clamp((s - from) / (to - from), 0.0, 1.0); };
  const double right = ramp(150, 210) - ramp(460, 520), left = ramp(600, 660) - ramp(910, 970);
  return (left - right) / kCurve;
}

double slope(double s) { return 0.012 * elementary::sin(s / 180); }

/// Radians about the forward axis: positive lifts the left side.
double cant(double s) { return -elementary::atan(kCant / kRails * curvature(s) * kCurve); }

bool in_tunnel(double s) { return (s > 130 && s < 560) || (s > 590 && s < 1010); }

/// A swelling of the wall at chainage s and angle a around the scanner.
struct Bump {
  double s, angle, height, length, width;
};

/// A box along the track: from s0 to s1, u to the right, v up.
struct Block {
  double s0, s1, u0, u1, v0, v1;
  bool leans = false;  // with the cant
};

/// Directions are those in the section: u to the right, v up.
struct Ray {
  double angle, u, v;
};

/// Where a ray from (0, v) meets a block; infinite if it does not.
double hit(const Block& block, double du, double dv, double u, double v) {
  double low = (block.u0 - u) / du, high = (block.u1 - u) / du;
  double begin = std::min(low, high), end = std::max(low, high);
  low = (block.v0 - v) / dv;
  high = (block.v1 - v) / dv;
  begin = std::max(begin, std::min(low, high));
  end = std::min(end, std::max(low, high));
  constexpr double kNearest = 0.05;
  return begin < end && begin > kNearest ? begin : kInfinity;
}

}  // namespace

struct Tunnel::Scene {
  TunnelOptions options;
  std::uint64_t per_profile = 1, profiles = 1;
  std::vector<Vec3> line;       // every kStep
  std::vector<double> heading;  // every kStep
  std::vector<Bump> bumps;      // by s
  std::vector<Block> blocks;

  explicit Scene(const TunnelOptions& given) : options(given) {
    const auto count = static_cast<double>(options.points);
    constexpr double kFewest = 24;
    per_profile =
        static_cast<std::uint64_t>(std::max(kFewest, std::round(kFullProfile * std::sqrt(count / kFullScan))));
    profiles = std::max<std::uint64_t>(1, (options.points + per_profile - 1) / per_profile);
    lay_line();
    place_bumps();
    place_blocks();
  }

  void lay_line() {
    const auto count = static_cast<std::size_t>((kLength + 2) / kStep) + 1;
    Vec3 p = Vec3::Zero();
    double h = 0;
    for (std::size_t i = 0; i < count; ++i) {
      line.push_back(p);
      heading.push_back(h);
      const double middle = (static_cast<double>(i) + 0.5) * kStep, bend = curvature(middle);
      const double along = h + bend * kStep / 2;
      p += kStep * Vec3(elementary::cos(along), elementary::sin(along), slope(middle));
      h += bend * kStep;
    }
  }

  void place_bumps() {
    SceneNoise dice(options.seed, 1);
    for (int i = 0; i < 900; ++i) {
      const double size = dice.unit();
      Bump bump{};
      bump.height = 0.02 + 0.33 * size * size * size;
      bump.s = dice.between(0, kLength);
      bump.angle = dice.between(-kPi, kPi);
      bump.length = dice.between(0.2, kLongestBump);
      bump.width = dice.between(0.06, 0.35);
      bumps.push_back(bump);
    }
    std::sort(bumps.begin(), bumps.end(), [](const Bump& a, const Bump& b) { return a.s < b.s; });
  }

  void place_blocks() {
    SceneNoise dice(options.seed, 2);
    for (int i = 0; i < 60; ++i) {  // signs
      const double s = dice.between(5, kLength - 5), width = dice.between(0.05, 0.5);
      const bool right = dice.unit() < 0.5;
      const double inner = dice.between(1.35, 1.75), outer = inner + dice.between(0.1, 0.5);
      const double low = dice.between(0.4, 2.2), high = low + dice.between(0.2, 0.9);
      blocks.push_back({s, s + width, right ? inner : -outer, right ? outer : -inner, low, high});
    }
    constexpr double kMast = 0.25;
    for (double s = 20; s < kLength; s += 50) {
      if (in_tunnel(s)) continue;
      const double left = dice.between(1.6, 2.9), right = dice.between(1.6, 2.9);
      blocks.push_back({s, s + kMast, -left - kMast, -left, kFloor, 7});
      blocks.push_back({s, s + kMast, right, right + kMast, kFloor, 7});
    }
    blocks.push_back({20, 110, 1.62, 4.0, kFloor, 0.76});  // platform
    for (const double side : {-1.0, 1.0}) {
      const double middle = side * (kRails / 2 + 0.0025);
      blocks.push_back({0, kLength, middle - 0.035, middle + 0.035, -0.17, 0, true});
    }
  }

  struct LinePoint {
    Vec3 position;
    double heading;
  };
  LinePoint at(double s) const {
    const double place = std::clamp(s / kStep, 0.0, static_cast<double>(line.size() - 2));
    const auto i = static_cast<std::size_t>(place);
    const double f = place - static_cast<double>(i);
    return {line[i] + f * (line[i + 1] - line[i]), heading[i] + f * (heading[i + 1] - heading[i])};
  }

  /// Fills `points` with those of a profile from its point number `begin` on.
  void make_profile(std::uint64_t profile, std::uint64_t begin, std::span<Vec3> points) const;
  double wall(double s, const Ray& ray, std::span<const Bump> near) const;
  static double open_air(double s, const Ray& ray);

  static constexpr double kLongestBump = 1.6, kBumpReach = 4;  // the latter in standard deviations
};

/// The horseshoe: floor, straight walls, half an ellipse; bumps make it narrower, but not the floor.
double Tunnel::Scene::wall(double s, const Ray& ray, std::span<const Bump> near) const {
  const double half = options.half_width + 0.06 * elementary::sin(s / 17) + 0.04 * elementary::sin(s / 3.1 + 1);
  const double rise = 4.9 + 0.1 * elementary::sin(s / 29) - kSpringing;
  double t = kInfinity;
  if (ray.v < 0) t = (kFloor - kScanner) / ray.v;
  if (ray.u != 0) {
    const double side = half / std::abs(ray.u);
    if (kScanner + side * ray.v <= kSpringing) t = std::min(t, side);
  }
  const double a = ray.u * ray.u / (half * half) + ray.v * ray.v / (rise * rise);
  const double b = ray.v * (kScanner - kSpringing) / (rise * rise);
  const double c = (kScanner - kSpringing) * (kScanner - kSpringing) / (rise * rise) - 1;
  const double vault = (-b + std::sqrt(b * b - a * c)) / a;
  if (kScanner + vault * ray.v > kSpringing) t = std::min(t, vault);
  if (ray.v < 0 && kScanner + t * ray.v < kFloor + 0.05) return t;

  double swelling = 0;
  for (const Bump& bump : near) {
    const double turn = std::remainder(ray.angle - bump.angle, 2 * kPi) / bump.width, way = (s - bump.s) / bump.length;
    const double square = turn * turn + way * way;
    if (square < kBumpReach * kBumpReach) swelling += bump.height * elementary::exp(-square / 2);
  }
  constexpr double kMaxSwelling = 0.45;
  return t - std::min(swelling, kMaxSwelling);
}

/// Ground, hedges to the left and right, branches above.
double Tunnel::Scene::open_air(double s, const Ray& ray) {
  double t = kInfinity;
  if (ray.v < 0) t = (kFloor - kScanner) / ray.v;
  if (ray.u != 0) t = std::min(t, (9 + 2 * elementary::sin(s / 7) + elementary::sin(s * 1.7)) / std::abs(ray.u));
  if (ray.v > 0) t = std::min(t, (9 + 1.5 * elementary::sin(s / 5 + 3 * ray.angle) - kScanner) / ray.v);
  return t;
}

void Tunnel::Scene::make_profile(std::uint64_t profile, std::uint64_t begin, std::span<Vec3> points) const {
  const double spacing = kLength / static_cast<double>(profiles);
  const double s = spacing * (static_cast<double>(profile) + 0.5);
  const auto [center, direction] = at(s);
  const Vec3 right(elementary::sin(direction), -elementary::cos(direction), 0),
      ahead(elementary::cos(direction), elementary::sin(direction), 0);
  const bool inside = in_tunnel(s);
  const double lean = cant(s), cosine = elementary::cos(lean), sine = elementary::sin(lean);

  std::vector<Bump> bumps_here;
  const auto first = std::lower_bound(bumps.begin(), bumps.end(), s - kBumpReach * kLongestBump,
                                      [](const Bump& bump, double value) { return bump.s < value; });
  for (auto bump = first; inside && bump != bumps.end() && bump->s < s + kBumpReach * kLongestBump; ++bump) {
    if (std::abs(bump->s - s) < kBumpReach * bump->length) bumps_here.push_back(*bump);
  }
  std::vector<Block> blocks_here;
  for (const Block& block : blocks) {
    if (block.s0 <= s && s <= block.s1) blocks_here.push_back(block);
  }

  constexpr std::uint64_t kStreams = 16;  // those below are for the things themselves
  SceneNoise dice(options.seed, kStreams + profile);
  const double phase = dice.unit();
  dice.skip(2 * begin);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double part = (static_cast<double>(begin + i) + phase) / static_cast<double>(per_profile);
    const double angle = (2 * part - 1) * kPi;
    const Ray ray{angle, elementary::cos(angle), elementary::sin(angle)};
    double t = inside ? wall(s, ray, bumps_here) : open_air(s, ray);
    for (const Block& block : blocks_here) {
      // Positive cant lifts the left side, so that u and v turn the other way round.
      t = std::min(t, block.leans ? hit(block, cosine * ray.u - sine * ray.v, sine * ray.u + cosine * ray.v,
                                        -sine * kScanner, cosine * kScanner)
                                  : hit(block, ray.u, ray.v, 0, kScanner));
    }
    t += kNoise * dice.normal();
    constexpr double kSpread = 0.4;
    const double along = spacing * dice.between(-kSpread, kSpread);
    points[i] = options.origin + (center + t * ray.u * right + Vec3(0, 0, kScanner + t * ray.v) + along * ahead);
  }
}

Tunnel::Tunnel(const TunnelOptions& options) {
  check_scene(options.points, options.origin);
  if (!(options.half_width >= 1 && options.half_width <= 5)) {
    throw Error("half_width", fmt::format("must be from 1 to 5 m, got {}", options.half_width));
  }
  scene_ = std::make_shared<const Scene>(options);
}

std::uint64_t Tunnel::size() const { return scene_->options.points; }

void Tunnel::make(std::uint64_t first, std::span<Vec3> points, const ThreadOptions& options) const {
  const std::uint64_t there = first < size() ? std::min<std::uint64_t>(points.size(), size() - first) : 0;
  std::fill(points.begin() + static_cast<std::ptrdiff_t>(there), points.end(),
            Vec3::Constant(std::numeric_limits<double>::quiet_NaN()));
  if (there == 0) return;
  const std::uint64_t per = scene_->per_profile, begin = first / per, end = (first + there - 1) / per + 1;
  parallel_for(static_cast<std::size_t>(end - begin),
               [&](std::size_t k) {
                 const std::uint64_t profile = begin + k;
                 const std::uint64_t from = std::max(first, profile * per),
                                     to = std::min(first + there, (profile + 1) * per);
                 scene_->make_profile(
                     profile, from - profile * per,
                     points.subspan(static_cast<std::size_t>(from - first), static_cast<std::size_t>(to - from)));
               },
               {.threads = options.threads});
}

clearance::Trajectory Tunnel::track(double step) const {
  if (!(step > 0) || !(kLength / step < kMaxPoses)) {
    throw Error("step", fmt::format("must be positive and make fewer than 2^26 poses, got {}", step));
  }
  const auto pieces = static_cast<std::size_t>(std::ceil(kLength / step));
  clearance::Trajectory track;
  for (std::size_t i = 0; i <= pieces; ++i) {
    const double s = kLength * (static_cast<double>(i) / static_cast<double>(pieces));
    const auto [position, direction] = scene_->at(s);
    track.times.push_back(s / kSpeed);
    track.poses.push_back(
        Pose::from_rpy(scene_->options.origin + position, cant(s), -elementary::atan(slope(s)), direction));
  }
  return track;
}

}  // namespace graze::synthetic
