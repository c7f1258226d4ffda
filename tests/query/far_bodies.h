// Bodies of every kind with large coordinates of their own, or large `local` poses, moved back near the origin by their
// pose; and their exact positions in the world.
#pragma once

#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "graze/geometry/geometry.h"
#include "oracle/cases.h"
#include "oracle/exact_overlap.h"
#include "oracle/signed_distance.h"
#include "query/placed_of.h"

namespace graze_test {

using graze_oracle::ExactBody;
using graze_oracle::ExactPair;
using graze_oracle::Kind;
using graze_oracle::Random;
using graze_oracle::Real;
using graze_oracle::Spec;
using graze_oracle::Triple;

/// A quaternion of any length, real part first, and a translation.
struct PlainPose {
  std::array<double, 4> wxyz{1, 0, 0, 0};
  Triple xyz{0, 0, 0};
};

/// A shape, mesh or cloud in the caller's numbers. The pose in `spec` is that of the body.
struct FarBody {
  enum class Many { none, mesh, cloud };
  Many many = Many::none;  ///< of the spec's points: a strip of triangles, or points of the radius size[0]
  Spec spec;
  std::optional<PlainPose> local;  ///< between the geometry and the pose

  bool convex() const { return many == Many::none; }
};

/// Every kind of shape, then meshes and clouds.
inline constexpr int kFarKinds = static_cast<int>(graze_oracle::kKinds.size()) + 2;

inline std::string far_name(int kind) {
  if (kind == kFarKinds - 2) return "mesh";
  return kind == kFarKinds - 1 ? "cloud" : name_of(graze_oracle::kKinds[static_cast<std::size_t>(kind)]);
}

// ---- Its exact position -------------------------------------------------------------------------------------------

/// The convex parts in the geometry's own frame.
inline std::vector<Spec> parts_of(const FarBody& body) {
  Spec whole = body.spec;
  whole.wxyz = {1, 0, 0, 0}, whole.xyz = {0, 0, 0};
  if (body.convex()) return {whole};
  std::vector<Spec> parts;
  const auto& points = body.spec.points;
  if (body.many == FarBody::Many::mesh) {
    for (std::size_t i = 0; i + 2 < points.size(); ++i) {
      Spec part;
      part.kind = Kind::triangle, part.points = {points[i], points[i + 1], points[i + 2]};
      parts.push_back(part);
    }
  } else {
    for (const Triple& p : points) {
      Spec part;
      part.size[0] = body.spec.size[0], part.xyz = p;
      parts.push_back(part);
    }
  }
  return parts;
}

inline bool has_exact_body(const FarBody& body) { return !body.convex() || has_exact_body(body.spec.kind); }

inline std::vector<ExactBody> exact_parts(const FarBody& body) {
  std::vector<ExactBody> parts;
  for (const Spec& part : parts_of(body)) {
    ExactBody exact = exact_body(part);
    if (body.local) exact = moved(exact, body.local->wxyz, body.local->xyz);
    parts.push_back(moved(exact, body.spec.wxyz, body.spec.xyz));
  }
  return parts;
}

inline graze_oracle::Body moved(graze_oracle::Body body, const PlainPose& pose) {
  const auto r = graze_oracle::rotation_of(pose.wxyz[0], pose.wxyz[1], pose.wxyz[2], pose.wxyz[3]);
  const graze_oracle::Vec t{pose.xyz[0], pose.xyz[1], pose.xyz[2]};
  for (auto& p : body.points) p = r * p + t;
  for (auto* list : {&body.faces, &body.edges}) {
    for (auto& d : *list) d = r * d;
  }
  for (auto& column : body.rotation.col) column = r * column;
  body.position = r * body.position + t;
  body.normal = r * body.normal;
  body.offset += dot(body.normal, t);
  return body;
}

/// The same in 64 bits of mantissa, for all kinds.
inline std::vector<graze_oracle::Body> real_parts(const FarBody& body) {
  std::vector<graze_oracle::Body> parts;
  for (const Spec& part : parts_of(body)) {
    auto placed = graze_oracle::body_of(part);
    if (body.local) placed = moved(placed, *body.local);
    parts.push_back(moved(placed, {body.spec.wxyz, body.spec.xyz}));
  }
  return parts;
}

/// The largest of the caller's numbers, in metres.
inline double largest(const FarBody& body) {
  double result = static_cast<double>(magnitude(body.spec));
  for (const Triple& p : body.spec.points) result = std::max({result, std::abs(p[0]), std::abs(p[1]), std::abs(p[2])});
  if (body.local) {
    for (const double x : body.local->xyz) result = std::max(result, std::abs(x));
  }
  return result;
}

// ---- As graze takes it --------------------------------------------------------------------------------------------

inline graze::Geometry geometry_of(const FarBody& body) {
  if (body.convex()) return graze::geometry_of(shape_of(body.spec));
  std::vector<graze::Vec3> points;
  for (const Triple& p : body.spec.points) points.push_back(vec3(p));
  if (body.many == FarBody::Many::cloud)
    return graze::Cloud(std::span<const graze::Vec3>(points), {.radius = body.spec.size[0]});
  std::vector<graze::MeshTriangle> triangles;
  for (std::uint32_t i = 0; i + 2 < points.size(); ++i) triangles.push_back({i, i + 1, i + 2});
  return graze::Mesh(points, triangles, {.threads = 1});
}

/// Without `local`, which only `ask` knows.
inline graze::Placed placed_of(const FarBody& body) { return at(geometry_of(body), pose_of(body.spec)); }

inline std::string json_of(const FarBody& body) {
  std::ostringstream out;
  out.precision(17);
  const auto list = [&](const char* name, const auto& numbers, std::size_t count) {
    out << ",\"" << name << "\":[";
    for (std::size_t i = 0; i < count; ++i) out << (i ? "," : "") << numbers[i];
    out << "]";
  };
  const auto points = [&](const char* name) {
    out << ",\"" << name << "\":[";
    for (std::size_t i = 0; i < body.spec.points.size(); ++i) {
      const Triple& p = body.spec.points[i];
      out << (i ? "," : "") << "[" << p[0] << "," << p[1] << "," << p[2] << "]";
    }
    out << "]";
  };
  const auto& s = body.spec;
  if (body.many == FarBody::Many::mesh) {
    out << "{\"shape\":\"mesh\"";
    points("vertices");
    out << ",\"triangles\":[";
    for (std::size_t i = 0; i + 2 < s.points.size(); ++i)
      out << (i ? "," : "") << "[" << i << "," << i + 1 << "," << i + 2 << "]";
    out << "]";
  } else if (body.many == FarBody::Many::cloud) {
    out << "{\"shape\":\"cloud\",\"radius\":" << s.size[0];
    points("points");
  } else {
    out << "{\"shape\":\"" << (s.kind == Kind::half_space ? "halfspace" : name_of(s.kind)) << "\"";
    if (unbounded(s.kind)) {
      list("normal", s.normal, 3);
      out << ",\"offset\":" << s.offset;
    } else if (s.kind == Kind::triangle || s.kind == Kind::convex) {
      points("points");
    } else if (s.kind == Kind::box || s.kind == Kind::ellipsoid) {
      list(s.kind == Kind::box ? "half" : "radii", s.size, 3);
    } else {
      out << ",\"radius\":" << s.size[0];
      if (s.kind != Kind::sphere) out << ",\"half_length\":" << s.size[1];
    }
  }
  const auto pose = [&](const char* name, const std::array<double, 4>& wxyz, const Triple& xyz) {
    out << ",\"" << name << "\":{\"xyz\":[" << xyz[0] << "," << xyz[1] << "," << xyz[2] << "]";
    if (wxyz != std::array<double, 4>{1, 0, 0, 0}) list("wxyz", wxyz, 4);
    out << "}";
  };
  pose("pose", s.wxyz, s.xyz);
  if (body.local) pose("local", body.local->wxyz, body.local->xyz);
  out << "}";
  return out.str();
}

// ---- Random ones --------------------------------------------------------------------------------------------------

inline std::array<double, 4> far_rotation(Random& random) {
  if (random.chance(0.4)) return {1, 0, 0, 0};
  if (random.chance(0.3)) return random.rotation();
  std::array<double, 4> q{};
  while (q == std::array<double, 4>{}) {
    for (double& x : q) x = random.integer(-3, 3);
  }
  return q;
}

/// The pose that takes the point `from` to about `to`.
inline PlainPose pose_to(const std::array<double, 4>& wxyz, const graze::Vec3& from, const graze::Vec3& to) {
  const auto turned = graze::Pose::from_wxyz({0, 0, 0}, wxyz[0], wxyz[1], wxyz[2], wxyz[3]) * from;
  return {wxyz, {to.x() - turned.x(), to.y() - turned.y(), to.z() - turned.z()}};
}

/// Of about a metre, with coordinates of its own (or, if `with_local`, a local pose) of about `away` metres, and placed
/// near `to`.
inline FarBody far_body(int kind, double away, bool with_local, const std::array<double, 4>& wxyz,
                        const graze::Vec3& to, Random& random) {
  FarBody body;
  Spec& s = body.spec;
  const auto random_vector = [&](double length) {
    const Triple d = random.direction();
    return graze::Vec3(length * d[0], length * d[1], length * d[2]);
  };
  const auto points = [&](int count, double scale) {
    // Round numbers, as in files, or arbitrary ones.
    graze::Vec3 middle = random_vector(away);
    if (random.chance(0.4)) middle = middle.array().round();
    for (int i = 0; i < count; ++i) {
      Triple p{};
      for (std::size_t k = 0; k < 3; ++k)
        p[k] = middle[static_cast<Eigen::Index>(k)] +
               (random.chance(0.3) ? scale * random.integer(-1, 1) : scale * random.uniform(-1, 1));
      s.points.push_back(p);
    }
    return middle;
  };
  graze::Vec3 anchor = graze::Vec3::Zero();
  const double scale = random.chance(0.8) ? 1 : random.magnitude(-3, 0);
  if (kind >= kFarKinds - 2) {
    body.many = kind == kFarKinds - 2 ? FarBody::Many::mesh : FarBody::Many::cloud;
    s.kind = Kind::convex;
    s.size[0] = body.many == FarBody::Many::cloud && random.chance(0.5) ? 0.1 * scale : 0;
    anchor = points(random.integer(3, 6), scale);
  } else {
    s.kind = graze_oracle::kKinds[static_cast<std::size_t>(kind)];
    if (s.kind == Kind::triangle) anchor = points(3, scale);
    else if (s.kind == Kind::convex) anchor = points(random.integer(1, 7), scale);
    else if (unbounded(s.kind)) {
      do {
        for (double& x : s.normal) x = random.chance(0.5) ? random.integer(-3, 3) : random.uniform(-1, 1);
      } while (s.normal == Triple{});
      const graze::Vec3 n = vec3(s.normal);
      if (random.chance(0.3)) {
        for (std::size_t k = 0; k < 3; ++k) s.normal[k] = n[static_cast<Eigen::Index>(k)] / n.norm();
      }
      s.offset = away * vec3(s.normal).norm() * random.uniform(-1, 1);
      anchor = s.offset / vec3(s.normal).squaredNorm() * vec3(s.normal);
    } else {
      for (double& x : s.size) x = scale * random.uniform(0.1, 1);
      if (s.kind == Kind::sphere && random.chance(0.4)) s.size[0] = 0;
    }
  }
  if (with_local) {
    body.local = PlainPose{far_rotation(random), {}};
    const graze::Vec3 t = random_vector(away);
    body.local->xyz = {t.x(), t.y(), t.z()};
    const auto& q = body.local->wxyz;
    anchor = graze::Pose::from_wxyz(t, q[0], q[1], q[2], q[3]) * anchor;
  }
  const PlainPose pose = pose_to(wxyz, anchor, to);
  s.wxyz = pose.wxyz, s.xyz = pose.xyz;
  return body;
}

// ---- The truth about two ------------------------------------------------------------------------------------------

/// What is known of the signed distance of two far bodies.
class FarTruth {
 public:
  FarTruth(const FarBody& a, const FarBody& b)
      : exact_(has_exact_body(a) && has_exact_body(b)), convex_(a.convex() && b.convex()) {
    if (exact_) {
      for (const ExactBody& p : exact_parts(a)) {
        for (const ExactBody& q : exact_parts(b)) pairs_.emplace_back(p, q);
      }
      return;
    }
    const Real rounding = 256 * graze_oracle::kRealEpsilon * (Real(largest(a)) + Real(largest(b)));
    for (const auto& p : real_parts(a)) {
      for (const auto& q : real_parts(b)) {
        const Real upper = unbounded(p.kind) || unbounded(q.kind) ? signed_distance(p, q).upper
                                                                  : nearest_pair(p, q).upper + oracle_rounding(p, q);
        upper_ = std::min(upper_, upper + rounding);
      }
    }
  }
  bool exact() const { return exact_; }
  /// Whether the depth of an overlap is known too.
  bool convex() const { return convex_; }

  /// Proven: the signed distance is not above the margin. For bodies of many parts only for margins of 0 and more.
  bool within(double margin) const {
    if (!exact_) return upper_ <= Real(margin);
    return std::any_of(pairs_.begin(), pairs_.end(), [&](const ExactPair& p) { return p.compare(margin) <= 0; });
  }
  /// Exactly: it is below the margin.
  bool below(double margin) const {
    if (!exact_) return upper_ < Real(margin);
    return std::any_of(pairs_.begin(), pairs_.end(), [&](const ExactPair& p) { return p.compare(margin) < 0; });
  }
  /// A double next to the distance; 0 where they touch.
  double gap() const {
    if (!exact_) return std::max(0.0, static_cast<double>(upper_));
    double nearest = graze::kInfinity;
    for (const ExactPair& p : pairs_) nearest = std::min(nearest, p.gap());
    return nearest;
  }

 private:
  bool exact_, convex_;
  std::vector<ExactPair> pairs_;
  Real upper_ = graze_oracle::kRealInfinity;
};

}  // namespace graze_test
