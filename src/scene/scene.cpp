#include "graze/scene/scene.h"

#include <fmt/format.h>

#include <limits>

#include "graze/base/error.h"
#include "scene/data.h"

namespace graze {

using scene::data_of;
using scene::Object;
using scene::ObjectLink;

Scene::Scene() = default;

std::size_t Scene::size() const { return data_of(*this).objects.size(); }
bool Scene::contains(std::string_view name) const { return data_of(*this).find(name) != nullptr; }
SceneObject Scene::object(std::string_view name) const { return described(data_of(*this).object(name)); }

SceneObject Scene::object(ObjectId id) const {
  const ObjectLink* found = data_of(*this).objects.find(id);
  if (found == nullptr) throw Error("scene", fmt::format("has no object number {}", id));
  return described(**found);
}

void Scene::visit_erased(void* body, bool (*call)(void*, const SceneObject&)) const {
  data_of(*this).objects.visit([&](ObjectId, const ObjectLink& o) { return call(body, described(*o)); });
}

bool Scene::allowed(std::string_view a, std::string_view b) const {
  const scene::Data& data = data_of(*this);
  return data.passes_over(data.object(a), data.object(b));
}

Aabb Scene::bounds() const {
  const scene::BoxTree::Node* root = data_of(*this).boxes.root();
  return root == nullptr ? Aabb() : root->bounds();
}

std::uint64_t Scene::version() const { return data_of(*this).version; }

namespace {

// Height and order of a tree; what is wrong with it, or nothing.
template <class Map>
std::string tree_faults(const Map& map, const char* name) {
  using Node = typename Map::Node;
  std::size_t count = 0;
  const Node* last = nullptr;
  std::string fault;
  const auto walk = [&](const auto& self, const Node* node) -> int {
    if (node == nullptr) return 0;
    const int left = self(self, node->left.get());
    if (last != nullptr && !map.less(last->key, node->key)) fault = fmt::format("{}: keys out of order", name);
    last = node;
    ++count;
    const int right = self(self, node->right.get());
    if (std::abs(left - right) > 1) fault = fmt::format("{}: out of balance", name);
    if (node->height != 1 + std::max(left, right)) fault = fmt::format("{}: wrong height", name);
    return node->height;
  };
  walk(walk, map.root());
  if (count != map.size()) fault = fmt::format("{}: {} entries, {} counted", name, map.size(), count);
  return fault;
}

std::string object_fault(const scene::Data& data, ObjectId id, const Object& o) {
  if (o.id != id || o.name.data() != o.own_name.data() || o.name != o.own_name) return "has another id or name";
  const scene::Word* word = data.words.find(o.own_name);
  if (word == nullptr || word->object != id || word->id != o.name_word) return "is not found by its name";
  if (!o.group.empty()) {
    const scene::Word* group = data.words.find(o.group);
    if (group == nullptr || group->object != kNoObject || group->id != o.group_word) return "is in an unknown group";
  }
  if (o.box != scene::box_of(o.placed, o.margin, o.padding)) return "has the box of another state";
  const ObjectLink* leaf = data.boxes.find(key_of(o));
  if (o.box.empty() ? leaf != nullptr : leaf == nullptr || leaf->get() != &o) return "is not in the tree of boxes";
  if (o.parent == kNoObject) return "";
  if (data.objects.find(o.parent) == nullptr) return "is attached to nothing";
  if (data.attached.find(std::pair(o.parent, id)) == nullptr) return "is unknown to its parent";
  return "";
}

}  // namespace

std::string Scene::validate() const {
  const scene::Data& data = data_of(*this);
  std::string fault = tree_faults(data.objects, "objects");
  for (const std::string& other : {tree_faults(data.words, "names"), tree_faults(data.attached, "attached"),
                                   tree_faults(data.allowed, "allowed")}) {
    if (fault.empty()) fault = other;
  }
  std::size_t boxes = 0, children = 0;
  data.objects.visit([&](ObjectId id, const ObjectLink& o) {
    boxes += o->box.empty() ? 0 : 1;
    children += o->parent == kNoObject ? 0 : 1;
    const std::string found = object_fault(data, id, *o);
    if (!found.empty() && fault.empty()) fault = fmt::format("object '{}' {}", o->own_name, found);
    return fault.empty();
  });
  if (!fault.empty()) return fault;
  if (boxes != data.boxes.size()) return "boxes of objects that are gone";
  if (children != data.attached.size()) return "attachments of objects that are gone";
  const std::string tree = data.boxes.faults();
  return tree.empty() ? "" : "boxes: " + tree;
}

}  // namespace graze
