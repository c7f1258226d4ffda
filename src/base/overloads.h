// Several functions as one, for std::visit: an alternative that nobody wrote a function for does not compile.
#pragma once

namespace graze {

template <class... F>
struct Overloads : F... {
  using F::operator()...;
};
template <class... F>
Overloads(F...) -> Overloads<F...>;

}  // namespace graze
