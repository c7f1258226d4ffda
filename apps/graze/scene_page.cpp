#include "scene_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "embedded.h"
#include "graze/version.h"
#include "numbers.h"
#include "page_template.h"
#include "scene_page_shapes.h"

namespace graze::app {
namespace {

using PageJson = nlohmann::json;

PageJson numbers_of(const Vec3& v) { return {v.x(), v.y(), v.z()}; }

// Where what is drawn about `center` of a frame at `pose` stands: the rows of the rotation, then the translation, all
// relative to the origin of the picture.
PageJson place_of(const Pose& pose, const Vec3& center, const Vec3& origin) {
  PageJson out = PageJson::array();
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) out.push_back(pose.rotation()(r, c));
  }
  const Vec3 at = pose.rotation() * center + (pose.translation() - origin);
  for (int r = 0; r < 3; ++r) out.push_back(at[r]);
  return out;
}

// A plane has neither a middle nor a border: it is drawn around the point of it that is nearest to the picture's
// origin.
template <class P>
PageJson place_of_plane(const P& plane, const Pose& pose, const Vec3& origin) {
  const Vec3 normal = pose.rotation() * plane.normal();
  const double above = normal.dot(origin - pose.translation()) - plane.offset();
  const Vec3 side = normal.unitOrthogonal(), other = normal.cross(side);
  PageJson out = PageJson::array();
  for (int r = 0; r < 3; ++r) {
    for (const Vec3& axis : {side, other, normal}) out.push_back(axis[r]);
  }
  for (int r = 0; r < 3; ++r) out.push_back(-above * normal[r]);
  return out;
}

PageJson place_of(const Geometry& geometry, const Pose& pose, const Vec3& center, const Vec3& origin) {
  if (const auto* half = std::get_if<HalfSpace>(&geometry)) return place_of_plane(*half, pose, origin);
  if (const auto* plane = std::get_if<Plane>(&geometry)) return place_of_plane(*plane, pose, origin);
  return place_of(pose, center, origin);
}

const ShownBend* bend_of(const ScenePage& page, ObjectId id) {
  if (!page.motion) return nullptr;
  const std::vector<ShownBend>& bends = page.motion->bends;
  const auto found = std::find_if(bends.begin(), bends.end(), [&](const ShownBend& b) { return b.id == id; });
  return found == bends.end() ? nullptr : &*found;
}

// What the viewer reads: viewer/src/scene.ts.
PageJson scene_json(const ScenePage& page, const Aabb& extent, ShownShapes& shapes) {
  const Vec3 origin = extent.center();
  PageJson objects = PageJson::array();
  page.scene.visit_objects([&](const SceneObject& o) {
    const ShownBend* const bend = bend_of(page, o.id);
    const ShownShapes::Drawn drawn =
        bend != nullptr ? shapes.add(bend->from, bend->to, o.name) : shapes.add(o.placed->geometry, o.name);
    const auto place = [&](const Pose& pose) { return place_of(o.placed->geometry, pose, drawn.center, origin); };
    const bool colliding = page.colliding.contains(o.id);
    PageJson json = {{"name", o.name},         {"kind", name_of(o.placed->geometry)},
                     {"shape", drawn.shape},   {"color", numbers_of(color_of(o.id, colliding))},
                     {"colliding", colliding}, {"place", place(o.placed->pose)}};
    if (!page.motion) return void(objects.push_back(std::move(json)));
    for (const ShownTrack& track : page.motion->tracks) {
      if (track.id != o.id) continue;
      json["times"] = track.times;
      json["places"] = PageJson::array();
      for (const Pose& pose : track.poses) json["places"].push_back(place(pose));
    }
    objects.push_back(std::move(json));
  });
  PageJson contacts = PageJson::array();
  for (const ShownContact& c : page.contacts)
    contacts.push_back({{"point", numbers_of(c.point - origin)}, {"normal", numbers_of(c.normal)}});
  PageJson json = {{"schema", 1},
                   {"kind", "scene"},
                   {"half", numbers_of(extent.half().cwiseMax(1e-9 * (1 + origin.norm())))},
                   {"shapes", shapes.json()},
                   {"objects", std::move(objects)},
                   {"contacts", std::move(contacts)},
                   {"gap", nullptr},
                   {"motion", nullptr}};
  if (page.gap) {
    json["gap"] = {{"from", numbers_of(page.gap->from - origin)},
                   {"to", numbers_of(page.gap->to - origin)},
                   {"text", page.gap->text}};
  }
  if (page.motion) json["motion"] = {{"hit", page.motion->hit}, {"time", page.motion->time}};
  return json;
}

}  // namespace

Aabb extent_of(const ScenePage& page) {
  Aabb box;
  const auto extend = [&](const Geometry& geometry, const Pose& pose) {
    const Aabb own = ShownShapes::bounds_of(geometry, pose);
    if (own.bounded() && !own.empty()) box.extend(own);
  };
  page.scene.visit_objects([&](const SceneObject& o) {
    extend(o.placed->geometry, o.placed->pose);
    if (!page.motion) return;
    if (const ShownBend* const bend = bend_of(page, o.id)) {
      extend(bend->from, o.placed->pose);
      for (const Vec3& v : bend->to) box.extend(o.placed->pose * v);
    }
    for (const ShownTrack& track : page.motion->tracks) {
      if (track.id != o.id) continue;
      for (const Pose& pose : track.poses) extend(o.placed->geometry, pose);
    }
  });
  return box.empty() ? Aabb::around(Vec3::Zero(), Vec3::Ones()) : box;
}

std::string length_text(double metres, bool up) {
  const auto rounded = [&](double units) { return up ? std::ceil(units) : std::floor(units); };
  if (metres >= 1) return fixed(rounded(metres * 1e3) / 1e3, 3) + " m";
  return metres >= 0.01 ? fixed(rounded(metres * 1e3), 0) + " mm" : fixed(rounded(metres * 1e6) / 1e3, 3) + " mm";
}

void write_scene_page(const std::string& path, const ScenePage& page) {
  const bool live = !viewer_script().empty();
  std::size_t heavy = 0;
  page.scene.visit_objects([&](const SceneObject& o) { heavy += ShownShapes::is_heavy(o.placed->geometry) ? 1U : 0U; });
  ShownShapes shapes(heavy);
  PageJson json;
  if (live) json = scene_json(page, extent_of(page), shapes);
  std::string cautions;
  for (const std::string& text : shapes.cautions()) cautions += "<p class=\"caution\">" + escaped(text) + "</p>\n";
  if (!live)
    cautions =
        "<p class=\"caution\">This page has no 3-D view: graze was built without npm, which its viewer needs.</p>";
  const std::map<std::string_view, std::string> places = {
      {"title", escaped(page.title)},
      {"generator", std::string("graze ") + kVersion},
      {"lead", escaped(page.lead)},
      {"caption", escaped(page.caption)},
      {"caution", cautions},
      {"picture", live ? "" : scene_picture(page)},
      {"gap", page.gap ? "" : "hidden"},
      {"contacts", page.contacts.empty() ? "hidden" : ""},
      {"motion", page.motion ? "" : "hidden"},
      {"first_contact", page.motion && page.motion->hit ? "" : "hidden"},
      {"table", page.table},
      {"script", std::string(viewer_script())}};
  FileWriter file(path);
  write_from_template(file, scene_template(), places, [&] {
    if (!live) return;
    write_page_data(file, json_text(std::move(json)));
    write_page_block(file, "shapes", shapes.bytes());
  });
  file.commit();
}

}  // namespace graze::app
