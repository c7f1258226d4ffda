// Whether a place of the model's frame is within r of a model point: a grid of cells in which all places are, none is,
// or it depends on a few points.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "clearance/field.h"
#include "index/buffer.h"

namespace graze::clearance {

class PaperTable {
 public:
  PaperTable() = default;
  /// Left empty, and of no use, where the grid or its lists would be too large for the model.
  PaperTable(std::span<const Vec3> model, const Aabb& bounds, double radius);

  bool empty() const { return cells_.empty(); }
  /// Cells are sure for places that are known to within this (metres).
  double sure() const { return sure_; }

  /// Lanes of `active` that are in a cell within r of a point, and those in a cell where it depends. `motion` is that
  /// of one pose (see place()).
  void classify(const LeafMotion& motion, const LeafPoints& points, std::uint32_t active, std::uint32_t& in,
                std::uint32_t& depends) const;
  /// Where points near p are at a knot; `slack` is how far they may be from there.
  LeafMotion place(const Knot& knot, const Vec3& p, double radius) const;
  /// kIn: every place of the cell is within r. 0: none is. Else the number of the list of points that matter.
  std::int32_t cell(const Vec3& place) const;
  static constexpr std::int32_t kIn = -1;
  std::span<const std::uint32_t> list(std::int32_t cell) const {
    const auto k = static_cast<std::size_t>(cell);
    return std::span<const std::uint32_t>(lists_).subspan(begins_[k - 1], begins_[k] - begins_[k - 1]);
  }

  struct View {
    float inverse;
    std::int32_t count[3];
    const std::int32_t* cells;
  };

  std::size_t memory_bytes() const {
    return cells_.bytes() + begins_.capacity() * sizeof(std::uint32_t) + lists_.capacity() * sizeof(std::uint32_t);
  }

 private:
  template <class Visit>
  void for_each_cell(const Vec3& p, Visit&& visit) const;

  double edge_ = 0, radius_ = 0, sure_ = 0;
  Vec3 origin_ = Vec3::Zero();
  std::int32_t count_[3] = {0, 0, 0};
  Buffer<std::int32_t> cells_;         // kIn, 0: nothing near, else a list's number
  std::vector<std::uint32_t> begins_;  // of the lists; those of number k lie between begins_[k - 1] and begins_[k]
  std::vector<std::uint32_t> lists_;
  View view_{};
};

}  // namespace graze::clearance
