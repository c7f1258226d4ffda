#include "query/sweep_ask.h"

namespace graze {
namespace {

template <class A, class B>
void ask_kinds(const A& a, const B& b, const Stretch& stretch, SweepQuery& query) {
  if constexpr (Unbounded<A> || Unbounded<B> || BlockKind<A> || BlockKind<B>) return;  // has_stretches() says no
  else if constexpr (std::same_as<A, Mesh> && std::same_as<B, Mesh>) ask_meshes(a, b, stretch, query);
  else if constexpr (Composite<B>) traverse(hierarchy_of(a), hierarchy_of(b), query);
  else query.add(a, 0, b, 0, 0);
}

}  // namespace

void ask_stretch(const CanonicalPair& kinds, const Stretch& stretch, SweepQuery& query) {
  with_kinds<void>(kinds, [&](const auto& a, const auto& b) { ask_kinds(a, b, stretch, query); });
}

}  // namespace graze
