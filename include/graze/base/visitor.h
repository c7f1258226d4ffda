// How a caller's function reaches code that was compiled without knowing it.
#pragma once

#include <type_traits>

namespace graze::detail {

/// Where a function object is, without its type.
template <class Body>
void* erased(Body& body) {
  return const_cast<std::remove_const_t<Body>*>(&body);
}

/// Calls the function object `where` erased() said, which is a Body: whether to go on. One that returns nothing always
/// does.
///
///     template <class Visit> void visit(Visit&& body) const {
///       visit_all(detail::erased(body), &detail::call_visitor<std::remove_reference_t<Visit>, std::size_t>);
///     }
template <class Body, class... Arguments>
bool call_visitor(void* where, Arguments... arguments) {
  Body& body = *static_cast<Body*>(where);
  if constexpr (std::is_void_v<std::invoke_result_t<Body&, Arguments...>>) {
    body(arguments...);
    return true;
  } else {
    return static_cast<bool>(body(arguments...));
  }
}

}  // namespace graze::detail
