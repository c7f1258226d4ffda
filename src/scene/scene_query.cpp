#include "graze/scene/scene_query.h"

#include <utility>

#include "scene/questions.h"

namespace graze {

using scene::Body;
using scene::body_of;
using scene::data_of;

namespace {

// Both sides of an answer exchanged.
SceneDistance swapped(SceneDistance d) {
  std::swap(d.on_a, d.on_b);
  std::swap(d.a, d.b);
  std::swap(d.pair.id_a, d.pair.id_b);
  std::swap(d.pair.name_a, d.pair.name_b);
  d.normal = -d.normal;
  return d;
}

}  // namespace

bool collide(const Scene& scene, const Placed& body, const SceneCollideOptions& options) {
  scene::CollideQuestion question(options.margin);
  ask_with(data_of(scene), body_of(body), options.as, question);
  return question.hit();
}
bool collide(const Placed& body, const Scene& scene, const SceneCollideOptions& options) {
  return collide(scene, body, options);
}
bool collide(const Scene& a, const Scene& b, const SceneCollideOptions& options) {
  scene::CollideQuestion question(options.margin);
  ask_between(data_of(a), data_of(b), question);
  return question.hit();
}
bool self_collide(const Scene& scene, const SceneCollideOptions& options) {
  scene::CollideQuestion question(options.margin);
  ask_within(data_of(scene), question);
  return question.hit();
}

void detail::visit_collisions(const Scene& scene, const Placed& body, const SceneCollideOptions& options, void* visitor,
                              PairCall call) {
  const auto visit = [&](const Body& a, const Body& b) { return call(visitor, pair_of(a, b)); };
  scene::AllQuestion question(options.margin, visit);
  ask_with(data_of(scene), body_of(body), options.as, question);
}
void detail::visit_collisions(const Scene& a, const Scene& b, const SceneCollideOptions& options, void* visitor,
                              PairCall call) {
  const auto visit = [&](const Body& x, const Body& y) { return call(visitor, pair_of(x, y)); };
  scene::AllQuestion question(options.margin, visit);
  ask_between(data_of(a), data_of(b), question);
}
void detail::visit_self_collisions(const Scene& scene, const SceneCollideOptions& options, void* visitor,
                                   PairCall call) {
  const auto visit = [&](const Body& a, const Body& b) { return call(visitor, pair_of(a, b)); };
  scene::AllQuestion question(options.margin, visit);
  ask_within(data_of(scene), question);
}

std::size_t self_collisions(const Scene& scene, std::span<ObjectPair> buffer, const SceneCollideOptions& options) {
  scene::FirstOf<ObjectPair, scene::PairLess> first(buffer);
  visit_self_collisions(scene, options, [&](const ObjectPair& pair) { first.add(pair); });
  return first.finish();
}

std::size_t contacts(const Scene& scene, const Placed& body, std::span<SceneContact> buffer,
                     const SceneContactOptions& options) {
  scene::ContactsQuestion question(options, buffer);
  ask_with(data_of(scene), body_of(body), options.as, question);
  return question.finish();
}
std::size_t contacts(const Scene& a, const Scene& b, std::span<SceneContact> buffer,
                     const SceneContactOptions& options) {
  scene::ContactsQuestion question(options, buffer);
  ask_between(data_of(a), data_of(b), question);
  return question.finish();
}
std::size_t self_contacts(const Scene& scene, std::span<SceneContact> buffer, const SceneContactOptions& options) {
  scene::ContactsQuestion question(options, buffer);
  ask_within(data_of(scene), question);
  return question.finish();
}

SceneDistance distance(const Scene& scene, const Placed& body, const SceneDistanceOptions& options) {
  scene::DistanceQuestion question(options);
  ask_with(data_of(scene), body_of(body), options.as, question);
  return question.best();
}
SceneDistance distance(const Placed& body, const Scene& scene, const SceneDistanceOptions& options) {
  return swapped(distance(scene, body, options));
}
SceneDistance distance(const Scene& a, const Scene& b, const SceneDistanceOptions& options) {
  scene::DistanceQuestion question(options);
  ask_between(data_of(a), data_of(b), question);
  return question.best();
}
SceneDistance self_distance(const Scene& scene, const SceneDistanceOptions& options) {
  scene::DistanceQuestion question(options);
  ask_within(data_of(scene), question);
  return question.best();
}
SceneDistance distance(const Scene& scene, std::string_view a, std::string_view b,
                       const SceneDistanceOptions& options) {
  scene::DistanceQuestion question(options);
  const scene::Data& data = data_of(scene);
  question.pair(data.object(a), data.object(b));
  return question.best();
}
SceneDistance distance(const Scene& scene, std::string_view name, const Placed& body,
                       const SceneDistanceOptions& options) {
  scene::DistanceQuestion question(options);
  question.pair(data_of(scene).object(name), body_of(body));
  return question.best();
}

}  // namespace graze
