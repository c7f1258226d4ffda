// Pairs with a geometry that is made of many parts. The kinds of the two are stated once, where the verbs know them; a
// pair that cannot occur has no type.
#pragma once

#include <tuple>
#include <type_traits>
#include <variant>

#include "query/pair_query.h"

namespace graze {

/// A geometry that is known to hold one of the kinds, without a copy of it.
template <class... Kinds>
class OneOf {
 public:
  /// `held` is what the geometry holds.
  template <class Kind>
  OneOf(const Geometry& geometry, const Kind& held) : geometry_(&geometry), held_(&held) {}

  const Geometry& geometry() const { return *geometry_; }
  // Whoever takes any geometry takes this one.
  operator const Geometry&() const { return *geometry_; }  // NOLINT(google-explicit-constructor)

  /// Calls body(held).
  template <class Body>
  decltype(auto) visit(const Body& body) const {
    return std::visit([&](const auto* held) -> decltype(auto) { return body(*held); }, held_);
  }
  /// What is held, if it is of this kind.
  template <class Kind>
  const Kind* get_if() const {
    return std::get_if<Kind>(geometry_);
  }

 private:
  const Geometry* geometry_;
  std::variant<const Kinds*...> held_;
};

/// Two geometries by their kinds.
template <class A, class B>
struct KindPair {
  const A& a;
  const B& b;
};

namespace detail {
template <bool kKept, class T>
using Kept = std::conditional_t<kKept, std::tuple<std::type_identity<T>>, std::tuple<>>;

template <class... Kinds>
auto one_of(const std::tuple<std::type_identity<Kinds>...>&) -> OneOf<Kinds...>;
template <class... Kinds>
auto parts_of(const std::variant<Kinds...>*)
    -> decltype(one_of(std::tuple_cat(Kept<ShapeKind<Kinds> || Composite<Kinds>, Kinds>()...)));
}  // namespace detail

/// A shape, a mesh or a cloud. Solids made of blocks are answered elsewhere (blocks.h).
using PartsBody = decltype(detail::parts_of(static_cast<const Geometry*>(nullptr)));

/// Two geometries in canonical order that are one of the pairs of kinds.
template <class... Kinds>
class PairOf {
 public:
  PartsBody first, second;

  /// a and b are what the geometries hold.
  template <class A, class B>
  PairOf(const Geometry& of_a, const Geometry& of_b, const A& a, const B& b)
      : first(of_a, a), second(of_b, b), kinds_(KindPair<A, B>{a, b}) {}

  /// Calls body(a, b).
  template <class Body>
  decltype(auto) visit(const Body& body) const {
    return std::visit([&](const auto& kinds) -> decltype(auto) { return body(kinds.a, kinds.b); }, kinds_);
  }

 private:
  std::variant<Kinds...> kinds_;
};

namespace detail {
// All kinds up to B, with B.
template <bool kUnbounded, Composite B, class... Kinds>
auto pairs_with(const std::variant<Kinds...>*) -> decltype(std::tuple_cat(
    Kept<kind_of<Kinds> <= kind_of<B> && (kUnbounded || !Unbounded<Kinds>), KindPair<Kinds, B>>()...));
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
