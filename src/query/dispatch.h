// From two placed geometries to the kernel of their kinds, in canonical order.
#pragma once

#include <array>
#include <concepts>
#include <type_traits>
#include <utility>

#include "graze/geometry/geometry.h"
#include "query/core.h"
#include "query/relative.h"

namespace graze {

inline constexpr std::size_t kKinds = std::variant_size_v<Geometry>;

// What a leaf gives to the kernels instead of a kind says so (`kPart`): it comes after all kinds. Anything else has no
// place, and does not compile.
template <class S>
consteval std::size_t place_in_order() {
  if constexpr (requires { S::kPart; }) {
    return kKinds;
  } else {
    static_assert(detail::kIsAlternative<S, Geometry>);
    return []<class... Kinds>(std::variant<Kinds...>*) {
      std::size_t place = 0;
      bool found = false;
      ((found = found || std::same_as<S, Kinds>, place += found ? 0 : 1), ...);
      return place;
    }(static_cast<Geometry*>(nullptr));
  }
}
/// The position of a kind in the canonical order.
template <class S>
inline constexpr std::size_t kind_of = place_in_order<S>();

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

/// Whether (a, b) are in canonical order: by kind, then by pose. Kernels always see the pair in this order, so that
/// both orders of arguments give the same bits.
inline bool in_canonical_order(const Placed& a, const Placed& b) {
  if (a.geometry.index() != b.geometry.index()) return a.geometry.index() < b.geometry.index();
  // Mostly the first number decides; computed without a branch, which would be unpredictable.
  const double x = a.pose.translation().x(), y = b.pose.translation().x();
  if (x != y) return x < y;
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
  /// The position of a first body that is a sphere, in the frame of the second.
  Vec3 center_in_second() const {
    return turned_back(frame, minus(first.pose.translation(), second.pose.translation()));
  }

  Vec3 to_world(const Vec3& p) const { return plus(turned(frame, p), first.pose.translation()); }
};

/// Made of many parts. Pairs with such are answered elsewhere (parts.h), in files that compile by themselves.
template <class G>
concept Composite = std::same_as<G, Mesh> || std::same_as<G, Cloud>;
/// A solid made of many convex parts. Pairs with such, whatever the other is, are answered elsewhere (blocks.h).
template <class G>
concept BlockKind = std::same_as<G, HeightField> || std::same_as<G, MapView>;
template <class A, class B>
concept WithMesh = std::same_as<A, Mesh> || std::same_as<B, Mesh>;

// Pairs in canonical order, row by row: row i holds (i, i), (i, i + 1), …
constexpr std::size_t pairs_before(std::size_t row) { return row * kKinds - row * (row + 1) / 2; }
constexpr std::size_t place_of_pair(std::size_t first, std::size_t second) { return pairs_before(first) + second; }

/// Calls kernel(first, second) with the concrete kinds of the pair: one jump through a table that has no other pairs
/// than those in canonical order, and the result is constructed in place for the caller.
template <class Result, class Kernel>
Result with_kinds(const CanonicalPair& pair, const Kernel& kernel) {
  using Call = Result (*)(const Geometry&, const Geometry&, const Kernel&);
  static constexpr auto kCalls = [] {
    std::array<Call, kKinds*(kKinds + 1) / 2> calls{};
    const auto fill_row = [&]<std::size_t kFirst, std::size_t... kOffset>(std::integral_constant<std::size_t, kFirst>,
                                                                          std::index_sequence<kOffset...>) {
      ((calls[place_of_pair(kFirst, kFirst + kOffset)] =
            [](const Geometry& a, const Geometry& b, const Kernel& k) {
              return k(*std::get_if<kFirst>(&a), *std::get_if<kFirst + kOffset>(&b));
            }),
       ...);
    };
    [&]<std::size_t... kFirst>(std::index_sequence<kFirst...>) {
      (fill_row(std::integral_constant<std::size_t, kFirst>{}, std::make_index_sequence<kKinds - kFirst>{}), ...);
    }
    (std::make_index_sequence<kKinds>());
    return calls;
  }();
  const Geometry &a = pair.first.geometry, &b = pair.second.geometry;
  return kCalls[place_of_pair(a.index(), b.index())](a, b, kernel);
}

}  // namespace graze
