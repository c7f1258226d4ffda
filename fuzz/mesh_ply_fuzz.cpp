// Any bytes as a PLY file with faces.
#include "mesh_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  graze_fuzz::read_mesh_from(data, size, "f.ply");
  return 0;
}
