// How points become blocks of float32: see the contract of Cloud.
#include "graze/geometry/cloud_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <set>

#include "geometry/cloud_data.h"
#include "graze/base/error.h"

namespace graze {
namespace {

constexpr float kSkipped = std::numeric_limits<float>::quiet_NaN();

// False for NaN and infinities too.
template <class T>
bool in_range(const std::array<T, 3>& p) {
  constexpr T kLargest = static_cast<T>(Cloud::kLargestCoordinate);
  return std::abs(p[0]) <= kLargest && std::abs(p[1]) <= kLargest && std::abs(p[2]) <= kLargest;
}

bool is_float(double x) { return double{static_cast<float>(x)} == x; }

/// One coordinate as stored, and what that leaves out: x = origin + stored + left exactly, but for left's own rounding.
struct Split {
  float stored;
  double left;
};

Split split(double x, double origin) {
  // The difference and its rounding error (Knuth), without a condition on the sizes.
  const double d = x - origin;
  const double back = d + origin;
  const double error = (x - back) + ((back - d) - origin);
  const auto stored = static_cast<float>(d);
  return {stored, (d - double{stored}) + error};
}

}  // namespace

/// The points of the block that is not full yet.
struct CloudBuilder::Pending {
  std::array<double, 3 * Cloud::kBlock> values;
  std::array<float, 3 * Cloud::kBlock> left;  // what storing them leaves out
  std::size_t count = 0;
};

CloudBuilder::CloudBuilder(const std::vector<AttributeType>& attributes)
    : data_(std::make_shared<Cloud::Data>()), pending_(std::make_unique<Pending>()) {
  std::set<std::string_view> names;
  for (const AttributeType& type : attributes) {
    if (type.name.empty()) throw Error("cloud attribute", "needs a name, got none");
    if (!names.insert(type.name).second) {
      throw Error(fmt::format("cloud attribute '{}'", type.name), "is given twice; names must differ");
    }
    data_->columns.emplace_back().kind = type;
  }
}
CloudBuilder::CloudBuilder(CloudBuilder&&) noexcept = default;
CloudBuilder& CloudBuilder::operator=(CloudBuilder&&) noexcept = default;
CloudBuilder::~CloudBuilder() = default;

std::size_t CloudBuilder::size() const { return data_->size; }

void CloudBuilder::reserve(std::size_t points) {
  constexpr std::size_t kMax = std::numeric_limits<std::size_t>::max() / 64;
  if (points > kMax) throw Error("cloud", fmt::format("cannot hold {} points", points));
  data_->stored.reserve(3 * points);
  const std::size_t blocks = points / Cloud::kBlock + 1;
  data_->blocks.reserve(blocks);
  data_->recoveries.reserve(blocks);
  for (Cloud::Data::Column& c : data_->columns) c.bytes.reserve(points * size_of(c.kind.type));
}

void CloudBuilder::skip_or_refuse(const Vec3& p, std::size_t index) {
  if (is_finite(p)) {
    throw Error(fmt::format("point {}", index),
                fmt::format("coordinates ({:.9g}, {:.9g}, {:.9g}) reach beyond {:g} m; mark missing points by NaN",
                            p.x(), p.y(), p.z(), Cloud::kLargestCoordinate));
  }
  ++data_->skipped;
}

void CloudBuilder::append(const PointView& points, std::span<const ColumnView> attributes) {
  Cloud::Data& data = *data_;
  if (attributes.size() != data.columns.size()) {
    throw Error("cloud attributes", fmt::format("needs {} columns, got {}", data.columns.size(), attributes.size()));
  }
  for (std::size_t k = 0; k < attributes.size(); ++k) {
    const AttributeType& kind = data.columns[k].kind;
    const std::string where = fmt::format("cloud attribute '{}'", kind.name);
    if (attributes[k].type != kind.type) {
      throw Error(where, fmt::format("is of type {}, got {}", name_of(kind.type), name_of(attributes[k].type)));
    }
    if (attributes[k].count != points.size()) {
      throw Error(where, fmt::format("needs one value per point: {}, got {}", points.size(), attributes[k].count));
    }
  }
  if (points.type() == NumberType::float32) {
    append_points<float>(points);
  } else {
    append_points<double>(points);
  }
  for (std::size_t k = 0; k < attributes.size(); ++k) {
    const ColumnView& column = attributes[k];
    const std::size_t width = size_of(column.type);
    std::byte* to = data.columns[k].bytes.extend(column.count * width);
    if (column.stride == static_cast<std::ptrdiff_t>(width)) {
      if (column.count > 0) std::memcpy(to, column.first, column.count * width);
    } else {
      for (std::size_t i = 0; i < column.count; ++i) std::memcpy(to + i * width, column.at(i), width);
    }
  }
}

template <class T>
void CloudBuilder::append_points(const PointView& points) {
  for (std::size_t i = 0; i < points.size();) {
    if (pending_->count == 0 && points.size() - i >= Cloud::kBlock && sizeof(T) == sizeof(float)) {
      append_floats(points, i, i + Cloud::kBlock);
      i += Cloud::kBlock;
      continue;
    }
    double* to = pending_->values.data() + 3 * pending_->count;
    const std::array<T, 3> p = points.load_point<T>(i);
    if (in_range(p)) {
      for (std::size_t k = 0; k < 3; ++k) to[k] = static_cast<double>(p[k]);
    } else {
      skip_or_refuse(points[i], data_->size);
      to[0] = to[1] = to[2] = kSkipped;
    }
    ++data_->size;
    ++i;
    if (++pending_->count == Cloud::kBlock) flush();
  }
}

// A whole block of float32: nothing to decide, and no way over doubles.
void CloudBuilder::append_floats(const PointView& points, std::size_t begin, std::size_t end) {
  Cloud::Data& data = *data_;
  float* to = data.stored.extend(3 * (end - begin));
  std::array<float, 3> low, high;
  low.fill(std::numeric_limits<float>::infinity());
  high.fill(-std::numeric_limits<float>::infinity());
  for (std::size_t i = begin; i < end; ++i, to += 3) {
    const std::array<float, 3> p = points.load_point<float>(i);
    if (!in_range(p)) {
      skip_or_refuse(points[i], data.size + (i - begin));
      to[0] = to[1] = to[2] = kSkipped;
      continue;
    }
    for (std::size_t k = 0; k < 3; ++k) {
      to[k] = p[k];
      low[k] = std::min(low[k], p[k]);
      high[k] = std::max(high[k], p[k]);
    }
  }
  data.bounds.extend(Aabb{Vec3(low[0], low[1], low[2]), Vec3(high[0], high[1], high[2])});
  data.size += end - begin;
  data.blocks.emplace_back();
  data.recoveries.emplace_back();
}

void CloudBuilder::flush() {
  Cloud::Data& data = *data_;
  const std::size_t count = pending_->count;
  if (count == 0) return;
  pending_->count = 0;
  const double* values = pending_->values.data();

  Aabb box;
  bool all_floats = true;
  for (std::size_t i = 0; i < 3 * count; i += 3) {
    const double* p = values + i;
    if (std::isnan(p[0])) continue;
    box.extend(Vec3(p[0], p[1], p[2]));
    all_floats = all_floats && is_float(p[0]) && is_float(p[1]) && is_float(p[2]);
  }
  data.bounds.extend(box);
  Cloud::Block& block = data.blocks.emplace_back();
  Cloud::Data::Recovery& recovery = data.recoveries.emplace_back();
  float* stored = data.stored.extend(3 * count);
  if (all_floats) {
    std::transform(values, values + 3 * count, stored, [](double x) { return static_cast<float>(x); });
    return;
  }

  // A float is near enough to the middle and has many zero bits, so that differences from it are mostly exact.
  block.origin = box.center().cast<float>().cast<double>();
  std::array<bool, 3> unrounded = {true, true, true}, residuals_suffice = {true, true, true};
  for (std::size_t i = 0; i < 3 * count; i += 3) {
    double off_sq = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      const double x = values[i + k], origin = block.origin[static_cast<Eigen::Index>(k)];
      const Split s = split(x, origin);
      stored[i + k] = s.stored;
      const auto left = static_cast<float>(s.left);
      pending_->left[i + k] = left;
      if (std::isnan(x)) continue;
      const double recovered = origin + (double{s.stored} + double{left});
      unrounded[k] = unrounded[k] && s.left == 0 && origin + double{s.stored} == x;
      residuals_suffice[k] = residuals_suffice[k] && recovered == x;
      off_sq += s.left * s.left;
    }
    block.rounding = std::max(block.rounding, off_sq);
  }
  if (unrounded[0] && unrounded[1] && unrounded[2]) return;
  // Squares may underflow where the leftovers do not: the smallest square is as good as any there.
  const double min_rounding = std::sqrt(std::numeric_limits<double>::min());
  block.rounding = std::max(min_rounding, std::sqrt(block.rounding) * (1 + 8 * kEpsilon));
  data.rounding = std::max(data.rounding, block.rounding);
  for (std::size_t k = 0; k < 3; ++k) {
    if (unrounded[k]) continue;
    if (residuals_suffice[k]) {
      recovery.from[k] = Cloud::Data::Exact::residuals;
      recovery.first[k] = data.residuals.size();
      float* to = data.residuals.extend(count);
      for (std::size_t i = 0; i < count; ++i) to[i] = pending_->left[3 * i + k];
    } else {
      recovery.from[k] = Cloud::Data::Exact::doubles;
      recovery.first[k] = data.doubles.size();
      double* to = data.doubles.extend(count);
      for (std::size_t i = 0; i < count; ++i) to[i] = values[3 * i + k];
    }
  }
}

namespace {

std::uint64_t stamp_of(std::span<const float> stored, std::span<const float> residuals,
                       std::span<const double> doubles) {
  std::uint64_t hash = stored.size();
  const auto add = [&](std::uint64_t bits) {
    hash = (hash ^ bits) * 0x9E3779B97F4A7C15U;
    hash ^= hash >> 29U;
  };
  for (const float x : stored) add(std::bit_cast<std::uint32_t>(x));
  for (const float x : residuals) add(std::bit_cast<std::uint32_t>(x));
  for (const double x : doubles) add(std::bit_cast<std::uint64_t>(x));
  return hash;
}

}  // namespace

Cloud CloudBuilder::finish(double radius) && {
  flush();
  pending_.reset();
  Cloud::Data& data = *data_;
  data.stored.shrink();
  data.residuals.shrink();
  data.doubles.shrink();
  data.attributes.reserve(data.columns.size());
  for (Cloud::Data::Column& c : data.columns) {
    c.bytes.shrink();
    data.attributes.emplace_back(c.kind, c.bytes.data(), data.size);
  }
  data.floats = data.rounding == 0 && std::all_of(data.blocks.begin(), data.blocks.end(),
                                                  [](const auto& block) { return block.origin == Vec3::Zero(); });
  Cloud cloud(data_, radius);
  data.stamp = stamp_of(data.stored.span(), data.residuals.span(), data.doubles.span());
  data_.reset();
  return cloud;
}

}  // namespace graze
