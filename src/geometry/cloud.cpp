#include "graze/geometry/cloud.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <mutex>

#include "graze/base/error.h"
#include "graze/base/parallel.h"
#include "graze/index/kd_tree.h"
#include "graze/index/point_grid.h"
#include "graze/shape/checked.h"

namespace graze {
namespace {

const Vec3 kNoPoint = Vec3::Constant(std::numeric_limits<double>::quiet_NaN());

double checked_radius(double radius) { return checked::size("cloud radius", checked::Sign::not_negative, radius); }

// float32 input is the caller's own numbers; of anything else the exact doubles are looked up.
KdTree tree_of(const Cloud& cloud, bool floats) {
  // Few points are done before other threads have begun.
  constexpr std::size_t kFew = 16384;
  const int threads = cloud.size() < kFew ? 1 : 0;
  if (floats) return KdTree(PointView(cloud.stored()), {.threads = threads});
  std::vector<Vec3> points(cloud.size());
  parallel_for(points.size(), [&](std::size_t i) { points[i] = cloud.point(i); },
               {.threads = threads, .grain = Cloud::kBlock});
  return KdTree(points, {.threads = threads});
}

// Made by the first who asks. Waiting for others to make it is left to call_once; that it is there already is told by
// one load.
template <class T>
class Lazy {
 public:
  template <class Make>
  const T& get(const Make& make) {
    if (!made_.load(std::memory_order_acquire)) {
      std::call_once(once_, [&] {
        value_ = make();
        made_.store(true, std::memory_order_release);
      });
    }
    return value_;
  }
  std::size_t memory_bytes() const { return made_.load(std::memory_order_acquire) ? value_.memory_bytes() : 0; }

 private:
  std::once_flag once_;
  std::atomic<bool> made_ = false;
  T value_;
};

}  // namespace

struct Cloud::Indexes {
  Lazy<KdTree> tree;
  Lazy<PointGrid> grid;
};

Cloud::Data::Data() : indexes(std::make_unique<Indexes>()) {}
Cloud::Data::~Data() = default;

const KdTree& Cloud::tree() const {
  return data_->indexes->tree.get([&] { return tree_of(*this, data_->floats); });
}

const PointGrid* Cloud::grid() const {
  if (!data_->floats) return nullptr;
  const PointGrid& grid = data_->indexes->grid.get([&] {
    PointGrid made{PointView(stored())};
    return made.crowded() ? PointGrid() : std::move(made);
  });
  return grid.size() > 0 ? &grid : nullptr;
}

void Cloud::prepare() const {
  tree();
  grid();
}

Neighbor Cloud::nearest(const Vec3& p, double limit) const {
  Neighbor one;
  return nearest(p, {&one, 1}, limit).empty() ? Neighbor() : one;
}

std::span<Neighbor> Cloud::nearest(const Vec3& p, std::span<Neighbor> buffer, double limit) const {
  checked::point("nearest: point", p);
  if (!(limit >= 0)) throw Error("nearest: limit", fmt::format("must be 0 or more, got {}", limit));
  // Farther than any ball reaches: a polytope without sides is everything.
  const SearchVolume volume =
      limit <= kLargestLength ? SearchVolume(region::Ball(p, limit)) : SearchVolume(region::Polytope({}, p));
  const std::span<Neighbor> found = search(volume).nearest(buffer);
  std::size_t within = found.size();
  while (within > 0 && found[within - 1].distance > limit) --within;
  return found.first(within);
}

PointSearch Cloud::search(const SearchVolume& volume) const { return tree().search(volume); }

PointSearch Cloud::search(const SearchVolume& volume, const PointSearchOptions& options) const {
  return tree().search(volume, options);
}

Cloud::Cloud() : Cloud(std::make_shared<const Data>(), 0) {}

Cloud::Cloud(std::shared_ptr<const Data> data, double radius)
    : data_(std::move(data)), radius_(checked_radius(radius)) {}

Cloud::Cloud(const PointView& points, const CloudOptions& options) {
  checked_radius(options.radius);  // before the work
  std::vector<AttributeType> types;
  std::vector<ColumnView> columns;
  for (const AttributeView& attribute : options.attributes) {
    types.push_back({attribute.name, attribute.values.type});
    columns.push_back(attribute.values);
  }
  CloudBuilder builder(types);
  builder.reserve(points.size());
  builder.append(points, columns);
  *this = std::move(builder).finish(options.radius);
}

Cloud Cloud::with_radius(double radius) const { return {data_, radius}; }

Vec3 Cloud::point(std::size_t i) const {
  const float* s = stored_point(i);
  if (!(s[0] == s[0])) return kNoPoint;
  const std::size_t block = i / kBlock;
  const Vec3& origin = data_->blocks[block].origin;
  const Recovery& recovery = data_->recoveries[block];
  Vec3 p;
  for (std::size_t k = 0; k < 3; ++k) {
    const auto axis = static_cast<Eigen::Index>(k);
    const std::size_t at = recovery.first[k] + i % kBlock;
    switch (recovery.from[k]) {
      // Adding the zero of float32 input would turn -0 into 0.
      case Exact::stored:
        p[axis] = origin[axis] == 0 ? double{s[k]} : origin[axis] + double{s[k]};
        break;
      case Exact::residuals:
        p[axis] = origin[axis] + (double{s[k]} + double{data_->residuals[at]});
        break;
      case Exact::doubles:
        p[axis] = data_->doubles[at];
        break;
    }
  }
  return p;
}

const Cloud::Attribute* Cloud::attribute(std::string_view name) const {
  for (const Attribute& attribute : data_->attributes) {
    if (attribute.name() == name) return &attribute;
  }
  return nullptr;
}

std::size_t Cloud::memory_bytes() const {
  std::size_t bytes = sizeof(Data) + data_->blocks.capacity() * sizeof(Block) +
                      data_->recoveries.capacity() * sizeof(Recovery) + data_->stored.capacity() * sizeof(float) +
                      data_->residuals.capacity() * sizeof(float) + data_->doubles.capacity() * sizeof(double);
  for (const Attribute& a : data_->attributes) bytes += sizeof(Attribute) + a.bytes_.capacity();
  return bytes + sizeof(Indexes) + data_->indexes->tree.memory_bytes() + data_->indexes->grid.memory_bytes();
}

void Cloud::Attribute::refuse_type(NumberType asked) const {
  throw Error(fmt::format("attribute '{}'", kind_.name),
              fmt::format("has values of type {}, was asked for {}", name_of(kind_.type), name_of(asked)));
}

}  // namespace graze
