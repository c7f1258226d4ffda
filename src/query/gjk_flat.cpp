#include "query/gjk.h"

#if GRAZE_SOLVERS_ONCE
namespace graze {

GRAZE_FLAT_PAIRS(GRAZE_GJK)

}  // namespace graze
#endif
