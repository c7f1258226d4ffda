// What a cloud is made of.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "base/pod_array.h"
#include "graze/geometry/cloud.h"
#include "graze/geometry/cloud_attributes.h"
#include "graze/index/kd_tree.h"
#include "graze/index/point_grid.h"

namespace graze {

/// Made by the first who asks. Waiting for others to make it is left to call_once; one load says whether it is there
/// already.
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

struct Cloud::Data {
  /// How a block gives back the caller's numbers along an axis: origin + stored; origin + (stored + residual); the
  /// double.
  enum class Exact : std::uint8_t { stored, residuals, doubles };
  struct Recovery {
    std::array<std::size_t, 3> first{};  // of the block's values in `residuals` or `doubles`
    std::array<Exact, 3> from{};
  };
  struct Column {
    AttributeType kind;
    PodArray<std::byte> bytes;
  };

  std::size_t size = 0, skipped = 0;
  Aabb bounds;
  double rounding = 0;
  bool floats = true;  // what is stored are the points themselves
  std::vector<Block> blocks;
  std::vector<Recovery> recoveries;  // one per block
  PodArray<float> stored, residuals;
  PodArray<double> doubles;
  std::vector<Column> columns;
  std::vector<CloudAttribute> attributes;  // views of the columns
  std::uint64_t stamp = 0;
  mutable Lazy<KdTree> tree;
  mutable Lazy<PointGrid> grid;
};

}  // namespace graze
