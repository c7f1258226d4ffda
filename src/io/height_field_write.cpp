#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <cmath>
#include <iterator>

#include "graze/base/error.h"
#include "graze/io/height_field_file.h"
#include "graze/io/write_file.h"

namespace graze {
namespace {

// The smallest float that is not below.
float float_above(double z) {
  const auto f = static_cast<float>(z);
  return static_cast<double>(f) < z ? std::nextafter(f, std::numeric_limits<float>::infinity()) : f;
}

// The value of holes where a grid states none.
constexpr double kUsualHole = -9999;

bool has_usual_hole(const HeightField& field, const Vec3& origin) {
  const HeightGrid& g = field.grid();
  for (std::size_t row = 0; row < g.rows; ++row) {
    for (std::size_t column = 0; column < g.columns; ++column) {
      if (origin.z() + field.height(column, row) == kUsualHole) return true;
    }
  }
  return false;
}

void write_ascii_grid(const std::string& path, const HeightField& field, const Vec3& origin) {
  const HeightGrid& g = field.grid();
  FileWriter file(path);
  const std::string cell = g.dx == g.dy ? fmt::format("cellsize {}", g.dx) : fmt::format("dx {}\ndy {}", g.dx, g.dy);
  file.write(fmt::format("ncols {}\nnrows {}\nxllcenter {}\nyllcenter {}\n{}\n", g.columns, g.rows, origin.x(),
                         origin.y(), cell));
  if (has_usual_hole(field, origin)) file.write("NODATA_value -2e+30\n");  // which none is
  fmt::memory_buffer line;
  for (std::size_t row = g.rows; row-- > 0;) {
    line.clear();
    for (std::size_t column = 0; column < g.columns; ++column)
      fmt::format_to(std::back_inserter(line), "{}{}", column > 0 ? " " : "", origin.z() + field.height(column, row));
    line.push_back('\n');
    file.write({line.data(), line.size()});
  }
  file.commit();
}

double write_raw_floats(const std::string& path, const HeightField& field, const Vec3& origin) {
  const HeightGrid& g = field.grid();
  FileWriter file(path);
  double rounding = 0;
  std::string line;
  for (std::size_t row = 0; row < g.rows; ++row) {
    line.clear();
    for (std::size_t column = 0; column < g.columns; ++column) {
      const double z = origin.z() + field.height(column, row);
      const float up = float_above(z);
      rounding = std::max(rounding, static_cast<double>(up) - z);
      const auto bits = std::bit_cast<std::uint32_t>(up);
      for (const unsigned shift : {0U, 8U, 16U, 24U}) line.push_back(static_cast<char>(bits >> shift & 0xFFU));
    }
    file.write(line);
  }
  file.commit();
  return rounding;
}

}  // namespace

WriteHeightFieldReport write_height_field(const std::string& path, const HeightField& field, const Vec3& origin) {
  std::string ending = path.substr(path.size() - std::min<std::size_t>(4, path.size()));
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (ending == ".asc") {
    write_ascii_grid(path, field, origin);
    return {};
  }
  if (ending == ".f32") return {.rounding = write_raw_floats(path, field, origin)};
  throw Error(path, "its name does not indicate a format of height fields; name it .asc or .f32");
}

}  // namespace graze
