// The units of coordinates, as the records of a LAS file state them: WKT, GeoTIFF keys, codes of the EPSG register.
#pragma once

#include <string>
#include <string_view>

#include "graze/io/cloud_file.h"

namespace graze::io {

/// Of a coordinate system in well-known text, 1 or 2. Never throws for bad text: the kind is then unknown.
CloudUnits units_of_wkt(const std::string& wkt);

/// Of a GeoKeyDirectoryTag (record 34735) with the doubles of record 34736. Never throws.
CloudUnits units_of_geo_keys(std::string_view directory, std::string_view doubles);

}  // namespace graze::io
