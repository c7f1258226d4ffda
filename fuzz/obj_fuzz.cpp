// Any bytes as an OBJ file.
#include "mesh_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  graze_fuzz::read_mesh_from(data, size, "f.obj");
  return 0;
}
