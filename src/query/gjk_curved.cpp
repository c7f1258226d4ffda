#include "query/gjk.h"

#if GRAZE_SOLVERS_ONCE
namespace graze {

GRAZE_CURVED_PAIRS(GRAZE_GJK)
GRAZE_CURVED_PAIRS(GRAZE_REFINE)

}  // namespace graze
#endif
