// From two placed geometries to the kernel of their kinds, in canonical order.
#pragma once

#include <array>
#include <cstdlib>
#include <type_traits>
#include <utility>

#include "graze/geometry/geometry.h"
#include "query/core.h"
#include "query/relative.h"

namespace graze {

/// The place of a kind in the canonical order.
template <class S>
inline constexpr std::size_t kind_of = [] {
  return []<class... Kinds>(std::variant<Kinds...>*) {
    std::size_t place = 0;
    bool found = false;
    ((found = found || std::is_same_v<S, Kinds>, place += found ? 0 : 1), ...);
    return place;
  }(static_cast<Geometry*>(nullptr));
}();

/// Less than 0 if a pose comes before the other, 0 if they are equal, number by number.
inline int order_of(const Pose& a, const Pose& b) {
  const auto order = [](const auto& x, const auto& y) {
    for (Eigen::Index i = 0; i < x.size(); ++i) {
      if (x.data()[i] != y.data()[i]) return x.data()[i] < y.data()[i] ? -1 : 1;
    }
    return 0;
  };
  const int c = order(a.translation(), b.translation());
  return c != 0 ? c : order(a.rotation(), b.rotation());
}

/// Whether (a, b) are in canonical order: by kind, then by place. Kernels always see the pair in this order, so that
/// both orders of arguments give the same bits.
inline bool in_canonical_order(const Placed& a, const Placed& b) {
  if (a.geometry.index() != b.geometry.index()) return a.geometry.index() < b.geometry.index();
  if (const int c = order_of(a.pose, b.pose); c != 0) return c < 0;
  return stamp(a.geometry) <= stamp(b.geometry);
}

/// Two placed geometries in canonical order.
struct CanonicalPair {
  bool swapped;
  const Placed &first, &second;
  /// The rotation of the frame in which the kernels answer. A sphere looks the same from everywhere: it takes the other
  /// body's axes, and nothing needs to be turned.
  const Mat3& frame;

  CanonicalPair(const Placed& a, const Placed& b)
      : swapped(!in_canonical_order(a, b)),
        first(swapped ? b : a),
        second(swapped ? a : b),
        frame(std::holds_alternative<Sphere>(first.geometry) ? second.pose.rotation() : first.pose.rotation()) {}

  /// The second as the first one sees it.
  Relative relative() const { return {frame, first.pose.translation(), second.pose}; }
  /// The place of a first body that is a sphere, as the second one sees it.
  Vec3 center_in_second() const {
    return turned_back(frame, minus(first.pose.translation(), second.pose.translation()));
  }

  Vec3 to_world(const Vec3& p) const { return plus(turned(frame, p), first.pose.translation()); }
};

/// Pairs with a mesh are answered elsewhere (mesh_pairs.h), in files that compile by themselves.
inline bool has_mesh(const CanonicalPair& pair) {
  return std::holds_alternative<Mesh>(pair.first.geometry) || std::holds_alternative<Mesh>(pair.second.geometry);
}

template <class Result, class Kernel, std::size_t kFirst, std::size_t kSecond>
Result call_with(const Geometry& a, const Geometry& b, const Kernel& kernel) {
  constexpr std::size_t kMesh = kind_of<Mesh>;
  if constexpr (kFirst <= kSecond && kFirst != kMesh && kSecond != kMesh) {
    return kernel(*std::get_if<kFirst>(&a), *std::get_if<kSecond>(&b));
  } else {
    std::abort();  // the caller has ordered the pair, and asked mesh_pairs.h about meshes
  }
}

/// Calls kernel(shape_a, shape_b) with the concrete kinds of a canonically ordered pair: one jump through a table, and
/// the result is made in the caller's place.
template <class Result, class Kernel>
Result with_kinds(const Geometry& a, const Geometry& b, const Kernel& kernel) {
  constexpr std::size_t kKinds = std::variant_size_v<Geometry>;
  using Call = Result (*)(const Geometry&, const Geometry&, const Kernel&);
  static constexpr auto kCalls = []<std::size_t... kPair>(std::index_sequence<kPair...>) {
    return std::array<Call, sizeof...(kPair)>{call_with<Result, Kernel, kPair / kKinds, kPair % kKinds>...};
  }
  (std::make_index_sequence<kKinds * kKinds>());
  return kCalls[a.index() * kKinds + b.index()](a, b, kernel);
}

}  // namespace graze
