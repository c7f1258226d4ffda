// Any bytes as an occupancy map of OctoMap, .bt.
#include "map_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  graze_fuzz::read_map_from(data, size, "f.bt");
  return 0;
}
