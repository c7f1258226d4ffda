// Any bytes as a LAS file.
#include "cloud_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  graze_fuzz::read_cloud_from(data, size, "f.las");
  return 0;
}
