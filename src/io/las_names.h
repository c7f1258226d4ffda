// Which columns of a table are fields of LAS, by what graze and others call them.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace graze::io::las {

/// A name without what programs disagree in: case, blanks and underscores.
inline std::string plain_name(std::string_view name) {
  std::string plain;
  for (const char c : name) {
    if (c != '_' && c != ' ') plain += static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  }
  return plain;
}

/// The field of LAS, by graze's name for it, that a column of this name holds: tables of PDAL, laspy and LAStools have
/// ReturnNumber, ScanAngleRank or GpsTime. Empty if it holds none.
inline std::string_view field_of(std::string_view name) {
  struct Known {
    std::string_view plain, field;
  };
  constexpr Known kKnown[] = {{"intensity", "intensity"},
                              {"returnnumber", "return_number"},
                              {"numberofreturns", "number_of_returns"},
                              {"scandirection", "scan_direction"},
                              {"scandirectionflag", "scan_direction"},
                              {"edgeofflightline", "edge_of_flight_line"},
                              {"classification", "classification"},
                              {"classificationflags", "classification_flags"},
                              {"classflags", "classification_flags"},
                              {"scannerchannel", "scanner_channel"},
                              {"scanchannel", "scanner_channel"},
                              {"scanangle", "scan_angle"},
                              {"scananglerank", "scan_angle"},
                              {"userdata", "user_data"},
                              {"pointsourceid", "point_source_id"},
                              {"gpstime", "gps_time"},
                              {"red", "red"},
                              {"green", "green"},
                              {"blue", "blue"},
                              {"nir", "nir"},
                              {"infrared", "nir"}};
  const std::string plain = plain_name(name);
  for (const Known& known : kKnown) {
    if (plain == known.plain) return known.field;
  }
  return {};
}

/// Which of `count` columns goes to a field: the first that has graze's name for it, otherwise the first that has
/// another one; `count` if none has.
inline std::size_t column_of(std::string_view field, std::size_t count,
                             const std::function<std::string_view(std::size_t)>& name) {
  std::size_t found = count;
  for (std::size_t k = count; k-- > 0;) {
    if (field_of(name(k)) == field) found = k;
  }
  for (std::size_t k = count; k-- > 0;) {
    if (name(k) == field) found = k;
  }
  return found;
}

}  // namespace graze::io::las
