#include "graze/index/kd_tree.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstring>
#include <vector>

#include "graze/base/error.h"
#include "index/kd_tree_data.h"
#include "index/kd_tree_near.h"
#include "index/kd_tree_search.h"

namespace graze {
namespace {

using kd_tree::kFan;
using kd_tree::kLeaf;
using kd_tree::Record;
using kd_tree::Tree;

// The finite points as records, in the caller's order. Returns how many were not.
template <class T, class At>
std::size_t collect(std::size_t count, const At& at, int threads, Buffer<Record<T>>& records) {
  if (count > kd_tree::kMaxPoints) {
    throw Error("points", fmt::format("must be at most {}, got {}", kd_tree::kMaxPoints, count));
  }
  // Parts of this size go to threads; where each begins is known once all have been counted.
  constexpr std::size_t kPart = std::size_t{1} << 14U;
  const std::size_t parts = (count + kPart - 1) / kPart;
  const auto is_point = [](const std::array<T, 3>& p) {
    return std::isfinite(p[0]) && std::isfinite(p[1]) && std::isfinite(p[2]);
  };
  std::vector<std::size_t> begin(parts + 1, 0);
  const ParallelOptions options{.threads = threads, .grain = kPart};
  parallel_chunks(
      count,
      [&](std::size_t first, std::size_t last) {
        std::size_t finite = 0;
        for (std::size_t i = first; i < last; ++i) {
          const std::array<T, 3> p = at(i);
          if (!is_point(p)) continue;
          ++finite;
          for (const T x : p) {
            if (!(std::abs(static_cast<double>(x)) <= kLargestLength)) {
              throw Error(fmt::format("point {}", i),
                          fmt::format("coordinates must be at most {:g}, got {}", kLargestLength, x));
            }
          }
        }
        begin[first / kPart + 1] = finite;
      },
      options);
  for (std::size_t part = 0; part < parts; ++part) begin[part + 1] += begin[part];
  records.resize(begin[parts]);
  parallel_chunks(
      count,
      [&](std::size_t first, std::size_t last) {
        Record<T>* to = records.data() + begin[first / kPart];
        for (std::size_t i = first; i < last; ++i) {
          const std::array<T, 3> p = at(i);
          if (!is_point(p)) continue;
          *to++ = {{p[0], p[1], p[2]}, static_cast<decltype(to->index)>(i)};
        }
      },
      options);
  return count - begin[parts];
}

template <class T, class At>
std::unique_ptr<Tree<T>> tree_of(std::size_t count, const At& at, const KdTreeOptions& options, std::size_t& skipped) {
  Buffer<Record<T>> records;
  skipped = collect(count, at, options.threads, records);
  auto tree = std::make_unique<Tree<T>>();
  kd_tree::build_tree(*tree, records, options.threads);
  return tree;
}

// The bounds that the child of a node has, computed from what is below it.
template <class T>
Aabb bounds_below(const Tree<T>& tree, std::size_t level, std::size_t child) {
  Aabb box;
  for (std::size_t i = 0; i < (level == 0 ? kLeaf : kFan); ++i) {
    Vec3 low, high;
    for (int axis = 0; axis < 3; ++axis) {
      if (level == 0) {
        low[axis] = high[axis] = tree.leaves[child].at[axis][i];
      } else {
        const auto& node = tree.nodes[tree.first[level - 1] + child];
        low[axis] = node.min[axis][i];
        high[axis] = node.max[axis][i];
      }
    }
    if (Aabb{low, high}.empty()) continue;  // also where there is no point
    box.extend(Aabb{low, high});
  }
  return box;
}

template <class T>
std::string flaw_of(const Tree<T>& tree, std::size_t points) {
  if (tree.leaves.size() != (tree.size + kLeaf - 1) / kLeaf) return "wrong number of leaves";
  std::vector<bool> seen(points, false);
  for (std::size_t i = 0; i < tree.leaves.size() * kLeaf; ++i) {
    const auto& leaf = tree.leaves[i / kLeaf];
    const std::uint32_t index = leaf.index[i % kLeaf];
    if (i >= tree.size) {
      if (index != kd_tree::kNoPoint || !std::isnan(leaf.at[0][i % kLeaf])) return "a point behind the last one";
      continue;
    }
    if (index >= points || seen[index]) return fmt::format("point {} is there twice or does not exist", index);
    seen[index] = true;
    for (int axis = 0; axis < 3; ++axis) {
      if (!std::isfinite(leaf.at[axis][i % kLeaf])) return fmt::format("point {} is not finite", index);
    }
  }
  for (std::size_t level = 0; level < tree.levels; ++level) {
    if (tree.count[level] != (tree.children(level) + kFan - 1) / kFan) return "wrong number of nodes";
    for (std::size_t child = 0; child < tree.count[level] * kFan; ++child) {
      const auto& node = tree.nodes[tree.first[level] + child / kFan];
      Aabb box;
      for (int axis = 0; axis < 3; ++axis) {
        box.min[axis] = node.min[axis][child % kFan];
        box.max[axis] = node.max[axis][child % kFan];
      }
      const bool exists = child < tree.children(level);
      if (!exists && !box.empty()) return "bounds of a child that does not exist";
      if (exists && !(box == bounds_below(tree, level, child))) {
        return fmt::format("child {} of level {} has wrong bounds", child, level);
      }
    }
  }
  return tree.size == 0 || tree.count[tree.levels - 1] == 1 ? "" : "more than one root";
}

// The radius of a volume that is a ball about its centre: infinite where it is everything, negative where it is no
// ball.
double ball_radius(const SearchVolume& volume) {
  if (const auto* ball = std::get_if<region::Ball>(&volume)) return ball->radius();
  const auto* polytope = std::get_if<region::Polytope>(&volume);
  return polytope != nullptr && polytope->sides().empty() ? kInfinity : -1;
}

}  // namespace

KdTree::KdTree() = default;
KdTree::KdTree(KdTree&&) noexcept = default;
KdTree& KdTree::operator=(KdTree&&) noexcept = default;
KdTree::~KdTree() = default;

KdTree::KdTree(const PointView& points, const KdTreeOptions& options) {
  const auto made_of = [&]<class T>(T) {
    return tree_of<T>(
        points.size(), [&](std::size_t i) { return points.load_point<T>(i); }, options, skipped_);
  };
  if (points.type() == NumberType::float32) floats_ = made_of(float{});
  else doubles_ = made_of(double{});
}

std::size_t KdTree::size() const { return floats_ ? floats_->size : doubles_ ? doubles_->size : 0; }

Aabb KdTree::bounds() const { return floats_ ? floats_->bounds : doubles_ ? doubles_->bounds : Aabb(); }

std::size_t KdTree::memory_bytes() const {
  if (floats_) return sizeof(*floats_) + floats_->nodes.bytes() + floats_->leaves.bytes();
  return doubles_ ? sizeof(*doubles_) + doubles_->nodes.bytes() + doubles_->leaves.bytes() : 0;
}

std::string KdTree::validate() const {
  const std::size_t points = size() + skipped_;
  return floats_ ? flaw_of(*floats_, points) : doubles_ ? flaw_of(*doubles_, points) : "";
}

PointSearch KdTree::search(const SearchVolume& volume, const PointSearchOptions& options) const {
  if (options.to_axis && !has_axis(volume)) throw Error("to_axis", "this volume has no axis");
  return {*this, volume, options.to_axis};
}

void PointSearch::run(kd_tree::Gather& gather) const {
  if (tree_->floats_) kd_tree::gather(*tree_->floats_, volume_, to_axis_, gather);
  if (tree_->doubles_) kd_tree::gather(*tree_->doubles_, volume_, to_axis_, gather);
}

std::size_t PointSearch::count_up_to(std::size_t enough) const {
  kd_tree::Counting counting{.enough = enough};
  if (tree_->floats_) kd_tree::count(*tree_->floats_, volume_, counting);
  if (tree_->doubles_) kd_tree::count(*tree_->doubles_, volume_, counting);
  return counting.total;
}

bool PointSearch::any() const { return count_up_to(1) > 0; }

std::size_t PointSearch::count() const { return count_up_to(kd_tree::kMaxPoints); }

std::span<Neighbor> PointSearch::nearest(std::span<Neighbor> buffer) const {
  if (buffer.empty()) return buffer;
  if (const double radius = ball_radius(volume_); buffer.size() == 1 && tree_->floats_ && radius >= 0) {
    Neighbor& one = buffer.front();
    if (kd_tree::find_nearest(*tree_->floats_, center_of(volume_), radius, one))
      return buffer.first(one.found() ? 1 : 0);
  }
  kd_tree::Gather gather;
  gather.buffer = buffer.data();
  gather.capacity = buffer.size();
  gather.shrinking = true;
  run(gather);
  return gather.finish();
}

Neighbor PointSearch::nearest() const {
  Neighbor best;
  return nearest({&best, 1}).empty() ? Neighbor() : best;
}

std::size_t PointSearch::all(std::span<Neighbor> buffer) const {
  kd_tree::Gather gather;
  gather.buffer = buffer.data();
  gather.capacity = buffer.size();
  run(gather);
  gather.finish();
  return gather.total;
}

bool PointSearch::visit_erased(void* body, bool (*call)(void*, const Neighbor&)) const {
  kd_tree::Gather gather;
  gather.visit = call;
  gather.body = body;
  run(gather);
  return !gather.stopped;
}

}  // namespace graze
