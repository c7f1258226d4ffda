#include "query/block_kernels.h"
#include "query/solvers.h"

namespace graze {

GRAZE_BLOCK(Cylinder)
GRAZE_BLOCK(Cone)
GRAZE_BLOCK(Ellipsoid)

}  // namespace graze
