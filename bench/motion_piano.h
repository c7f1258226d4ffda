// The work of FCL's tables on generated bodies: a piano that moves through a furnished room (Tables II and III), and a
// body that breaks into rigid pieces (Table IV).
#pragma once

#include "bench/claims.h"

namespace motion_bench {

void piano(graze::bench::Claims& claims);
void pieces(graze::bench::Claims& claims);

}  // namespace motion_bench
