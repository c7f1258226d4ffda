#include "graze/scene/scene_editor.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>
#include <vector>

#include "graze/base/error.h"
#include "scene/data.h"

namespace graze {

using scene::Data;
using scene::Frame;
using scene::Object;
using scene::ObjectLink;
using scene::Word;

namespace {

// Where the object stands, from its frame in the world.
void stand(Object& o) {
  o.placed = placed_at(o, o.frame);
  o.box = scene::box_of(o.placed, o.margin, o.padding);
}

// Puts an object into the version, instead of `before` if there is one.
void put(Data& data, const Object* before, const ObjectLink& now) {
  const bool was_there = before != nullptr && !before->box.empty();
  // The same position on the curve is one path instead of two.
  const scene::BoxKey key = key_of(*now);
  if (was_there) {
    const scene::BoxKey old = key_of(*before);
    if (now->box.empty() || scene::BoxLess()(old, key) || scene::BoxLess()(key, old)) data.boxes.erase(old);
  }
  if (!now->box.empty()) data.boxes.set(key, now->box, now);
  data.objects.set(now->id, now);
}

const ObjectLink& link_of(const Data& data, ObjectId id) { return *data.objects.find(id); }

std::vector<ObjectId> children_of(const Data& data, ObjectId parent) {
  std::vector<ObjectId> children;
  data.attached.visit_from(std::pair(parent, ObjectId{0}), [&](const auto& edge, const auto&) {
    if (edge.first != parent) return false;
    children.push_back(edge.second);
    return true;
  });
  return children;
}

// Everything below an object, which has moved, follows it.
void move_children(Data& data, ObjectId id) {
  std::vector<ObjectId> open{id};
  while (!open.empty()) {
    const ObjectLink parent = link_of(data, open.back());
    open.pop_back();
    for (const ObjectId child : children_of(data, parent->id)) {
      const ObjectLink before = link_of(data, child);
      const auto now = std::make_shared<Object>(*before);
      now->frame = parent->frame * now->relative;
      stand(*now);
      put(data, before.get(), now);
      open.push_back(child);
    }
  }
}

double checked_length(const char* what, double length) {
  if (std::isfinite(length) && length >= 0 && length <= kLargestLength) return length;
  throw Error(what, fmt::format("must be between 0 and 1e50 m, got {}", length));
}

// The word of a group, which is made where it does not exist.
scene::WordId group_word(Data& data, std::string_view group) {
  if (group.empty()) return scene::kNoWord;
  if (const Word* known = data.words.find(group)) {
    if (known->object != kNoObject)
      throw Error("group", fmt::format("'{}' is the name of an object; choose another for the group", group));
    return known->id;
  }
  const Word word{.id = data.next_word++};
  data.words.set(std::string(group), word);
  return word.id;
}

const Word& word_of(const Data& data, std::string_view name) {
  if (const Word* known = data.words.find(name)) return *known;
  data.object(name);  // which throws, with the nearest name
  throw Error("scene", "unknown name");
}

void attach_to(Data& data, Object& o, const Object& parent) {
  for (const Object* above = &parent; above != nullptr;
       above = above->parent == kNoObject ? nullptr : link_of(data, above->parent).get()) {
    if (above->id == o.id)
      throw Error("attach",
                  fmt::format("'{}' is '{}' or attached to it; attach something else", parent.own_name, o.own_name));
  }
  o.parent = parent.id;
  data.attached.set(std::pair(parent.id, o.id), {});
}

void leave_parent(Data& data, Object& o) {
  if (o.parent == kNoObject) return;
  data.attached.erase(std::pair(o.parent, o.id));
  o.parent = kNoObject;
  o.relative = o.frame;
}

// What change(version, object) makes of a copy of the object becomes the next version, or nothing changes.
template <class Change>
void change_object(Data& data, std::string_view name, const Change& change) {
  Data next = data;
  const ObjectLink before = link_of(data, data.object(name).id);
  const auto now = std::make_shared<Object>(*before);
  change(next, *now);
  put(next, before.get(), now);
  if (now->frame.pose != before->frame.pose || now->frame.shift != before->frame.shift ||
      now->frame.turn != before->frame.turn)
    move_children(next, now->id);
  ++next.version;
  data = std::move(next);
}

}  // namespace

SceneEditor::SceneEditor() : data_(std::make_unique<Data>()) {}
SceneEditor::SceneEditor(const Scene& from) : data_(std::make_unique<Data>(scene::data_of(from))) {}
SceneEditor::SceneEditor(const SceneEditor& other) : data_(std::make_unique<Data>(*other.data_)) {}
SceneEditor::SceneEditor(SceneEditor&&) noexcept = default;
SceneEditor& SceneEditor::operator=(const SceneEditor& other) {
  if (this != &other) data_ = std::make_unique<Data>(*other.data_);
  return *this;
}
SceneEditor& SceneEditor::operator=(SceneEditor&&) noexcept = default;
SceneEditor::~SceneEditor() = default;

Scene SceneEditor::scene() const { return scene::Access::scene(std::make_shared<const Data>(*data_)); }

ObjectId SceneEditor::add(std::string_view name, const Placed& body, const ObjectOptions& options) {
  if (name.empty()) throw Error("name", "must not be empty");
  if (const Word* known = data_->words.find(name)) {
    throw Error("name", known->object == kNoObject
                            ? fmt::format("'{}' is the name of a group; choose another for the object", name)
                            : fmt::format("there is an object '{}' already; remove or replace it", name));
  }
  if (options.group == name) throw Error("group", fmt::format("'{}' is the name of the object itself", name));
  Data next = *data_;
  const auto o = std::make_shared<Object>(body);
  o->id = next.next_object++;
  o->own_name = name;
  o->name = o->own_name;
  o->name_word = next.next_word++;
  next.words.set(o->own_name, {o->name_word, o->id});
  o->group = options.group;
  o->group_word = group_word(next, options.group);
  o->margin = checked_length("margin", options.margin);
  o->padding = checked_length("padding", options.padding);
  o->given_uncertainty = checked_length("uncertainty", body.uncertainty);
  o->local = options.local;
  o->frame = o->relative = Frame{.pose = body.pose};
  if (!options.parent.empty()) {
    const Object& parent = next.object(options.parent);
    o->frame = parent.frame * o->relative;
    attach_to(next, *o, parent);
  }
  stand(*o);
  put(next, nullptr, o);
  ++next.version;
  *data_ = std::move(next);
  return o->id;
}

void SceneEditor::move(std::string_view name, const Pose& pose) {
  change_object(*data_, name, [&](Data& data, Object& o) {
    o.relative = {.pose = pose};
    o.frame = o.parent == kNoObject ? o.relative : link_of(data, o.parent)->frame * o.relative;
    stand(o);
  });
}

void SceneEditor::replace(std::string_view name, const Geometry& geometry, const Pose& local) {
  change_object(*data_, name, [&](Data&, Object& o) {
    o.placed.geometry = geometry;
    o.local = local;
    stand(o);
  });
}

void SceneEditor::remove(std::string_view name) {
  const ObjectLink gone = link_of(*data_, data_->object(name).id);
  Data next = *data_;
  for (const ObjectId child : children_of(next, gone->id)) {
    const ObjectLink before = link_of(next, child);
    const auto now = std::make_shared<Object>(*before);
    leave_parent(next, *now);
    put(next, before.get(), now);
  }
  std::vector<scene::WordId> partners;
  next.allowed.visit_from(std::pair(gone->name_word, scene::WordId{0}), [&](const auto& pair, const auto&) {
    if (pair.first != gone->name_word) return false;
    partners.push_back(pair.second);
    return true;
  });
  for (const scene::WordId other : partners) {
    next.allowed.erase(std::pair(gone->name_word, other));
    next.allowed.erase(std::pair(other, gone->name_word));
  }
  if (gone->parent != kNoObject) next.attached.erase(std::pair(gone->parent, gone->id));
  if (!gone->box.empty()) next.boxes.erase(key_of(*gone));
  next.words.erase(gone->own_name);
  next.objects.erase(gone->id);
  ++next.version;
  *data_ = std::move(next);
}

void SceneEditor::attach(std::string_view name, std::string_view parent) {
  change_object(*data_, name, [&](Data& data, Object& o) {
    const Object& to = data.object(parent);
    leave_parent(data, o);
    attach_to(data, o, to);
    o.relative = inverse(to.frame) * o.frame;
  });
}

void SceneEditor::attach(std::string_view name, std::string_view parent, const Pose& pose) {
  change_object(*data_, name, [&](Data& data, Object& o) {
    const Object& to = data.object(parent);
    leave_parent(data, o);
    attach_to(data, o, to);
    o.relative = {.pose = pose};
    o.frame = to.frame * o.relative;
    stand(o);
  });
}

void SceneEditor::detach(std::string_view name) {
  if (data_->object(name).parent == kNoObject) return;
  change_object(*data_, name, [](Data& data, Object& o) { leave_parent(data, o); });
}

void SceneEditor::set_group(std::string_view name, std::string_view group) {
  change_object(*data_, name, [&](Data& data, Object& o) {
    o.group_word = group_word(data, group);
    o.group = group;
  });
}

void SceneEditor::set_margin(std::string_view name, double margin) {
  change_object(*data_, name, [&](Data&, Object& o) {
    o.margin = checked_length("margin", margin);
    stand(o);
  });
}

void SceneEditor::set_padding(std::string_view name, double padding) {
  change_object(*data_, name, [&](Data&, Object& o) {
    o.padding = checked_length("padding", padding);
    stand(o);
  });
}

void SceneEditor::allow(std::string_view x, std::string_view y) {
  const scene::WordId a = word_of(*data_, x).id, b = word_of(*data_, y).id;
  Data next = *data_;
  next.allowed.set(std::pair(a, b), {});
  next.allowed.set(std::pair(b, a), {});
  ++next.version;
  *data_ = std::move(next);
}

void SceneEditor::disallow(std::string_view x, std::string_view y) {
  const scene::WordId a = word_of(*data_, x).id, b = word_of(*data_, y).id;
  Data next = *data_;
  next.allowed.erase(std::pair(a, b));
  next.allowed.erase(std::pair(b, a));
  ++next.version;
  *data_ = std::move(next);
}

}  // namespace graze
