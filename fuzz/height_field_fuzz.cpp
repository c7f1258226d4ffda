// Any bytes as a file of heights: a field that can be asked, or an Error that names the file.
#include <string>
#include <string_view>

#include "fuzz/fuzz.h"
#include "graze/base/error.h"
#include "graze/io/height_field_file.h"
#include "graze/query/collide.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace graze;
  using graze_fuzz::expect;
  if (size == 0) return 0;
  // The first byte says what the others are.
  constexpr const char* kNames[] = {"f.asc", "f.pgm", "f.f32"};
  const std::string name = kNames[data[0] % 3];
  ReadHeightFieldOptions options;
  if (name != "f.asc") options.dx = 0.5, options.dy = 0.25;
  options.columns = 2 + data[0] / 3 % 8;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
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
