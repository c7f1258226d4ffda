// Any bytes as a file of text.
#include "cloud_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  graze_fuzz::read_cloud_from(data, size, "f.xyz");
  return 0;
}
