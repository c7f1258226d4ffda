#include "query/solvers.h"

#define GRAZE_SOLVERS_HERE(A, B) GRAZE_SOLVERS(, A, B)

namespace graze {

GRAZE_FLAT_PAIRS(GRAZE_SOLVERS_HERE)

}  // namespace graze
