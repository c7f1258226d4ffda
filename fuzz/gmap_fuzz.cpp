// Any bytes as an occupancy map of graze, .gmap: as they are, and with the checksum that they should have.
#include "io/gmap_format.h"
#include "map_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  graze_fuzz::read_map_from(data, size, "f.gmap");
  constexpr std::size_t kSize = 16;  // where the header has the size of the file
  if (size < kSize + 12) return 0;
  std::string bytes(reinterpret_cast<const char*>(data), size);
  for (unsigned i = 0; i < 8; ++i) bytes[kSize + i] = static_cast<char>(std::uint64_t{size} >> 8 * i & 0xFFU);
  const std::uint32_t sum = graze::io::crc32(std::string_view(bytes).substr(0, size - 4));
  for (unsigned i = 0; i < 4; ++i) bytes[size - 4 + i] = static_cast<char>(sum >> 8 * i & 0xFFU);
  graze_fuzz::read_map_from(reinterpret_cast<const std::uint8_t*>(bytes.data()), size, "f.gmap");
  return 0;
}
