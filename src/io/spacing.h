// How far points are from their nearest neighbours, from a sample, in two passes over a file of any size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "graze/base/aabb.h"

namespace graze::io {

/// The first pass keeps a subset of the points, spread evenly over the file. A part of them are the samples, and the
/// subset bounds their nearest distances; the second pass looks, for every point of the file, at the samples whose ball
/// of that size may hold it. Exact for the samples. Memory is fixed; the second pass takes about constant time per
/// point, however the points are spread: a few samples' balls at most hold any place, as none holds another sample, and
/// where cells are too coarse to tell, a tree does. Samples with a neighbour in the same place are done with.
class SpacingSampler {
 public:
  static constexpr std::size_t kMaxKept = 16384, kSamples = 1000;

  /// First pass: points in order, those that are no points left out.
  void keep(const Vec3& p);
  /// Between the passes; `bounds` are those of all points.
  void prepare(const Aabb& bounds);
  /// Second pass: the same points in the same order.
  void measure(const Vec3& p);

  std::size_t samples() const { return samples_.size(); }
  /// The median of the samples' distances; 0 if there are none.
  double median() const;

 private:
  struct Sample {
    Vec3 point;
    std::uint64_t index;  // among the points, so that no point is its own neighbour
    double distance_sq;
  };
  /// The cell of one coordinate along an axis; cells are cubes.
  std::size_t cell_along(double x, int axis) const;
  /// No farther neighbour of a sample is of interest: the box around its ball.
  Aabb box_of(const Sample& sample) const;
  /// Calls visit(cell, sample) for every cell that a sample's ball may reach.
  template <class Visit>
  void for_each_reached(Visit&& visit) const;
  void compare(const Vec3& p, std::uint64_t index, Sample& sample) const;

  /// Of a tree over the boxes: the left child is the next node.
  struct Node {
    Aabb box;
    std::uint32_t first, last;  // of tree_order_
    std::uint32_t right;        // 0: a leaf
  };
  void build_tree();
  std::uint32_t build_node(std::uint32_t first, std::uint32_t last);

  std::vector<std::pair<Vec3, std::uint64_t>> kept_;
  std::uint64_t stride_ = 1, seen_ = 0, measured_ = 0;
  std::vector<Sample> samples_;
  Vec3 origin_ = Vec3::Zero();
  double cells_per_metre_ = 0;
  // The samples that points of cell c may be near are entries_[starts_[c]] to entries_[starts_[c + 1] - 1].
  std::vector<std::uint32_t> starts_, entries_;
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> tree_order_;  // samples
};

}  // namespace graze::io
