#include "io/coordinate_units.h"

#include <fmt/format.h>
#include <proj.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>

#include "graze/base/number.h"

namespace graze::io {
namespace {

struct ContextEnd {
  void operator()(PJ_CONTEXT* context) const { proj_context_destroy(context); }
};
struct ObjectEnd {
  void operator()(PJ* object) const { proj_destroy(object); }
};
using Object = std::unique_ptr<PJ, ObjectEnd>;

/// A unit of one axis: metres, or radians if it is an angle.
struct AxisUnit {
  std::string name;
  double size = 0;
};

bool is_sane(double size) { return std::isfinite(size) && size >= 1e-6 && size <= 1e6; }

/// What was found out about one coordinate system, or several that make up one.
struct Found {
  std::optional<AxisUnit> across, up;
  bool angle = false;
};

class Register {
 public:
  Register() : context_(proj_context_create()) {
    proj_log_level(context_.get(), PJ_LOG_NONE);
    proj_context_set_enable_network(context_.get(), 0);
  }

  Object from_wkt(const std::string& wkt) const {
    PROJ_STRING_LIST warnings = nullptr, errors = nullptr;
    Object object(proj_create_from_wkt(context_.get(), wkt.c_str(), nullptr, &warnings, &errors));
    proj_string_list_destroy(warnings);
    proj_string_list_destroy(errors);
    return object;
  }

  Object from_code(unsigned code) const {
    return Object(
        proj_create_from_database(context_.get(), "EPSG", std::to_string(code).c_str(), PJ_CATEGORY_CRS, 0, nullptr));
  }

  std::optional<AxisUnit> unit(unsigned code) const {
    const char *name = nullptr, *category = nullptr;
    double size = 0;
    const bool found = proj_uom_get_info_from_database(context_.get(), "EPSG", std::to_string(code).c_str(), &name,
                                                       &size, &category) != 0;
    if (!found || name == nullptr || category == nullptr || std::string_view(category) != "linear") return std::nullopt;
    return AxisUnit{name, size};
  }

  void look(const PJ* system, Found& found, int depth = 0) const {
    constexpr int kMaxParts = 8;
    if (system == nullptr || depth > kMaxParts) return;
    PJ_CONTEXT* context = context_.get();
    const PJ_TYPE type = proj_get_type(system);
    if (type == PJ_TYPE_COMPOUND_CRS) {
      for (int i = 0; i < 2; ++i) look(Object(proj_crs_get_sub_crs(context, system, i)).get(), found, depth + 1);
      return;
    }
    if (type == PJ_TYPE_BOUND_CRS) return look(Object(proj_get_source_crs(context, system)).get(), found, depth + 1);
    const Object axes(proj_crs_get_coordinate_system(context, system));
    if (!axes) return;
    const int count = proj_cs_get_axis_count(context, axes.get());
    const PJ_COORDINATE_SYSTEM_TYPE kind = proj_cs_get_type(context, axes.get());
    if (kind == PJ_CS_TYPE_VERTICAL) {
      if (count == 1) found.up = axis(axes.get(), 0);
      return;
    }
    found.angle = kind == PJ_CS_TYPE_ELLIPSOIDAL || kind == PJ_CS_TYPE_SPHERICAL;
    if (count < 2) return;
    found.across = axis(axes.get(), 0);
    const std::optional<AxisUnit> other = axis(axes.get(), 1);
    if (!other || !found.across || other->size != found.across->size) found.across.reset();
    if (count > 2) found.up = axis(axes.get(), 2);
  }

 private:
  std::optional<AxisUnit> axis(const PJ* axes, int index) const {
    const char* name = nullptr;
    double size = 0;
    if (proj_cs_get_axis_info(context_.get(), axes, index, nullptr, nullptr, nullptr, &size, &name, nullptr, nullptr) ==
            0 ||
        name == nullptr || !(size > 0) || !std::isfinite(size)) {
      return std::nullopt;
    }
    return AxisUnit{name, size};
  }

  std::unique_ptr<PJ_CONTEXT, ContextEnd> context_;
};

CloudUnits units_from(const Found& found, std::string source) {
  CloudUnits units;
  units.source = std::move(source);
  units.kind = CloudUnits::Kind::unknown;
  if (found.angle) {
    units.kind = CloudUnits::Kind::angle;
    units.name = found.across ? found.across->name : "degree";
    return units;
  }
  if (!found.across || !is_sane(found.across->size) || (found.up && !is_sane(found.up->size))) return units;
  units.kind = CloudUnits::Kind::length;
  units.name = found.across->name;
  units.vertical_stated = found.up.has_value();
  const AxisUnit& up = found.up ? *found.up : *found.across;
  units.vertical_name = up.name;
  units.metres = Vec3(found.across->size, found.across->size, up.size);
  return units;
}

/// The keys that matter here, of GeoTIFF 1.1, annex A.
struct GeoKeys {
  unsigned model = 0, projected = 0, linear_unit = 0, geographic = 0, vertical = 0, vertical_unit = 0;
  std::optional<double> linear_size;
  bool any = false;
};

constexpr unsigned kUserDefined = 32767;

GeoKeys keys_in(std::string_view directory, std::string_view doubles) {
  constexpr std::uint16_t kDoubles = 34736;
  GeoKeys keys;
  for (std::size_t i = 8; i + 8 <= directory.size(); i += 8) {
    const auto key = load_unaligned<std::uint16_t>(directory.data() + i),
               where = load_unaligned<std::uint16_t>(directory.data() + i + 2),
               value = load_unaligned<std::uint16_t>(directory.data() + i + 6);
    keys.any = keys.any || key != 0;
    if (key == 3077 && where == kDoubles && (value + std::size_t{1}) * 8 <= doubles.size()) {
      keys.linear_size = load_unaligned<double>(doubles.data() + value * std::size_t{8});
    }
    if (where != 0) continue;
    unsigned* const target = key == 1024   ? &keys.model
                             : key == 3072 ? &keys.projected
                             : key == 3076 ? &keys.linear_unit
                             : key == 2048 ? &keys.geographic
                             : key == 4096 ? &keys.vertical
                             : key == 4099 ? &keys.vertical_unit
                                           : nullptr;
    if (target != nullptr) *target = value;
  }
  return keys;
}

bool is_code(unsigned value) { return value != 0 && value != kUserDefined; }

}  // namespace

CloudUnits units_of_wkt(const std::string& wkt) {
  const Register known;
  Found found;
  known.look(known.from_wkt(wkt).get(), found);
  return units_from(found, "WKT");
}

CloudUnits units_of_geo_keys(std::string_view directory, std::string_view doubles) {
  const GeoKeys keys = keys_in(directory, doubles);
  if (!keys.any) return {};
  constexpr unsigned kProjected = 1, kGeographic = 2, kGeocentric = 3;
  unsigned model = keys.model;
  if (model == 0) model = keys.projected != 0 ? kProjected : keys.geographic != 0 ? kGeographic : 0;
  const Register known;
  Found found;
  std::string source = "GeoTIFF keys";
  if (model == kGeographic) {
    found.angle = true;
    if (is_code(keys.geographic)) known.look(known.from_code(keys.geographic).get(), found);
    found.angle = true;
  } else if (model == kProjected) {
    if (is_code(keys.projected)) {
      known.look(known.from_code(keys.projected).get(), found);
      source += fmt::format(" (EPSG:{})", keys.projected);
      if (found.angle) return units_from({}, source);  // no projected system has angles
    }
    std::optional<AxisUnit> stated;
    if (is_code(keys.linear_unit)) stated = known.unit(keys.linear_unit);
    if (keys.linear_unit == kUserDefined && keys.linear_size) stated = AxisUnit{"unit of its own", *keys.linear_size};
    // Where the code says feet and the key metres, the unit is unknown.
    const bool contradict = stated && found.across && std::abs(stated->size / found.across->size - 1) > 1e-9;
    if (contradict || (keys.linear_unit != 0 && !stated)) {
      found.across.reset();
    } else if (stated) {
      found.across = stated;
    }
  } else if (model == kGeocentric) {
    found.across = found.up = AxisUnit{"metre", 1};
  }
  if (is_code(keys.vertical)) {
    Found up;
    known.look(known.from_code(keys.vertical).get(), up);
    if (up.up) found.up = up.up;
  }
  if (is_code(keys.vertical_unit)) {
    const std::optional<AxisUnit> up = known.unit(keys.vertical_unit);
    found.up = up ? *up : AxisUnit{"unknown", 0};  // which makes all of it unknown
  }
  return units_from(found, source);
}

}  // namespace graze::io

namespace graze {

std::string describe(const CloudUnits& units) {
  switch (units.kind) {
    case CloudUnits::Kind::not_stated:
      return "not stated in the file";
    case CloudUnits::Kind::unknown:
      return fmt::format("unknown: its {} could not be understood", units.source);
    case CloudUnits::Kind::angle:
      return fmt::format("{}, an angle, by its {}", units.name, units.source);
    case CloudUnits::Kind::length:
      break;
  }
  std::string text = units.metres.x() == 1 ? units.name : fmt::format("{} ({} m)", units.name, units.metres.x());
  if (units.metres.z() != units.metres.x()) {
    text += fmt::format(", z in {} ({} m)", units.vertical_name, units.metres.z());
  }
  text += fmt::format(", by its {}", units.source);
  if (!units.vertical_stated && units.metres.x() != 1)
    text += "; the unit of z is not stated and assumed to be the same";
  return text;
}

}  // namespace graze
