#include "graze/clearance/model.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "base/overloads.h"
#include "clearance/model_data.h"
#include "geometry/mesh_surface.h"
#include "graze/base/error.h"
#include "graze/query/distance.h"
#include "index/bvh_walk.h"
#include "query/point_depth.h"
#include "query/point_shape.h"

namespace graze::clearance {
namespace {

Reach reach_of(const Vec3& off) {
  const double length = off.norm();
  return {length, length > 0 ? Vec3(off / length) : Vec3(Vec3::Zero())};
}

// From an edge, for a place at `off` from its beginning that is nearest to it at `share`.
Reach edge_reach(const Vec3& off, const Vec3& edge, double numerator, double denominator) {
  if (!(denominator > 0)) return reach_of(off);
  const double share = std::clamp(numerator / denominator, 0.0, 1.0);
  Vec3 rest = off - share * edge;
  if (share > 0 && share < 1) rest -= edge * (edge.dot(rest) / edge.squaredNorm());
  return reach_of(rest);
}

double farthest_corner(const Aabb& box) {
  return box.empty() ? 0 : box.min.cwiseAbs().cwiseMax(box.max.cwiseAbs()).norm() * (1 + 4 * kEpsilon);
}

void set_bounds(ModelData& data, const Aabb& box) {
  data.bounds = box;
  data.reach = farthest_corner(box);
}

double checked_uncertainty(double uncertainty) {
  if (!(uncertainty >= 0 && uncertainty <= kLargestLength)) {
    throw Error("uncertainty", "must not be negative or infinite, got " + std::to_string(uncertainty));
  }
  return uncertainty;
}

std::shared_ptr<const ModelData> of_cloud(const Cloud& cloud, const ModelOptions& options) {
  auto data = std::make_shared<ModelData>();
  data->uncertainty = checked_uncertainty(options.uncertainty);
  data->cloud = cloud;
  data->size = cloud.size();
  data->radius = cloud.radius();
  if (cloud.size() == cloud.skipped()) return data;
  if (cloud.size() >= 0x7FFFFFFF) throw Error("model", "more than 2^31 points");
  std::vector<Aabb> boxes;
  std::vector<std::uint32_t> whose;
  boxes.reserve(cloud.size() - cloud.skipped());
  whose.reserve(boxes.capacity());
  for (std::size_t i = 0; i < cloud.size(); ++i) {
    const Vec3 p = cloud.point(i);
    if (!is_finite(p)) continue;
    boxes.push_back({p, p});
    whose.push_back(static_cast<std::uint32_t>(i));
  }
  data->kind = Kind::points;
  data->own_tree = Bvh(boxes, {.threads = options.threads});
  data->tree = &tree_of(data->own_tree);
  data->slots.assign(data->tree->order.size(), Vec3::Zero());
  data->whose = std::move(whose);
  for (std::size_t slot = 0; slot < data->slots.size(); ++slot) {
    if (data->tree->order[slot] != bvh::kNone) data->slots[slot] = boxes[data->tree->order[slot]].min;
  }
  set_bounds(*data, cloud.bounds().grown(cloud.radius()));
  return data;
}

std::shared_ptr<const ModelData> of_mesh(const Mesh& mesh, double uncertainty) {
  auto data = std::make_shared<ModelData>();
  data->uncertainty = checked_uncertainty(uncertainty);
  data->mesh = mesh;
  data->size = mesh.size();
  if (mesh.empty()) return data;
  data->kind = Kind::triangles;
  data->tree = &data_of(data->mesh).tree;
  set_bounds(*data, mesh.bounds());
  return data;
}

std::shared_ptr<const ModelData> of_shapes(std::span<const Placed> shapes) {
  auto data = std::make_shared<ModelData>();
  std::vector<Aabb> boxes;
  Aabb all;
  for (const Placed& shape : shapes) {
    const auto refuse = [] { throw Error("model", "a mesh, cloud, height field or map among the shapes"); };
    std::visit(Overloads{[](const ShapeKind auto&) {}, [&](const Mesh&) { refuse(); }, [&](const Cloud&) { refuse(); },
                         [&](const HeightField&) { refuse(); }, [&](const MapView&) { refuse(); }},
               shape.geometry);
    boxes.push_back(bounds(shape.geometry, shape.pose));
    if (!boxes.back().bounded()) {
      throw Error("model", "a " + std::string(name_of(shape.geometry)) + " has no bounds");
    }
    all.extend(boxes.back());
    data->uncertainty = std::max(data->uncertainty, checked_uncertainty(shape.uncertainty));
  }
  data->shapes.assign(shapes.begin(), shapes.end());
  data->size = shapes.size();
  if (shapes.empty()) return data;
  data->kind = Kind::shapes;
  data->own_tree = Bvh(boxes);
  data->tree = &tree_of(data->own_tree);
  set_bounds(*data, all);
  return data;
}

// The nearest core; equal distances go to the lower element.
class NearestCore {
 public:
  NearestCore(const ModelData& model, const Vec3& place, double limit)
      : model_(model), place_(place), about_(*model.tree, place) {
    best_.value = limit;
  }

  void open(const bvh::Node& node, float (&bounds)[bvh::kWidth]) const {
    gaps_of(node, about_, bounds);
    if (model_.kind != Kind::shapes) return;
    // Shapes have an inside, which a box says nothing about.
    for (float& bound : bounds) bound = bound == 0 ? -bvh::Box::kFar : bound;
  }
  double limit() const { return best_.value; }
  void leaf(std::size_t index) {
    const std::size_t first = bvh::kWidth * index, last = first + model_.tree->leaf_size(index);
    for (std::size_t slot = first; slot < last; ++slot) {
      const double value = model_.core_reach(slot, place_).value;
      const std::uint32_t element = model_.element(slot);
      if (value < best_.value || (value == best_.value && (!found_ || element < best_.element))) {
        best_ = {value, element};
        found_ = true;
      }
    }
  }

  ModelDistance result() const { return found_ ? best_ : ModelDistance{kInfinity, best_.element}; }

 private:
  const ModelData& model_;
  const Vec3& place_;
  bvh::FloatBox about_;
  ModelDistance best_;
  bool found_ = false;
};

}  // namespace

// The Voronoi regions one after the other. Bounds multiply the normal with long ways, also where the place is nearer
// than coordinates are rounded: so it is square to the edge or that of the face, not only the direction of a tiny
// difference.
Reach triangle_reach(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& place) {
  const Vec3 ab = b - a, ac = c - a, ap = place - a;
  const double d1 = ab.dot(ap), d2 = ac.dot(ap);
  if (d1 <= 0 && d2 <= 0) return reach_of(ap);
  const Vec3 bp = place - b;
  const double d3 = ab.dot(bp), d4 = ac.dot(bp);
  if (d3 >= 0 && d4 <= d3) return reach_of(bp);
  const Vec3 cp = place - c;
  const double d5 = ab.dot(cp), d6 = ac.dot(cp);
  if (d6 >= 0 && d5 <= d6) return reach_of(cp);
  const double vc = d1 * d4 - d3 * d2;
  if (vc <= 0 && d1 >= 0 && d3 <= 0) return edge_reach(ap, ab, d1, d1 - d3);
  const double vb = d5 * d2 - d1 * d6;
  if (vb <= 0 && d2 >= 0 && d6 <= 0) return edge_reach(ap, ac, d2, d2 - d6);
  const double va = d3 * d6 - d5 * d4;
  if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) return edge_reach(bp, c - b, d4 - d3, (d4 - d3) + (d5 - d6));
  const Vec3 normal = ab.cross(ac);
  const double square = normal.squaredNorm();
  constexpr double kSliver = 1e-8;  // squared sine of the angle at a: below, the normal is not much worth
  if (!(square > kSliver * ab.squaredNorm() * ac.squaredNorm())) {
    const double whole = va + vb + vc;
    return reach_of(ap - ab * (vb / whole) - ac * (vc / whole));
  }
  const double length = std::sqrt(square), height = normal.dot(ap) / length;
  if (height == 0) return {0, Vec3::Zero()};
  return {std::abs(height), normal * ((height > 0 ? 1 : -1) / length)};
}

Reach ModelData::core_reach(std::size_t slot, const Vec3& place) const {
  switch (kind) {
    case Kind::points:
      return reach_of(place - slots[slot]);
    case Kind::triangles: {
      const mesh::Data& d = data_of(mesh);
      const std::size_t t = tree->order[slot];
      return triangle_reach(d.corner(t, 0), d.corner(t, 1), d.corner(t, 2), place);
    }
    case Kind::shapes: {
      const Placed& shape = shapes[tree->order[slot]];
      const Distance d = graze::distance(shape, at(Sphere{.radius = 0}, Pose::at(place)));
      return {d.value, d.normal};
    }
    case Kind::none:
    case Kind::frames:  // these have no parts of their own
      break;
  }
  return {kInfinity, Vec3::Zero()};
}

ModelDistance nearest_core(const ModelData& model, const Vec3& place, double limit) {
  if (model.tree == nullptr || !is_finite(place)) return {};
  NearestCore query(model, place, limit);
  bvh::near_first(*model.tree, query);
  return query.result();
}

ModelDistance ModelData::signed_distance(const Vec3& place) const {
  if (solid() && mesh.winding(place) != 0) return inside_distance(place);
  return nearest_core(*this, place, kInfinity);
}

ModelDistance ModelData::inside_distance(const Vec3& place) const {
  const PointDepth depth = point_depth(mesh, place);
  return {-std::abs(depth.depth), static_cast<std::uint32_t>(depth.feature)};
}

const Mesh& ModelData::surface() const {
  const mesh::Surface* s = mesh.solid() ? data_of(mesh).surface.get() : nullptr;
  return s != nullptr && !s->whole && !s->cut.empty() ? s->cut : mesh;
}

Model::Model() : data_(std::make_shared<ModelData>()) {}
Model::Model(const Cloud& cloud, const ModelOptions& options) : data_(of_cloud(cloud, options)) {}
Model::Model(const Mesh& mesh, const ModelOptions& options) : data_(of_mesh(mesh, options.uncertainty)) {}
Model::Model(std::span<const Placed> shapes) : data_(of_shapes(shapes)) {}

Model Model::deforming(std::vector<Model> shapes) {
  auto data = std::make_shared<ModelData>();
  Aabb all;
  for (const Model& shape : shapes) {
    if (data_of(shape).kind == Kind::frames) throw Error("model", "a deforming model of deforming models");
    all.extend(shape.bounds());
    data->size += shape.size();
    data->uncertainty = std::max(data->uncertainty, shape.uncertainty());
  }
  data->kind = Kind::frames;
  data->frames = std::move(shapes);
  set_bounds(*data, all);
  Model model;
  model.data_ = std::move(data);
  return model;
}

std::span<const Model> Model::frames() const { return data_->frames; }
std::size_t Model::size() const { return data_->size; }
const Aabb& Model::bounds() const { return data_->bounds; }
double Model::uncertainty() const { return data_->uncertainty; }

ModelDistance Model::distance(const Vec3& place, double limit) const {
  const ModelData& d = *data_;
  if (d.solid() && d.mesh.winding(place) != 0) {
    return d.inside_distance(place);
  }
  ModelDistance nearest = nearest_core(d, place, limit + d.radius);
  nearest.value -= d.radius;
  return nearest.value <= limit ? nearest : ModelDistance{};
}

std::size_t Model::memory_bytes() const {
  return data_->own_tree.memory_bytes() + data_->slots.capacity() * sizeof(Vec3);
}

}  // namespace graze::clearance
