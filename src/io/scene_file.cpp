#include "graze/io/scene_file.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>
#include <vector>

#include "graze/base/error.h"
#include "graze/scene/scene_editor.h"
#include "io/json_file.h"
#include "io/placed.h"
#include "io/scene_read.h"

namespace graze {
namespace io {
namespace {

Value list_of(const Fields& fields, std::string_view name, const char* what) {
  const Value list = fields.required(name);
  if (!list.is_array()) throw Error(fields.path_of(name), fmt::format("must be a list of {}", what));
  return list;
}

struct Attachment {
  std::string path, name, parent;
  Pose pose;
};

void add_object(const Fields& fields, SceneEditor& editor, std::vector<Attachment>& attachments) {
  const std::string name = fields.text("name");
  ObjectOptions options;
  if (fields.has("group")) {
    options.group = fields.text("group");
    if (options.group.empty()) throw Error(fields.path_of("group"), "must not be empty; leave it out for none");
  }
  options.margin = fields.number_or("margin", 0);
  options.padding = fields.number_or("padding", 0);
  const auto [pose, local] = poses_of(fields);
  options.local = local;
  if (fields.has("attach")) attachments.push_back({fields.path_of("attach"), name, fields.text("attach"), pose});
  Geometry geometry = geometry_from(fields);
  // The error names what it is about.
  try {
    editor.add(name, Placed{std::move(geometry), pose}, options);
  } catch (const Error& error) {
    Fields::naming(fields.path_of(error.where()), [&] { throw error; });
  }
}

void allow(Value pair, const std::string& path, SceneEditor& editor) {
  const auto refuse = [&] { throw Error(path, "must be two names of objects or groups"); };
  if (!pair.is_array() || pair.size() != 2) refuse();
  std::vector<std::string> names;
  for (const Value name : pair) {
    if (!name.is_string()) refuse();
    names.emplace_back(name.text());
  }
  Fields::naming(path, [&] { editor.allow(names[0], names[1]); });
}

}  // namespace

Scene scene_from(Value value, const std::string& path, Surroundings around) {
  if (!value.is_object()) throw Error(path.empty() ? "scene" : path, "must be a JSON object");
  const Fields fields(value, path);
  fields.allow_only("a scene", {"objects", "allowed"});
  around.also = {"name", "group", "attach", "margin", "padding"};
  SceneEditor editor;
  std::vector<Attachment> attachments;
  std::size_t i = 0;
  for (const Value object : list_of(fields, "objects", "objects")) {
    add_object(Fields(object, fmt::format("{}[{}]", fields.path_of("objects"), i++), &around), editor, attachments);
  }
  for (const Attachment& a : attachments) {
    Fields::naming(a.path, [&] { editor.attach(a.name, a.parent, a.pose); });
  }
  if (fields.has("allowed")) {
    i = 0;
    for (const Value pair : list_of(fields, "allowed", "pairs"))
      allow(pair, fmt::format("{}[{}]", fields.path_of("allowed"), i++), editor);
  }
  return editor.scene();
}

}  // namespace io

Scene read_scene(const std::string& path) {
  // Values take many times the bytes of their text; large meshes and clouds stand in other files.
  constexpr std::uint64_t kLargest = std::uint64_t{64} << 20;
  const std::string text = io::read_json_text(path, kLargest, "a scene");
  return io::from_json(text, path, [&](io::Value root) {
    return io::scene_from(root, "", {.folder = std::filesystem::path(path).parent_path().string()});
  });
}

Scene parse_scene(std::string_view bytes, const std::string& name) {
  return io::from_json(bytes, name, [](io::Value root) { return io::scene_from(root, "", {.files = false}); });
}

}  // namespace graze
