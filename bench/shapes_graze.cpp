#include <algorithm>
#include <array>

#include "graze/graze.h"
#include "shapes_graze.h"
#include "shapes_peer.h"

namespace shapes_bench {
namespace {

class GrazeSubject final : public Subject {
 public:
  GrazeSubject(const PairSet& set, bool warm) : warm_(warm) {
    std::vector<graze::Shape> a, b;
    for (const ShapeSpec& spec : set.a) a.push_back(to_graze(spec));
    for (const ShapeSpec& spec : set.b) b.push_back(to_graze(spec));
    for (const Case& c : set.cases) {
      a_.push_back(graze::at(a[c.size], c.a));
      b_.push_back(graze::at(b[c.size], c.b));
      sizes_.push_back(c.size);
    }
  }

  bool answers(Question) const override { return true; }

  void run(Question question, std::span<double> out) override {
    switch (question) {
      case Question::boolean:
        return each(out, [](const graze::Placed& a, const graze::Placed& b, graze::PairCache* cache) {
          return graze::collide(a, b, {.cache = cache}) ? 1.0 : 0.0;
        });
      case Question::contact:
        return each(out, [](const graze::Placed& a, const graze::Placed& b, graze::PairCache* cache) {
          std::array<graze::Contact, 1> buffer;
          const auto found = graze::contacts(a, b, buffer, {.max = 1, .cache = cache});
          return found.empty() ? 0.0 : found[0].depth;
        });
      case Question::distance:
        return each(out, [](const graze::Placed& a, const graze::Placed& b, graze::PairCache* cache) {
          return graze::distance(a, b, {.depth = false, .cache = cache}).value;
        });
      case Question::signed_distance:
        return each(out, [](const graze::Placed& a, const graze::Placed& b, graze::PairCache* cache) {
          return graze::distance(a, b, {.cache = cache}).value;
        });
      case Question::manifold:
        return each(out, [](const graze::Placed& a, const graze::Placed& b, graze::PairCache* cache) {
          std::array<graze::Contact, 4> buffer;
          return static_cast<double>(graze::contacts(a, b, buffer, {.max = 4, .cache = cache}).size());
        });
    }
  }

 private:
  template <class Ask>
  void each(std::span<double> out, const Ask& ask) {
    if (!warm_) {
      for (std::size_t i = 0; i < a_.size(); ++i) out[i] = ask(a_[i], b_[i], nullptr);
      return;
    }
    graze::PairCache cache;
    std::size_t size = 0;
    for (std::size_t i = 0; i < a_.size(); ++i) {
      if (sizes_[i] != size) {
        cache.clear();
        size = sizes_[i];
      }
      out[i] = ask(a_[i], b_[i], &cache);
    }
  }

  bool warm_;
  std::vector<graze::Placed> a_, b_;
  std::vector<std::size_t> sizes_;
};

}  // namespace

graze::Shape to_graze(const ShapeSpec& spec) {
  const Vec3& h = spec.half;
  switch (spec.kind) {
    case Kind::sphere:
      return graze::Sphere{.radius = h.x()};
    case Kind::box:
      return graze::Box{.half = h};
    case Kind::capsule:
      return graze::Capsule{.radius = h.x(), .half_length = h.z()};
    case Kind::cylinder:
      return graze::Cylinder{.radius = h.x(), .half_length = h.z()};
    case Kind::cone:
      return graze::Cone{.radius = h.x(), .half_length = h.z()};
    case Kind::ellipsoid:
      return graze::Ellipsoid{.radii = h};
    case Kind::convex:
      break;
  }
  return graze::Convex::hull_of(spec.vertices);
}

std::unique_ptr<Subject> prepare_graze(const PairSet& set) { return std::make_unique<GrazeSubject>(set, false); }
std::unique_ptr<Subject> prepare_graze_warm(const PairSet& set) { return std::make_unique<GrazeSubject>(set, true); }

}  // namespace shapes_bench
