#include "query/gjk.h"

namespace graze {

GRAZE_FLAT_PAIRS(GRAZE_GJK)

}  // namespace graze
