#include "query/gjk.h"

namespace graze {

GRAZE_CURVED_PAIRS(GRAZE_GJK)
GRAZE_CURVED_PAIRS(GRAZE_REFINE)

}  // namespace graze
