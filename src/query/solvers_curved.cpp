#include "query/solvers.h"

#define GRAZE_SOLVERS_HERE(A, B) GRAZE_SOLVERS(, A, B)
#define GRAZE_REFINE_HERE(A, B) GRAZE_REFINE(, A, B)

namespace graze {

GRAZE_CURVED_PAIRS(GRAZE_SOLVERS_HERE)
GRAZE_CURVED_PAIRS(GRAZE_REFINE_HERE)

}  // namespace graze
