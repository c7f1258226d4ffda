// A height field as a hierarchy: its pyramid, with the columns below the triangles as blocks, cut off at a floor.
#pragma once

#include "geometry/height_field_data.h"
#include "query/block.h"

namespace graze {

/// Nearest points, overlaps and ways out of a field are never below both the surface and the other body: what is cut
/// off beneath them changes nothing.
class FieldTree {
 public:
  struct Node {
    std::uint32_t i, j;  // cell at the lower corner
    std::int32_t level;  // 2^level cells per side
  };
  static constexpr std::size_t kMaxDepth = height_field::kMaxLevel, kMaxChildren = 4;

  /// `near`: the other body's box in the field's frame.
  FieldTree(const HeightField& field, const Aabb& near) : data_(data_of(field)) {
    const Aabb& surface = data_.surface;
    const double low = near.empty() ? surface.min.z() : std::min(surface.min.z(), near.min.z());
    constexpr double kBelow = 1e-3, kRounding = 1e-9;
    floor_ = low - (data_.grid.dx + data_.grid.dy + kBelow * (surface.max.z() - low) + kRounding * std::abs(low));
  }

  const height_field::Data& data() const { return data_; }
  double floor() const { return floor_; }

  bool empty() const { return false; }
  Node root() const { return {0, 0, data_.top}; }
  bool is_leaf(Node node) const { return node.level == 0; }
  std::size_t children(Node node) const { return (1 + (wide(node) ? 1U : 0U)) * (1 + (high(node) ? 1U : 0U)); }
  Node child(Node node, std::size_t k) const {
    const std::uint32_t half = std::uint32_t{1} << (node.level - 1);
    const bool right = wide(node) && k % 2 == 1, up = wide(node) ? k / 2 == 1 : k == 1;
    return {node.i + (right ? half : 0), node.j + (up ? half : 0), node.level - 1};
  }
  /// With what is below.
  Aabb bounds(Node node) const {
    Aabb box = surface(node);
    box.min.z() = floor_;
    return box;
  }
  /// Around the surface alone.
  Aabb surface(Node node) const {
    const std::size_t size = std::size_t{1} << node.level;
    const height_field::Range r = data_.range(node.i, node.j, node.level);
    const std::size_t end_i = std::min(node.i + size, data_.cells_x()),
                      end_j = std::min(node.j + size, data_.cells_y());
    return Aabb{{data_.x(node.i), data_.y(node.j), r.low}, {data_.x(end_i), data_.y(end_j), r.high}}.grown(
        data_.rounding);
  }
  std::size_t first(Node leaf) const { return 2 * (leaf.j * data_.cells_x() + leaf.i); }
  std::size_t last(Node leaf) const { return first(leaf) + 2; }

  Block primitive(std::size_t triangle) const {
    const std::array<Vec3, 3> top = data_.triangle(triangle);
    Block b;
    b.count = 6, b.slack = data_.rounding;
    for (std::size_t k = 0; k < 3; ++k) {
      b.corners[k] = top[k];
      b.corners[k + 3] = {top[k].x(), top[k].y(), floor_};
    }
    return b;
  }

 private:
  // Whether there are cells in the upper half along x, along y.
  bool wide(Node node) const { return node.i + (std::size_t{1} << (node.level - 1)) < data_.cells_x(); }
  bool high(Node node) const { return node.j + (std::size_t{1} << (node.level - 1)) < data_.cells_y(); }

  const height_field::Data& data_;
  double floor_;
};

/// The same pyramid around the surface alone, whose triangles are asked for by their number.
class SurfaceTree {
 public:
  using Node = FieldTree::Node;
  static constexpr std::size_t kMaxDepth = FieldTree::kMaxDepth, kMaxChildren = FieldTree::kMaxChildren;

  explicit SurfaceTree(const FieldTree& tree) : tree_(tree) {}
  const height_field::Data& data() const { return tree_.data(); }
  bool empty() const { return false; }
  Node root() const { return tree_.root(); }
  Aabb bounds(Node node) const { return tree_.surface(node); }
  bool is_leaf(Node node) const { return tree_.is_leaf(node); }
  std::size_t children(Node node) const { return tree_.children(node); }
  Node child(Node node, std::size_t k) const { return tree_.child(node, k); }
  std::size_t first(Node leaf) const { return tree_.first(leaf); }
  std::size_t last(Node leaf) const { return tree_.last(leaf); }

 private:
  FieldTree tree_;
};

inline FieldTree tree_of(const HeightField& field, const Aabb& near) { return {field, near}; }

/// A triangle of the surface, and how far it is from where the caller's numbers put it at most.
inline Triangle surface_triangle(const height_field::Data& data, std::size_t t) {
  const std::array<Vec3, 3> c = data.triangle(t);
  return {Triangle::Known{}, c[0], c[1], c[2]};
}

}  // namespace graze
