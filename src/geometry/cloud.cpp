#include "graze/geometry/cloud.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "graze/base/error.h"
#include "graze/shape/checked.h"

namespace graze {
namespace {

const Vec3 kNoPoint = Vec3::Constant(std::numeric_limits<double>::quiet_NaN());

double checked_radius(double radius) { return checked_size("cloud radius", Sign::not_negative, radius); }

}  // namespace

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

std::size_t Cloud::memory() const {
  std::size_t bytes = sizeof(Data) + data_->blocks.capacity() * sizeof(Block) +
                      data_->recoveries.capacity() * sizeof(Recovery) + data_->stored.capacity() * sizeof(float) +
                      data_->residuals.capacity() * sizeof(float) + data_->doubles.capacity() * sizeof(double);
  for (const Attribute& a : data_->attributes) bytes += sizeof(Attribute) + a.bytes_.capacity();
  return bytes + data_->tree.memory_bytes();
}

void Cloud::Attribute::refuse_type(NumberType asked) const {
  throw Error(fmt::format("attribute '{}'", kind_.name),
              fmt::format("has values of type {}, was asked for {}", name_of(kind_.type), name_of(asked)));
}

}  // namespace graze
