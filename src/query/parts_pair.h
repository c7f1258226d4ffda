// Pairs with a geometry that is made of many parts. The kinds of the two are stated once, where the verbs know them; a
// pair that cannot occur has no type.
#pragma once

#include <cassert>
#include <tuple>
#include <type_traits>
#include <variant>

#include "base/overloads.h"
#include "query/pair_query.h"

namespace graze {

/// Calls on_mesh(mesh), on_cloud(cloud) or on_shape(shape). Does not compile once there is another kind. Solids made of
/// blocks are answered elsewhere (blocks.h): here they are none of these, and nothing is known of them.
template <class Result, class OnMesh, class OnCloud, class OnShape>
Result with_kind(const Geometry& g, const OnMesh& on_mesh, const OnCloud& on_cloud, const OnShape& on_shape) {
  return std::visit(Overloads{[&](const Mesh& mesh) -> Result { return on_mesh(mesh); },
                              [&](const Cloud& cloud) -> Result { return on_cloud(cloud); },
                              [&](const ShapeKind auto& shape) -> Result { return on_shape(shape); },
                              [&](const BlockKind auto&) -> Result {
                                assert(false);
                                return Result();
                              }},
                    g);
}

/// Two geometries by their kinds.
template <class A, class B>
struct KindPair {
  const A& a;
  const B& b;
};

/// Two geometries in canonical order that are one of the pairs of kinds.
template <class... Kinds>
class PairOf {
 public:
  const Geometry &first, &second;

  /// a and b are what the geometries hold.
  template <class A, class B>
  PairOf(const Geometry& of_a, const Geometry& of_b, const A& a, const B& b)
      : first(of_a), second(of_b), kinds_(KindPair<A, B>{a, b}) {}

  /// Calls body(a, b).
  template <class Body>
  decltype(auto) visit(const Body& body) const {
    return std::visit([&](const auto& kinds) -> decltype(auto) { return body(kinds.a, kinds.b); }, kinds_);
  }

 private:
  std::variant<Kinds...> kinds_;
};

namespace detail {
template <bool kKept, class Kinds>
using KeptPair = std::conditional_t<kKept, std::tuple<std::type_identity<Kinds>>, std::tuple<>>;

// All kinds up to B, with B.
template <bool kUnbounded, Composite B, class... Kinds>
auto pairs_with(const std::variant<Kinds...>*) -> decltype(std::tuple_cat(
    KeptPair<kind_of<Kinds> <= kind_of<B> && (kUnbounded || !Unbounded<Kinds>), KindPair<Kinds, B>>()...));
template <class... Kinds>
auto pair_of(const std::tuple<std::type_identity<Kinds>...>&) -> PairOf<Kinds...>;
template <bool kUnbounded, Composite... Bs>
using PairsWith =
    decltype(pair_of(std::tuple_cat(pairs_with<kUnbounded, Bs>(static_cast<const Geometry*>(nullptr))...)));
}  // namespace detail

/// Anything with a mesh or a cloud.
using PartsPair = detail::PairsWith<true, Mesh, Cloud>;
/// The same without half-spaces and planes.
using BoundedPair = detail::PairsWith<false, Mesh, Cloud>;

}  // namespace graze
