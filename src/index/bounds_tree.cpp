#include "graze/index/bounds_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <type_traits>

#include "graze/base/error.h"

namespace graze {
namespace {

constexpr double kLargestCoordinate = 1e30;
constexpr std::size_t kMax = std::size_t{1} << 30U;
constexpr double kOrthonormal = 1e-12;  // of axes that a rule gives

Aabb around(std::span<const Vec3> points) {
  Aabb box;
  for (const Vec3& p : points) box.extend(p);
  return box;
}

// Grown by at least `grow` on all sides; bounds that are measured along axes of their own have more to spare anyway.
template <class Bound>
Bound fitted(std::span<const Vec3> points, const typename BoundsTree<Bound>::Options& options, double grow) {
  if constexpr (BoundsTree<Bound>::kOriented) {
    const Mat3 axes = options.fit(points);
    if (!((axes.transpose() * axes - Mat3::Identity()).cwiseAbs().maxCoeff() <= kOrthonormal))
      throw Error("bounds tree", "the fit gives axes that are not orthonormal");
    return Bound::around(points, axes);
  } else if constexpr (std::is_same_v<Bound, Aabb>) {
    return around(points).grown(grow);
  } else {
    Bound bound = Bound::around(points);
    for (double& reach : bound.reach) reach += 3 * grow;  // normals have up to three coordinates
    return bound;
  }
}

}  // namespace

template <class Bound>
BoundsTree<Bound>::BoundsTree(std::span<const Vec3> vertices, std::vector<Corners> triangles, bool points,
                              const Options& options)
    : options_(options), vertices_(vertices.size()), triangles_(std::move(triangles)), points_(points) {
  if (options_.leaf_size == 0) throw Error("bounds tree", "leaves of size 0 hold nothing");
  if (!options_.split) throw Error("bounds tree", "there is no rule to split by");
  if constexpr (kOriented) {
    if (!options_.fit) throw Error("bounds tree", "there is no rule to fit by");
  }
  const std::size_t count = points_ ? vertices_ : triangles_.size();
  if (count >= kMax) throw Error("bounds tree", fmt::format("{} primitives are too many", count));
  for (std::size_t i = 0; i < triangles_.size(); ++i) {
    for (const std::uint32_t v : triangles_[i]) {
      if (v >= vertices_)
        throw Error(fmt::format("bounds tree triangle {}", i),
                    fmt::format("refers to vertex {}, but there are {}", v, vertices_));
    }
  }
  order_.resize(count);
  rebuild(vertices);
}

template <class Bound>
BoundsTree<Bound>::BoundsTree(std::span<const Vec3> points, const Options& options)
    : BoundsTree(points, {}, true, options) {}

template <class Bound>
BoundsTree<Bound>::BoundsTree(std::span<const Vec3> vertices, std::span<const Corners> triangles,
                              const Options& options)
    : BoundsTree(vertices, {triangles.begin(), triangles.end()}, false, options) {}

template <class Bound>
void BoundsTree<Bound>::check(std::span<const Vec3> vertices) const {
  if (vertices.size() != vertices_)
    throw Error("bounds tree", fmt::format("has {} vertices, cannot take {}", vertices_, vertices.size()));
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    if (!(vertices[i].cwiseAbs().maxCoeff() <= kLargestCoordinate) || !is_finite(vertices[i]))
      throw Error(fmt::format("bounds tree vertex {}", i), "is not finite or out of range");
  }
}

// The corners of the primitives in the order of the slots, so that those of a node lie side by side; with two sets of
// vertices, both places of each.
template <class Bound>
std::vector<Vec3> BoundsTree<Bound>::corners(std::span<const Vec3> from, std::span<const Vec3> to) const {
  std::vector<Vec3> all;
  all.reserve(size() * (points_ ? 1 : 3) * (to.empty() ? 1 : 2));
  for (const std::uint32_t primitive : order_) {
    for (const std::span<const Vec3> vertices : {from, to}) {
      if (vertices.empty()) continue;
      if (points_) {
        all.push_back(vertices[primitive]);
      } else {
        for (const std::uint32_t v : triangles_[primitive]) all.push_back(vertices[v]);
      }
    }
  }
  return all;
}

template <class Bound>
void BoundsTree<Bound>::refit(std::span<const Vec3> vertices) {
  check(vertices);
  fit(corners(vertices, {}), 0);
  over_move_ = false;
}

template <class Bound>
void BoundsTree<Bound>::refit_over_move(std::span<const Vec3> from, std::span<const Vec3> to) {
  check(from), check(to);
  // Places between the ends that are computed in double may miss the straight way by as much.
  double size = 0;
  for (const auto& vertices : {from, to}) {
    for (const Vec3& v : vertices) size = std::max(size, v.cwiseAbs().maxCoeff());
  }
  fit(corners(from, to), 4 * kEpsilon * size);
  over_move_ = true;
}

template <class Bound>
void BoundsTree<Bound>::rebuild(std::span<const Vec3> vertices) {
  check(vertices);
  BoundsTree next = *this;
  next.divide(vertices);
  next.fit(next.corners(vertices, {}), 0);
  next.over_move_ = false;
  next.built_cost_ = next.cost_;
  *this = std::move(next);
}

template <class Bound>
void BoundsTree<Bound>::divide(std::span<const Vec3> vertices) {
  nodes_.clear();
  std::iota(order_.begin(), order_.end(), 0U);
  if (order_.empty()) return;
  std::vector<Aabb> boxes;
  boxes.reserve(size());
  const std::vector<Vec3> all = corners(vertices, {});
  const std::size_t each = points_ ? 1 : 3;
  for (std::size_t i = 0; i < size(); ++i) boxes.push_back(around(std::span(all).subspan(each * i, each)));

  struct Open {
    std::uint32_t node;
    std::size_t level;
  };
  std::vector<Open> open{{0, 0}};
  nodes_.push_back({Bound(), 0, static_cast<std::uint32_t>(size()), 0});
  std::vector<std::pair<double, std::uint32_t>> sorted;
  std::vector<Aabb> moved;
  while (!open.empty()) {
    const Open top = open.back();
    open.pop_back();
    const std::uint32_t first = nodes_[top.node].first, last = nodes_[top.node].last;
    if (last - first <= options_.leaf_size) continue;
    const std::span<Aabb> part = std::span(boxes).subspan(first, last - first);
    const SplitPlane plane = options_.split(part);
    const auto at = [&](const Aabb& box) { return plane.direction.dot(box.min + box.max) / 2; };
    std::uint32_t middle = first;
    if (top.level < kRuleLevels) {
      for (std::uint32_t i = first; i < last; ++i) {
        if (!(at(boxes[i]) < plane.offset)) continue;
        std::swap(boxes[i], boxes[middle]), std::swap(order_[i], order_[middle]);
        ++middle;
      }
    }
    if (middle == first || middle == last) {
      // By count. Equal and nameless places go by the index, so that any input is divided, and in one way.
      sorted.clear(), moved.assign(part.begin(), part.end());
      for (std::uint32_t i = first; i < last; ++i) {
        const double place = at(boxes[i]);
        sorted.emplace_back(std::isnan(place) ? 0 : place, i);
      }
      middle = first + (last - first) / 2;
      const std::vector<std::uint32_t> old(order_.begin() + first, order_.begin() + last);
      std::nth_element(
          sorted.begin(), sorted.begin() + (middle - first), sorted.end(), [&](const auto& x, const auto& y) {
            return x.first < y.first || (x.first == y.first && old[x.second - first] < old[y.second - first]);
          });
      for (std::uint32_t i = first; i < last; ++i) {
        boxes[i] = moved[sorted[i - first].second - first];
        order_[i] = old[sorted[i - first].second - first];
      }
    }
    const auto below = static_cast<std::uint32_t>(nodes_.size());
    nodes_[top.node].below = below;
    nodes_.push_back({Bound(), first, middle, 0});
    nodes_.push_back({Bound(), middle, last, 0});
    open.push_back({below, top.level + 1}), open.push_back({below + 1, top.level + 1});
  }
}

template <class Bound>
void BoundsTree<Bound>::fit(std::span<const Vec3> corners, double grow) {
  if (nodes_.empty()) return;
  const std::size_t each = corners.size() / size();
  std::vector<Bound> bounds(nodes_.size());
  double sum = 0;
  for (std::size_t i = nodes_.size(); i-- > 0;) {
    const Place& node = nodes_[i];
    if (kOriented || node.below == 0) {
      bounds[i] = fitted<Bound>(corners.subspan(each * node.first, each * (node.last - node.first)), options_, grow);
    } else {
      bounds[i] = bounds[node.below];
      if constexpr (!kOriented) bounds[i].extend(bounds[node.below + 1]);
    }
    sum += half_area(bounds[i]);
  }
  for (std::size_t i = 0; i < nodes_.size(); ++i) nodes_[i].bound = bounds[i];
  const double all = half_area(bounds[0]);
  cost_ = all > 0 ? sum / all : 0;
}

template <class Bound>
std::size_t BoundsTree<Bound>::memory_bytes() const {
  return sizeof(*this) + nodes_.capacity() * sizeof(Place) + order_.capacity() * sizeof(std::uint32_t) +
         triangles_.capacity() * sizeof(Corners);
}

template <class Bound>
std::string BoundsTree<Bound>::validate(std::span<const Vec3> vertices) const {
  if (vertices.size() != vertices_) return fmt::format("{} vertices instead of {}", vertices_, vertices.size());
  if (size() != (points_ ? vertices_ : triangles_.size())) return "not one slot per primitive";
  if (size() == 0) return nodes_.empty() ? "" : "an empty tree with nodes";
  std::vector<char> seen(size(), 0);
  for (const std::uint32_t i : order_) {
    if (i >= size() || seen[i]++ != 0) return fmt::format("primitive {} is not there once", i);
  }
  const std::vector<Vec3> all = corners(vertices, {});
  const std::size_t each = points_ ? 1 : 3;
  std::vector<std::uint32_t> depth(nodes_.size(), 0);
  std::vector<char> known(nodes_.size(), 0);
  known[0] = 1;
  if (nodes_[0].first != 0 || nodes_[0].last != size()) return "the root does not hold all slots";
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const Place& node = nodes_[i];
    if (known[i] == 0) return fmt::format("node {} has no parent", i);
    if (node.first >= node.last) return fmt::format("node {} is empty", i);
    if (depth[i] > kMaxDepth) return "deeper than promised";
    for (std::size_t k = each * node.first; k < each * node.last; ++k) {
      if (!node.bound.contains(all[k])) return fmt::format("node {} does not hold primitive {}", i, order_[k / each]);
    }
    if (node.below == 0) {
      if (node.last - node.first > options_.leaf_size) return fmt::format("leaf {} is too large", i);
      continue;
    }
    if (node.below <= i || node.below + 1 >= nodes_.size()) return fmt::format("node {} comes after its children", i);
    const Place &low = nodes_[node.below], &high = nodes_[node.below + 1];
    if (low.first != node.first || low.last != high.first || high.last != node.last)
      return fmt::format("the children of node {} do not share its slots", i);
    for (const std::uint32_t child : {node.below, node.below + 1}) {
      if (known[child]++ != 0) return fmt::format("node {} has two parents", child);
      depth[child] = depth[i] + 1;
    }
  }
  return "";
}

template class BoundsTree<Aabb>;
template class BoundsTree<Obb>;
template class BoundsTree<Rss>;
template class BoundsTree<KDop<16>>;
template class BoundsTree<KDop<18>>;
template class BoundsTree<KDop<24>>;

}  // namespace graze
