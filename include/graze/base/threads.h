// How threads are asked for where there is nothing else to choose.
#pragma once

namespace graze {

/// Every function that can use several threads has an option `threads` with this meaning; functions without other
/// options take this struct. Verbs about one pair default to 1, because more than one thread needs memory and a query
/// allocates nothing unless asked to.
struct ThreadOptions {
  int threads = 0;  ///< 0: as many as the machine has. Results do not depend on it.
};

}  // namespace graze
