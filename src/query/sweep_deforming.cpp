#include "graze/query/sweep_deforming.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "graze/base/parallel.h"
#include "graze/query/collide.h"
#include "query/deforming_body.h"
#include "query/moving_walk.h"
#include "query/step_contact.h"
#include "query/sweep_options.h"

namespace graze {
namespace {

using moving::Corners;
using moving::FirstMeeting;
using moving::MeetingOptions;
using moving::StepMesh;
using moving::StepPair;

Relative here() { return Relative(Vec3(Vec3::Zero())); }

Corners corners_of(const StepMesh& mesh, std::size_t triangle) {
  Corners c;
  for (std::size_t k = 0; k < 3; ++k) {
    const std::uint32_t vertex = mesh.data.triangles[triangle][k];
    c.from[k] = mesh.data.vertices[vertex];
    c.to[k] = mesh.to[vertex];
  }
  return c;
}

// Vertices of the same index, or at the same position all the time.
bool share_vertex(const StepMesh& mesh, std::uint32_t i, std::uint32_t j) {
  const MeshTriangle &s = mesh.data.triangles[i], &t = mesh.data.triangles[j];
  for (const std::uint32_t p : s) {
    for (const std::uint32_t q : t) {
      if (p == q) return true;
      if (same(mesh.data.vertices[p], mesh.data.vertices[q]) && same(mesh.to[p], mesh.to[q])) return true;
    }
  }
  return false;
}

// Two meshes over a step and how their triangles are compared; all of it in a's frame.
struct Step {
  StepPair pair;
  MeetingOptions options;
  bool same_frame, exact;

  Step(const StepPair& meshes, const MeetingOptions& asked) : pair(meshes), options(asked) {
    same_frame = pair.relative.aligned && size_of(pair.relative.translation) == 0 && size_of(pair.travel) == 0;
    exact = same_frame && options.margin == 0 && options.rounding == 0;
  }

  std::optional<FirstMeeting> meeting(std::uint32_t i, std::uint32_t j, double limit) const {
    if (pair.within && share_vertex(pair.a, i, j)) return std::nullopt;
    const Corners a = corners_of(pair.a, i);
    Corners b = corners_of(pair.b, j);
    MeetingOptions now = options;
    now.limit = limit;
    if (exact) return moving::exact_meeting(a, b, now);
    if (same_frame) return moving::advanced_meeting(a, b, now);
    double size = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      size = std::max({size, size_of(b.from[k]), size_of(b.to[k])});
      b.from[k] = pair.relative.to_a(b.from[k]);
      b.to[k] = plus(pair.relative.to_a(b.to[k]), pair.travel);
    }
    now.rounding += pair.relative.placing_error(size) +
                    8 * kEpsilon * (size + size_of(pair.relative.translation) + size_of(pair.travel));
    return moving::advanced_meeting(a, b, now);
  }
};

// The earliest of all pairs; ties go to the lower indices, but at the start to whichever is found first.
struct FirstOfAll {
  const Step& step;
  FirstMeeting first;
  std::uint32_t a = 0, b = 0;
  bool hit = false;

  static bool visit(void* self, std::uint32_t i, std::uint32_t j) {
    FirstOfAll& f = *static_cast<FirstOfAll*>(self);
    const auto met = f.step.meeting(i, j, f.first.time);
    if (!met) return true;
    const bool earlier =
        !f.hit || met->time < f.first.time || (met->time == f.first.time && (i < f.a || (i == f.a && j < f.b)));
    if (earlier) f.first = *met, f.a = i, f.b = j, f.hit = true;
    return f.first.time > 0;  // nothing comes before the start
  }
};

// What the pair of triangles is like at the time.
Sweep answer(const FirstOfAll& f, const Pose& pose_a) {
  Sweep s;
  s.pose_a = s.pose_b = pose_a;
  if (!f.hit) {
    s.last_free = 1;
    return s;
  }
  s.hit = true;
  s.time = f.first.time;
  s.certain = f.first.certain;
  if (s.time > 0) s.last_free = std::nextafter(s.time, 0.0);
  s.contact.a = f.a, s.contact.b = f.b;
  s.contact.on_a = pose_a * f.first.on_a;
  s.contact.on_b = pose_a * f.first.on_b;
  const Vec3 between = s.contact.on_b - s.contact.on_a;
  s.contact.value = between.norm();
  if (s.contact.value > 0) s.contact.normal = between / s.contact.value;
  s.contact.tolerance = 64 * kEpsilon * (size_of(s.contact.on_a) + size_of(s.contact.on_b));
  return s;
}

Sweep first_of(const Step& step, const Pose& pose_a) {
  FirstOfAll first{step, {}, 0, 0, false};
  moving::visit(step.pair, {&first, &FirstOfAll::visit});
  return answer(first, pose_a);
}

MeetingOptions options_of(const SweepOptions& options) {
  return {.tolerance = options.tolerance, .max_steps = options.max_steps, .margin = options.margin};
}

Sweep exchanged(Sweep s) {
  std::swap(s.pose_a, s.pose_b);
  std::swap(s.contact.on_a, s.contact.on_b);
  std::swap(s.contact.a, s.contact.b);
  s.contact.normal = -s.contact.normal;
  return s;
}

bool starts_inside(const Placed& a, const Placed& b, double margin) {
  const auto solid = [](const Placed& body) { return std::get<Mesh>(body.geometry).solid(); };
  return (solid(a) || solid(b)) && collide(a, b, {.margin = margin});
}

// Poses in an order that does not depend on that of the arguments.
bool comes_first(const Pose& a, const Pose& b) {
  for (int i = 0; i < 3; ++i) {
    if (a.translation()[i] != b.translation()[i]) return a.translation()[i] < b.translation()[i];
  }
  for (Eigen::Index i = 0; i < 9; ++i) {
    const double x = a.rotation().data()[i], y = b.rotation().data()[i];
    if (x != y) return x < y;
  }
  return true;
}

// Straight on without a turn, in one piece.
std::optional<Vec3> straight(const AnyMotion& motion) {
  const auto piece = motion.piece(0);
  if (!piece || piece->end < 1 || piece->spin > 0) return std::nullopt;
  return Vec3(motion.at(1).translation() - motion.at(0).translation());
}

// A rigid mesh that does not turn: pairs of triangles.
Sweep sweep_straight(const Deforming& a, const Moving& b, const Mesh& mesh, const Vec3& travel,
                     const SweepOptions& options) {
  const Placed start_a = moving::start_of(a), start = moving::placed(b, 0);
  if (starts_inside(start_a, start, options.margin)) {
    Sweep s = moving::touching_at_start(start_a, start, options);
    s.pose_b = b.motion.at(0);
    return s;
  }
  MeetingOptions asked = options_of(options);
  asked.rounding = a.uncertainty + start.uncertainty;
  const StepMesh mesh_a(a.mesh), mesh_b(mesh);
  const Vec3 in_a = turned_back(a.pose.rotation(), travel);
  StepPair pair{mesh_a, mesh_b, Relative(a.pose, start.pose), options.margin + asked.rounding, false, in_a};
  Sweep s = first_of(Step(pair, asked), a.pose);
  s.pose_b = b.motion.at(s.time);
  return s;
}

template <class Visit>
std::size_t contacts_of(const Step& step, std::span<StepContact> buffer, int threads, const Visit& to_world) {
  // The earliest that there is room for: a heap with the latest of them on top.
  const auto earlier = [](const StepContact& x, const StepContact& y) {
    return x.time != y.time ? x.time < y.time : x.a != y.a ? x.a < y.a : x.b < y.b;
  };
  std::size_t count = 0;
  const auto add = [&](const StepContact& c) {
    const auto end = buffer.begin() + static_cast<std::ptrdiff_t>(std::min(count, buffer.size()));
    if (count++ < buffer.size()) {
      *end = c;
      std::push_heap(buffer.begin(), end + 1, earlier);
    } else if (!buffer.empty() && earlier(c, buffer.front())) {
      std::pop_heap(buffer.begin(), end, earlier);
      buffer.back() = c;
      std::push_heap(buffer.begin(), end, earlier);
    }
  };
  struct All {
    const Step& step;
    const Visit& to_world;
    void* add;
    void (*call)(void*, const StepContact&);

    static bool visit(void* self, std::uint32_t i, std::uint32_t j) {
      const All& all = *static_cast<const All*>(self);
      if (const auto met = all.step.meeting(i, j, 1)) {
        StepContact c{i, j, met->time, met->certain, met->on_a, met->on_b};
        all.to_world(c);
        all.call(all.add, c);
      }
      return true;
    }
  };
  if (threads == 1) {
    auto one = add;
    All all{step, to_world, &one, [](void* to, const StepContact& c) { (*static_cast<decltype(one)*>(to))(c); }};
    moving::visit(step.pair, {&all, &All::visit});
  } else {
    constexpr std::size_t kParts = 1024;
    const std::vector<moving::Part> parts = moving::divide(step.pair, kParts);
    const std::size_t grain = std::max<std::size_t>(1, parts.size() / 256);
    std::vector<std::vector<StepContact>> lists((parts.size() + grain - 1) / grain);
    parallel_chunks(parts.size(),
                    [&](std::size_t begin, std::size_t end) {
                      All all{step, to_world, &lists[begin / grain], [](void* to, const StepContact& c) {
                                static_cast<std::vector<StepContact>*>(to)->push_back(c);
                              }};
                      (void)moving::visit(step.pair, std::span(parts).subspan(begin, end - begin), {&all, &All::visit});
                    },
                    {.threads = threads, .grain = grain});
    for (const auto& list : lists) {
      for (const StepContact& c : list) add(c);
    }
  }
  std::sort_heap(buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(std::min(count, buffer.size())), earlier);
  return count;
}

}  // namespace

Deforming at(const MovingMesh& mesh, const Pose& pose, const Pose& local) {
  const Placed placed = at(Geometry(mesh.from()), pose, local);
  if (placed.uncertainty == 0 || mesh.empty()) return {mesh, placed.pose, placed.uncertainty};
  // Where it ends may be farther out than where it starts.
  const Aabb box = mesh.bounds();
  return {mesh, placed.pose, placed.uncertainty + 16 * kEpsilon * (size_of(box.min) + size_of(box.max))};
}

Sweep sweep(const Deforming& a, const Deforming& b, const SweepOptions& options) {
  check_sweep_options(options.margin, options.tolerance, options.max_steps);
  if (!comes_first(a.pose, b.pose)) return exchanged(sweep(b, a, options));
  const Placed start_a = moving::start_of(a), start_b = moving::start_of(b);
  if (starts_inside(start_a, start_b, options.margin)) return moving::touching_at_start(start_a, start_b, options);
  MeetingOptions asked = options_of(options);
  asked.rounding = a.uncertainty + b.uncertainty;
  const StepMesh mesh_a(a.mesh), mesh_b(b.mesh);
  const StepPair pair{mesh_a, mesh_b, Relative(a.pose, b.pose), options.margin + asked.rounding, false, Vec3::Zero()};
  Sweep s = first_of(Step(pair, asked), a.pose);
  s.pose_b = b.pose;
  return s;
}

Sweep sweep(const Deforming& a, const Moving& b, const SweepOptions& options) {
  check_sweep_options(options.margin, options.tolerance, options.max_steps);
  if (const Mesh* mesh = std::get_if<Mesh>(&b.geometry)) {
    if (const auto travel = straight(b.motion)) return sweep_straight(a, b, *mesh, *travel, options);
  }
  return moving::sweep_triangles(a, b, options);
}
Sweep sweep(const Moving& a, const Deforming& b, const SweepOptions& options) {
  return exchanged(sweep(b, a, options));
}
Sweep sweep(const Deforming& a, const Placed& b, const SweepOptions& options) { return sweep(a, still(b), options); }
Sweep sweep(const Placed& a, const Deforming& b, const SweepOptions& options) {
  return exchanged(sweep(b, still(a), options));
}

Sweep self_sweep(const MovingMesh& mesh, const SweepOptions& options) {
  check_sweep_options(options.margin, options.tolerance, options.max_steps);
  const StepMesh step(mesh);
  const StepPair pair{step, step, here(), options.margin, true, Vec3::Zero()};
  return first_of(Step(pair, options_of(options)), {});
}

std::size_t step_contacts(const Deforming& a, const Deforming& b, std::span<StepContact> buffer,
                          const StepContactOptions& options) {
  check_sweep_options(0, options.tolerance, options.max_steps);
  const MeetingOptions asked{
      .tolerance = options.tolerance, .max_steps = options.max_steps, .rounding = a.uncertainty + b.uncertainty};
  const StepMesh mesh_a(a.mesh), mesh_b(b.mesh);
  const bool swapped = !comes_first(a.pose, b.pose);
  const Pose& frame = swapped ? b.pose : a.pose;
  const StepPair pair{swapped ? mesh_b : mesh_a,
                      swapped ? mesh_a : mesh_b,
                      swapped ? Relative(b.pose, a.pose) : Relative(a.pose, b.pose),
                      0,
                      false,
                      Vec3::Zero()};
  return contacts_of(Step(pair, asked), buffer, options.threads, [&](StepContact& c) {
    c.on_a = frame * c.on_a, c.on_b = frame * c.on_b;
    if (swapped) std::swap(c.a, c.b), std::swap(c.on_a, c.on_b);
  });
}

std::size_t self_step_contacts(const MovingMesh& mesh, std::span<StepContact> buffer,
                               const StepContactOptions& options) {
  check_sweep_options(0, options.tolerance, options.max_steps);
  const MeetingOptions asked{.tolerance = options.tolerance, .max_steps = options.max_steps};
  const StepMesh step(mesh);
  const StepPair pair{step, step, here(), 0, true, Vec3::Zero()};
  return contacts_of(Step(pair, asked), buffer, options.threads, [](StepContact&) {});
}

}  // namespace graze
