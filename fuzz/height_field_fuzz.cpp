// Any bytes as a file of heights: a field that can be asked, or an Error that names the file.
#include <zlib.h>

#include <string>
#include <string_view>

#include "fuzz/fuzz.h"
#include "graze/base/error.h"
#include "graze/io/height_field_file.h"
#include "graze/query/collide.h"

// Of the chunks of a PNG image.
static void correct_checksums(std::string& bytes) {
  const auto byte = [&](std::size_t i) { return std::size_t{static_cast<unsigned char>(bytes[i])}; };
  for (std::size_t at = 8; at + 12 <= bytes.size();) {
    const std::size_t size = byte(at) << 24U | byte(at + 1) << 16U | byte(at + 2) << 8U | byte(at + 3);
    if (size > bytes.size() - at - 12) return;
    const uLong sum = crc32(0, reinterpret_cast<const Bytef*>(&bytes[at + 4]), static_cast<uInt>(size + 4));
    for (std::size_t k = 0; k < 4; ++k) bytes[at + 8 + size + k] = static_cast<char>(sum >> (24 - 8 * k) & 0xFFU);
    at += 12 + size;
  }
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace graze;
  using graze_fuzz::expect;
  if (size == 0) return 0;
  // The first byte says what the others are.
  constexpr const char* kNames[] = {"f.asc", "f.pgm", "f.f32", "f.png", "f.png"};
  const std::string name = kNames[data[0] % 5];
  ReadHeightFieldOptions options;
  if (name != "f.asc") options.dx = 0.5, options.dy = 0.25;
  options.columns = 2 + data[0] / 5 % 8;
  std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] % 5 == 4) correct_checksums(bytes);  // or nothing would get past them
  try {
    const HeightField field = parse_height_field(bytes, name, options).field;
    expect(field.memory_bytes() <= (std::size_t{64} << 20) + 64 * size, "memory is in proportion to the file");
    const Vec3 top = field.surface_bounds().max;
    expect(is_finite(top) && is_finite(field.surface_bounds().min), "heights are finite");
    expect(collide(at(field), at(Sphere{.radius = 0}, Pose::at(field.surface_bounds().min))),
           "the lowest point is inside");
  } catch (const Error& error) {
    expect(std::string_view(error.what()).substr(0, name.size()) == name, "errors begin with the name of the file",
           error.what());
  }
  return 0;
}
