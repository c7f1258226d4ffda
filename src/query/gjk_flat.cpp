#include "query/gjk.h"

#if GRAZE_SANITIZED
namespace graze {

GRAZE_FLAT_PAIRS(GRAZE_GJK)

}  // namespace graze
#endif
