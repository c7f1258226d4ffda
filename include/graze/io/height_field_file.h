// Height fields in files.
#pragma once

#include <string>
#include <string_view>

#include "graze/geometry/height_field.h"

namespace graze {

/// Options of readers of height fields; a format that states something itself refuses to be told.
struct ReadHeightFieldOptions {
  double dx = 0, dy = 0;    ///< metres from column to column and from row to row; for images and raw floats
  double scale = 1;         ///< metres per unit of the file's numbers
  double offset = 0;        ///< metres that a 0 stands for
  std::size_t columns = 0;  ///< of raw floats; other files state it
};

/// A height field and where its file puts it.
struct HeightFieldFile {
  HeightField field;
  Vec3 origin = Vec3::Zero();  ///< of the first height (column 0, row 0), where the file says so; not part of the field
};

/// Reads a height field, by the ending of the name:
///
/// - `.asc`: ESRI ASCII grid: `ncols`, `nrows`, `xllcorner` or `xllcenter`, `yll…`, `cellsize` (or `dx` and `dy`),
///   `NODATA_value` (-9999)
/// - `.pgm`, `.png`: grey image of up to 16 bits; PGM as P2 or P5, PNG not interlaced
/// - `.f32`: float32, little-endian, row by row from the lowest y
///
/// Of grids and images the first row is that of the largest y. A hole (NODATA, NaN, transparent) is an error: it is
/// neither free nor occupied. Throws Error naming the file, the place and the reason.
HeightFieldFile read_height_field(const std::string& path, const ReadHeightFieldOptions& options = {});
/// The same from bytes in memory; `name` stands for them in errors, and its ending says what they are.
HeightFieldFile parse_height_field(std::string_view bytes, const std::string& name,
                                   const ReadHeightFieldOptions& options = {});
/// Whether the name ends like one of the above.
bool is_height_field_file(const std::string& path);

/// What write_height_field() did.
struct WriteHeightFieldReport {
  double rounding = 0;  ///< metres, by which a height was rounded at most: upwards, so that nothing solid is lost
};
/// Writes a height field, by the ending of the name: `.asc`, which reads back to the same numbers and has the origin,
/// or
/// `.f32`, heights alone. The file is replaced when the new one is complete. Throws Error for other names, and as
/// write_file does.
WriteHeightFieldReport write_height_field(const std::string& path, const HeightField& field,
                                          const Vec3& origin = Vec3::Zero());

}  // namespace graze
