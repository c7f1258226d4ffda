// What a leaf kernel answers, in the frame of the canonically earlier shape.
#pragma once

#include "graze/base/vec.h"
#include "query/pair_memory.h"

namespace graze {

struct PairDistance {
  double value = kInfinity;
  double tolerance = 0;
  Vec3 on_a = Vec3::Zero();     // on_b = on_a + value * normal
  Vec3 normal = Vec3::UnitX();  // unit, from a to b
  bool beyond = false;
};

struct PairQuestion {
  double limit = kInfinity;
  bool depth = true;   // measure overlaps too
  bool points = true;  // on_a is wanted where it costs extra
  PairMemory* cache = nullptr;
};

inline PairDistance beyond_limit() {
  PairDistance r;
  r.beyond = true;
  return r;
}

}  // namespace graze
