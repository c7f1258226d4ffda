#include "info_text.h"

#include <fmt/format.h>

#include "numbers.h"

namespace graze::app {

std::string size_text(std::uint64_t bytes) {
  if (bytes < 1024) return fmt::format("{} bytes", bytes);
  double size = static_cast<double>(bytes) / 1024;
  for (const char* unit : {"KiB", "MiB", "GiB"}) {
    if (size < 1024) return fmt::format("{:.3g} {}", size, unit);
    size /= 1024;
  }
  return fmt::format("{:.3g} TiB", size);
}

std::string number(double x) { return fmt::format("{:.12g}", x + 0.0); }  // no minus zero

std::string extent_text(const Aabb& bounds, int axis) {
  const double low = bounds.min[axis], high = bounds.max[axis];
  return fmt::format("{} … {}  (extent {:.6g})", number(low), number(high), high - low);
}

Json vector_json(const Vec3& v) { return Json::array({v.x(), v.y(), v.z()}); }

Json bounds_json(const Aabb& bounds) {
  if (bounds.empty()) return nullptr;
  return {{"min", vector_json(bounds.min)}, {"max", vector_json(bounds.max)}};
}

std::string line_of(const Json& json) { return json_text(json) + "\n"; }

}  // namespace graze::app
