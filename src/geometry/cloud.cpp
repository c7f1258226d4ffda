#include "graze/geometry/cloud.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "geometry/cloud_data.h"
#include "geometry/cloud_index.h"
#include "graze/base/error.h"
#include "graze/base/parallel.h"
#include "graze/geometry/cloud_builder.h"
#include "graze/shape/checked.h"

namespace graze {
namespace {

const Vec3 kNoPoint = Vec3::Constant(std::numeric_limits<double>::quiet_NaN());

double checked_radius(double radius) { return checked::size("cloud radius", checked::Sign::not_negative, radius); }

// float32 input is the caller's own numbers; of anything else the exact doubles are looked up.
KdTree make_tree(const Cloud& cloud, bool floats) {
  // Few points are done before other threads have begun.
  constexpr std::size_t kFew = 16384;
  const int threads = cloud.size() < kFew ? 1 : 0;
  if (floats) return KdTree(PointView(cloud.stored()), {.threads = threads});
  std::vector<Vec3> points(cloud.size());
  parallel_for(points.size(), [&](std::size_t i) { points[i] = cloud.point(i); },
               {.threads = threads, .grain = Cloud::kBlock});
  return KdTree(points, {.threads = threads});
}

}  // namespace

std::size_t Cloud::size() const { return data_->size; }
std::size_t Cloud::skipped() const { return data_->skipped; }
bool Cloud::is_skipped(std::size_t i) const { return std::isnan(stored_point(i)[0]); }
std::uint64_t Cloud::stamp() const { return data_->stamp; }
const Aabb& Cloud::bounds() const { return data_->bounds; }
double Cloud::rounding() const { return data_->rounding; }
std::span<const Cloud::Block> Cloud::blocks() const { return data_->blocks; }
std::span<const float> Cloud::stored() const { return data_->stored.span(); }
const float* Cloud::stored_point(std::size_t i) const { return data_->stored.data() + 3 * i; }
std::span<const CloudAttribute> Cloud::attributes() const { return data_->attributes; }

const KdTree& detail::CloudIndex::tree(const Cloud& cloud) {
  return cloud.data_->tree.get([&] { return make_tree(cloud, cloud.data_->floats); });
}

const PointGrid* detail::CloudIndex::grid(const Cloud& cloud) {
  if (!cloud.data_->floats) return nullptr;
  const PointGrid& grid = cloud.data_->grid.get([&] { return PointGrid(PointView(cloud.stored())); });
  return grid.size() > 0 ? &grid : nullptr;
}

void Cloud::prepare() const {
  search_tree(*this);
  sphere_grid(*this);
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

PointSearch Cloud::search(const SearchVolume& volume) const { return search_tree(*this).search(volume); }

PointSearch Cloud::search(const SearchVolume& volume, const PointSearchOptions& options) const {
  return search_tree(*this).search(volume, options);
}

Cloud::Cloud() : Cloud(std::make_shared<const Data>(), 0) {}

Cloud::Cloud(std::shared_ptr<const Data> data, double radius)
    : data_(std::move(data)), radius_(checked_radius(radius)) {}

Cloud::Cloud(const PointView& points, const CloudOptions& options) : Cloud(points, options, {}) {}

Cloud::Cloud(const PointView& points, const CloudOptions& options, const std::vector<AttributeView>& attributes) {
  checked_radius(options.radius);  // before the work
  std::vector<AttributeType> types;
  std::vector<ColumnView> columns;
  for (const AttributeView& attribute : attributes) {
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
  const Data::Recovery& recovery = data_->recoveries[block];
  Vec3 p;
  for (std::size_t k = 0; k < 3; ++k) {
    const auto axis = static_cast<Eigen::Index>(k);
    const std::size_t at = recovery.first[k] + i % kBlock;
    switch (recovery.from[k]) {
      // Adding the zero of float32 input would turn -0 into 0.
      case Data::Exact::stored:
        p[axis] = origin[axis] == 0 ? double{s[k]} : origin[axis] + double{s[k]};
        break;
      case Data::Exact::residuals:
        p[axis] = origin[axis] + (double{s[k]} + double{data_->residuals[at]});
        break;
      case Data::Exact::doubles:
        p[axis] = data_->doubles[at];
        break;
    }
  }
  return p;
}

const CloudAttribute* Cloud::attribute(std::string_view name) const {
  for (const CloudAttribute& attribute : data_->attributes) {
    if (attribute.name() == name) return &attribute;
  }
  return nullptr;
}

std::size_t Cloud::memory_bytes() const {
  std::size_t bytes = sizeof(Data) + data_->blocks.capacity() * sizeof(Block) +
                      data_->recoveries.capacity() * sizeof(Data::Recovery) + data_->stored.capacity() * sizeof(float) +
                      data_->residuals.capacity() * sizeof(float) + data_->doubles.capacity() * sizeof(double);
  for (const Data::Column& c : data_->columns) bytes += sizeof(c) + sizeof(CloudAttribute) + c.bytes.capacity();
  return bytes + data_->tree.memory_bytes() + data_->grid.memory_bytes();
}

void CloudAttribute::refuse_type(NumberType asked) const {
  throw Error(fmt::format("attribute '{}'", kind_.name),
              fmt::format("has values of type {}, was asked for {}", name_of(kind_.type), name_of(asked)));
}

}  // namespace graze
