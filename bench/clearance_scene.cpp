#include "bench/clearance_scene.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

namespace graze::bench {
namespace {

constexpr double kPi = 3.14159265358979323846, kLength = 1144, kFine = 0.01;

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t bits() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }
  double unit() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
  double in(double low, double high) { return low + (high - low) * unit(); }
  double normal() {
    const double a = unit(), b = unit();
    return std::sqrt(-2 * std::log(a + 1e-300)) * std::cos(2 * kPi * b);
  }

 private:
  std::uint64_t state_;
};

// Straight, clothoids of 60 m, arcs of 300 m radius to the right and to the left.
double curvature(double s) {
  const double k = 1.0 / 300;
  const auto arc = [&](double start, double end) {
    return std::clamp(std::min((s - start) / 60, (end - s) / 60), 0.0, 1.0) * k;
  };
  return arc(660, 970) - arc(60, 520);
}

struct Track {
  std::vector<Vec3> points;
  std::vector<double> headings;

  explicit Track(double length) {
    Vec3 p = Vec3::Zero();
    double h = 0;
    for (double s = 0; s <= length + 2; s += kFine) {
      points.push_back(p);
      headings.push_back(h);
      const double k = curvature(s + kFine / 2);
      p += kFine * Vec3(std::cos(h + k * kFine / 2), std::sin(h + k * kFine / 2), 0.012 * std::sin(s / 180));
      h += k * kFine;
    }
  }
  std::pair<std::size_t, double> at(double s) const {
    const double t = std::clamp(s / kFine, 0.0, static_cast<double>(points.size() - 2));
    const auto i = static_cast<std::size_t>(t);
    return {i, t - static_cast<double>(i)};
  }
  Vec3 point(double s) const {
    const auto [i, f] = at(s);
    return points[i] * (1 - f) + points[i + 1] * f;
  }
  double heading(double s) const {
    const auto [i, f] = at(s);
    return headings[i] * (1 - f) + headings[i + 1] * f;
  }
};

double cant(double s) { return std::atan(0.1 / 1.5 * curvature(s) * 300); }

struct Bump {
  double s, angle, height, length, width;
};
struct Block {
  double s0, s1, u0, u1, v0, v1;
};

bool in_tunnel(double s) { return (s > 30 && s < 560) || (s > 590 && s < 1010); }

struct Furniture {
  std::vector<Bump> bumps;
  std::vector<Block> blocks;

  Furniture() = default;
  /// What a profile at s may hit.
  Furniture at(double s) const {
    Furniture near;
    for (const Bump& bump : bumps) {
      if (std::abs(s - bump.s) <= 4 * bump.length) near.bumps.push_back(bump);
    }
    for (const Block& block : blocks) {
      if (s >= block.s0 && s <= block.s1) near.blocks.push_back(block);
    }
    return near;
  }

  explicit Furniture(Random& random) {
    for (int i = 0; i < 900; ++i) {
      const double h = random.unit();
      bumps.push_back({random.in(0, kLength), random.in(-kPi, kPi), 0.02 + 0.33 * h * h * h, random.in(0.2, 1.6),
                       random.in(0.06, 0.35)});
    }
    for (int i = 0; i < 60; ++i) {
      const double s = random.in(5, kLength - 5), w = random.in(0.05, 0.5), side = random.unit() < 0.5 ? -1 : 1,
                   in = random.in(1.35, 1.75), out = in + random.in(0.1, 0.5), v = random.in(0.4, 2.2);
      blocks.push_back({s, s + w, side > 0 ? in : -out, side > 0 ? out : -in, v, v + random.in(0.2, 0.9)});
    }
    blocks.push_back({2, 28, 1.62, 4.0, -0.25, 0.76});  // a platform
    for (const double rail : {-0.7525, 0.7525}) blocks.push_back({0, kLength, rail - 0.035, rail + 0.035, -0.17, 0});
  }
};

// How far a beam from (0, 2.3) over the rails goes.
double beam(const Furniture& furniture, double s, double angle) {
  const double du = std::cos(angle), dv = std::sin(angle), height = 2.3;
  double t = 1e9;
  if (dv < 0) t = std::min(t, (-0.25 - height) / dv);
  if (in_tunnel(s)) {
    const double w = 1.78 + 0.06 * std::sin(s / 17) + 0.04 * std::sin(s / 3.1 + 1), spring = 2.2,
                 rise = 4.9 + 0.1 * std::sin(s / 29) - spring;
    if (du != 0) {
      const double wall = w / std::abs(du);
      if (height + wall * dv <= spring) t = std::min(t, wall);
    }
    const double a = du * du / (w * w) + dv * dv / (rise * rise), b = 2 * dv * (height - spring) / (rise * rise),
                 c = (height - spring) * (height - spring) / (rise * rise) - 1;
    const double arch = (-b + std::sqrt(b * b - 4 * a * c)) / (2 * a);
    if (height + arch * dv > spring) t = std::min(t, arch);
    if (!(dv < 0 && height + t * dv < -0.2)) {
      double out = 0;
      for (const Bump& bump : furniture.bumps) {
        const double e = (s - bump.s) / bump.length;
        const double g = std::remainder(angle - bump.angle, 2 * kPi) / bump.width, q = e * e + g * g;
        if (q < 16) out += bump.height * std::exp(-q / 2);
      }
      t -= std::min(out, 0.45);
    }
  } else {
    if (du != 0) t = std::min(t, (9 + 2 * std::sin(s / 7) + std::sin(s * 1.7)) / std::abs(du));
    if (dv > 0) t = std::min(t, (9 + 1.5 * std::sin(s / 5 + 3 * angle) - height) / dv);
  }
  for (const Block& block : furniture.blocks) {
    double near = 0, far = 1e9;
    const auto slab = [&](double low, double high, double from, double direction) {
      const double a = (low - from) / direction, b = (high - from) / direction;
      near = std::max(near, std::min(a, b));
      far = std::min(far, std::max(a, b));
    };
    slab(block.u0, block.u1, 0, du);
    slab(block.v0, block.v1, height, dv);
    if (near < far && near > 0.05) t = std::min(t, near);
  }
  return t;
}

}  // namespace

std::vector<Vec3> make_wagon(std::size_t count) {
  struct Face {
    Vec3 corner, a, b;
  };
  std::vector<Face> faces;
  const auto box = [&](double x0, double x1, double y0, double y1, double z0, double z1) {
    const Vec3 dx(x1 - x0, 0, 0), dy(0, y1 - y0, 0), dz(0, 0, z1 - z0);
    faces.push_back({{x0, y0, z0}, dx, dz});
    faces.push_back({{x0, y1, z0}, dx, dz});
    faces.push_back({{x0, y0, z0}, dy, dz});
    faces.push_back({{x1, y0, z0}, dy, dz});
  };
  box(-12.3, 12.3, -1.45, 1.45, -0.55, 0.5);
  for (const double end : {-1.0, 1.0}) {
    box(end * 10 - 1.6, end * 10 + 1.6, -1.1, 1.1, -1.15, -0.6);
    for (const double side : {-1.0, 1.0}) {
      for (const double axle : {-0.9, 0.9}) {
        box(end * 10 + axle - 0.46, end * 10 + axle + 0.46, side * 0.75 - 0.07, side * 0.75 + 0.07, -1.5, -0.6);
      }
      box(end > 0 ? 12.3 : -12.9, end > 0 ? 12.9 : -12.3, side * 0.87 - 0.2, side * 0.87 + 0.2, -0.6, -0.2);
    }
  }
  std::vector<double> areas;
  double total = 0;
  for (const Face& face : faces) areas.push_back(total += face.a.cross(face.b).norm());
  Random random(82);
  std::vector<Vec3> points;
  points.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double at = random.unit() * total;
    const auto k = static_cast<std::size_t>(std::lower_bound(areas.begin(), areas.end(), at) - areas.begin());
    const Face& face = faces[std::min(k, faces.size() - 1)];
    const double a = random.unit(), b = random.unit();
    points.emplace_back(face.corner + a * face.a + b * face.b +
                        0.003 * Vec3(random.normal(), random.normal(), random.normal()));
  }
  return points;
}

ClearanceScene make_clearance_scene(double scale, std::size_t wagon_points, const Vec3& offset) {
  Random random(0x123462A);
  const double length = kLength * scale;
  const auto count = static_cast<std::size_t>(18.92e6 * scale);
  const Track track(length);
  const Furniture furniture(random);
  ClearanceScene scene;
  constexpr std::size_t kBeams = 330;
  const std::size_t profiles = (count + kBeams - 1) / kBeams;
  scene.scan.reserve(count);
  for (std::size_t profile = 0; profile < profiles; ++profile) {
    const double s = length * (static_cast<double>(profile) + 0.5) / static_cast<double>(profiles);
    const double h = track.heading(s), phase = random.unit();
    const Furniture near = furniture.at(s);
    const Vec3 c = track.point(s), right(std::sin(h), -std::cos(h), 0), ahead(std::cos(h), std::sin(h), 0);
    for (std::size_t k = 0; k < kBeams && scene.scan.size() < count; ++k) {
      const double angle = 2 * kPi * (static_cast<double>(k) + phase) / kBeams - kPi;
      const double t = beam(near, s, angle) + 0.003 * random.normal();
      scene.scan.emplace_back(offset + c + right * (t * std::cos(angle)) + Vec3(0, 0, 2.3 + t * std::sin(angle)) +
                              ahead * random.in(-0.008, 0.008));
    }
  }
  scene.wagon = make_wagon(wagon_points);
  for (double s = 12.5; s <= length - 12.5; s += 0.02) {
    const double rear = s - 10;
    const Vec3 a = track.point(rear);
    double low = rear + 19.5, high = rear + 20.6;
    for (int k = 0; k < 60; ++k) {
      const double middle = (low + high) / 2;
      ((track.point(middle) - a).squaredNorm() < 400 ? low : high) = middle;
    }
    const Vec3 b = track.point((low + high) / 2), x = (b - a).normalized();
    const double roll = (cant(rear) + cant((low + high) / 2)) / 2;
    const Vec3 level = Vec3::UnitZ().cross(x).normalized(), up = x.cross(level);
    const Vec3 y = level * std::cos(roll) + up * std::sin(roll), z = x.cross(y).normalized();
    Mat3 rotation;
    rotation << x, z.cross(x), z;
    scene.path.push_back(Pose::from_matrix(offset + (a + b) / 2 + 1.5 * z, rotation));
  }
  return scene;
}

}  // namespace graze::bench
