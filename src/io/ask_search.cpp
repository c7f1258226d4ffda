#include "io/ask_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "base/two_sum.h"
#include "graze/base/error.h"
#include "graze/index/kd_tree.h"
#include "graze/io/cloud_file.h"
#include "graze/shape/checked.h"
#include "io/answer_text.h"
#include "io/placed.h"

namespace graze::io {
namespace {

// A number and what was rounded off it.
struct Wide {
  double value = 0, rest = 0;

  void add(double x) {
    const DoubleDouble exact = two_sum(value, x);
    rest += exact.error;
    value = exact.sum;
  }
  void add_product(double x, double y) {
    const DoubleDouble exact = two_product(x, y);
    rest += exact.error;
    add(exact.sum);
  }
};

// pose · p, rounded once at the end: large coordinates that a pose moves back keep their last digits.
std::array<Wide, 3> moved(const Pose& pose, const std::array<Wide, 3>& p) {
  std::array<Wide, 3> r;
  for (Eigen::Index i = 0; i < 3; ++i) {
    Wide& sum = r[static_cast<std::size_t>(i)];
    for (Eigen::Index k = 0; k < 3; ++k) {
      const Wide& x = p[static_cast<std::size_t>(k)];
      sum.add_product(pose.rotation()(i, k), x.value);
      sum.rest += pose.rotation()(i, k) * x.rest;
    }
    sum.add(pose.translation()[i]);
  }
  return r;
}

Vec3 placed_point(const Poses& poses, const Vec3& p) {
  if (!is_finite(p)) return p;
  const auto [x, y, z] = moved(poses.pose, moved(poses.local, {Wide{p.x()}, Wide{p.y()}, Wide{p.z()}}));
  return {x.value + x.rest, y.value + y.rest, z.value + z.rest};
}

// The points of a cloud where they stand.
std::vector<Vec3> points_from(Value value, const std::string& path) {
  const Fields fields(value, path);
  const std::string& kind = fields.text("shape");
  if (kind != "cloud") {
    throw Error(fields.path_of("shape"), fmt::format("must be \"cloud\", got \"{}\"", shortened(kind)));
  }
  fields.allow_only("a cloud", {"shape", "file", "points", "radius", "pose", "local"});
  if (fields.has("file") == fields.has("points")) throw Error(path, "must have either file or points");
  if (fields.has("radius")) (void)fields.checked<checked::Size<"radius", checked::Sign::not_negative>>("radius");
  std::vector<Vec3> points;
  if (fields.has("points")) {
    points = fields.points("points");
  } else {
    const std::string& file = fields.text("file");
    const Cloud cloud = read_cloud(file, {.attributes = false});
    points.reserve(cloud.size());
    for (std::size_t i = 0; i < cloud.size(); ++i) points.push_back(cloud.point(i));
  }
  const Poses poses = poses_of(fields);
  if (!(poses.pose == Pose()) || !(poses.local == Pose())) {
    for (Vec3& p : points) p = placed_point(poses, p);
  }
  return points;
}

// A volume, and the sides that it views if it is a polytope.
struct Volume {
  SearchVolume value = region::Ball(Vec3::Zero(), 0);
  std::vector<region::Side> sides = {};
};

Volume polytope_from(const Fields& fields) {
  fields.allow_only("a polytope", {"planes", "center"});
  const Value planes = fields.required("planes");
  if (!planes.is_array()) throw Error(fields.path_of("planes"), "must be an array of planes [nx, ny, nz, d]");
  Volume made;
  for (const Value plane : planes) {
    std::array<double, 4> n;
    const std::string path = fmt::format("{}[{}]", fields.path_of("planes"), made.sides.size());
    Fields::naming(path, [&] { return read_numbers(plane, path, n); });
    made.sides.push_back({Vec3(n[0], n[1], n[2]), n[3]});
  }
  made.value = region::Polytope(made.sides, fields.has("center") ? fields.vector("center") : Vec3::Zero());
  return made;
}

Volume volume_of_kind(const std::string& kind, const Fields& fields) {
  if (kind == "ball") {
    fields.allow_only("a ball", {"center", "radius"});
    return {region::Ball(fields.vector("center"), fields.number("radius"))};
  }
  if (kind == "line" || kind == "ray") {
    fields.allow_only("a " + kind, {"point", "direction", "radius"});
    const Vec3 point = fields.vector("point"), direction = fields.vector("direction");
    const double radius = fields.number("radius");
    if (kind == "line") return {region::Line(point, direction, radius)};
    return {region::Ray(point, direction, radius)};
  }
  if (kind == "segment" || kind == "cylinder") {
    fields.allow_only("a " + kind, {"from", "to", "radius"});
    const Vec3 from = fields.vector("from"), to = fields.vector("to");
    const double radius = fields.number("radius");
    if (kind == "segment") return {region::Segment(from, to, radius)};
    return {region::Cylinder(from, to, radius)};
  }
  if (kind == "box") {
    fields.allow_only("a box", {"min", "max"});
    return {region::Box(fields.vector("min"), fields.vector("max"))};
  }
  if (kind == "obb") {
    fields.allow_only("an obb", {"half", "pose"});
    const Pose pose = fields.has("pose") ? pose_from(fields.required("pose"), fields.path_of("pose")) : Pose();
    return {region::OrientedBox(fields.vector("half"), pose)};
  }
  if (kind == "polytope") return polytope_from(fields);
  throw Error(fields.path(), "unknown volume; known are ball, line, ray, segment, box, obb, cylinder and polytope");
}

Volume volume_from(Value value, const std::string& path) {
  if (!value.is_object() || value.size() != 1) {
    throw Error(path, "must be an object of one member: ball, line, ray, segment, box, obb, cylinder or polytope");
  }
  const Value only = *value.begin();
  const std::string inner = path_to(path, only.key());
  try {
    return volume_of_kind(std::string(only.key()), Fields(only, inner));
  } catch (const Error& error) {
    // What the volume itself refuses does not know where it stands in the question.
    if (error.where().starts_with(path)) throw;
    throw Error(inner, error.what());
  }
}

std::string neighbors_text(std::span<const Neighbor> found) {
  std::string indices, distances;
  for (const Neighbor& n : found) {
    const char* comma = indices.empty() ? "" : ",";
    indices += fmt::format("{}{}", comma, n.index);
    distances += fmt::format("{}{}", comma, n.distance);
  }
  return fmt::format(R"("indices":[{}],"distances":[{}])", indices, distances);
}

}  // namespace

AskAnswer ask_search(const Fields& question) {
  question.allow_only("search", {"ask", "id", "in", "volume", "want", "k", "to_axis"});
  const std::string want = question.has("want") ? question.text("want") : "all";
  constexpr std::array kWants = {"all", "count", "any", "nearest", "knearest"};
  if (std::find(kWants.begin(), kWants.end(), want) == kWants.end()) {
    throw Error("want", fmt::format("must be all, count, any, nearest or knearest, got \"{}\"", shortened(want)));
  }
  if (question.has("k") != (want == "knearest")) {
    throw Error("k", want == "knearest" ? "missing" : "only knearest has it");
  }
  bool to_axis = false;
  if (question.has("to_axis")) {
    const Value flag = question.required("to_axis");
    if (!flag.is_boolean()) throw Error("to_axis", "must be true or false");
    to_axis = flag.boolean();
  }
  const Volume volume = volume_from(question.required("volume"), "volume");
  const std::vector<Vec3> points = points_from(question.required("in"), "in");
  const KdTree tree = Fields::naming("in", [&] { return KdTree(points); });
  const PointSearch search = tree.search(volume.value, {.to_axis = to_axis});

  if (want == "any") {
    const bool any = search.any();
    return {fmt::format(R"("any":{})", any), verdict(any)};
  }
  const std::size_t count = search.count();
  if (want == "count") return {fmt::format(R"("count":{})", count), verdict(count > 0)};
  std::size_t room = count;
  if (want == "nearest") room = std::min<std::size_t>(room, 1);
  if (want == "knearest") room = std::min(room, question.count_or("k", 1));
  std::vector<Neighbor> buffer(room);
  return {neighbors_text(search.nearest(buffer)), verdict(count > 0)};
}

}  // namespace graze::io
