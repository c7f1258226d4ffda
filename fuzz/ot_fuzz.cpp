// Any bytes as an occupancy map of OctoMap, .ot.
#include "map_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  graze_fuzz::read_map_from(data, size, "f.ot");
  return 0;
}
