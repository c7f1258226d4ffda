#include "query/gjk.h"

#if GRAZE_SANITIZED
namespace graze {

GRAZE_CURVED_PAIRS(GRAZE_GJK)
GRAZE_CURVED_PAIRS(GRAZE_REFINE)

}  // namespace graze
#endif
