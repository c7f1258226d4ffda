// What a depth image says about cells, without rays.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "graze/map/occupancy_mapper.h"
#include "map/cell_store.h"

namespace graze::map {

/// The camera of one image, and how far it sees free space along each pixel.
struct DepthView {
  int width = 0, height = 0;
  float fx = 0, fy = 0, cx = 0, cy = 0;
  std::vector<float> limits;         // depth up to which a pixel clears; 0: not at all
  std::array<float, 9> to_camera{};  // rotation of the world to the camera, row by row
  Vec3 origin = Vec3::Zero();        // of the camera
  double resolution = 0;
  std::array<std::array<float, 64>, 3> octets{};  // of a brick: where its cubes of 2 × 2 × 2 cells are, camera axes
  alignas(32) std::array<std::array<float, 8>, 3> cells{};  // of such a cube: where its cells are

  /// The camera coordinates of a point of the world.
  std::array<float, 3> seen(const Vec3& p) const;
};

/// The smallest and the largest limit of squares of 2^level pixels.
class LimitPyramid {
 public:
  void build(const std::vector<float>& limits, int width, int height);
  struct Range {
    float low, high;
  };
  /// Of a rectangle of pixels, both ends included.
  Range of(int left, int top, int right, int bottom) const;

 private:
  struct Level {
    int width = 0, height = 0;
    std::vector<float> low, high;
  };
  std::vector<Level> levels_;
  std::size_t used_ = 0;
};

/// One row of pixels: their limits, and the cells of their points.
struct DepthRow {
  const float* depths = nullptr;
  const float* ray_lengths = nullptr;  // of the ray of a pixel with depth 1
  std::size_t count = 0;
  double fx = 0, cx = 0, y = 0;      // y: of the row at depth 1
  std::array<double, 9> rotation{};  // of the camera in the world, row by row
  std::array<double, 3> origin{};
  double resolution = 0, max_range = 0;
  float margin = 0;           // what a pixel with return clears less
  float no_return_range = 0;  // up to where one without clears; 0: not at all
  // Filled in:
  float* limits = nullptr;
  std::int32_t *x = nullptr, *y_key = nullptr, *z = nullptr;
  std::uint8_t* kind = nullptr;  // of each pixel
};
enum PixelKind : std::uint8_t { kNoReturn = 0, kHit = 1, kCut = 2, kTooFar = 3 };

/// What is kept from one image to the next: memory, and what depends on the camera alone.
struct DepthMemory {
  DepthView view;
  LimitPyramid pyramid;
  std::array<double, 4> intrinsics{};
  std::vector<float> ray_lengths;
  std::vector<std::int32_t> x, y, z;
  std::vector<std::uint8_t> kind, done;
};

void read_row(const DepthRow& row);
/// The cells of a brick that the view clears; `base`: camera coordinates of the centre of its first cell.
void clear_brick(const DepthView& view, const std::array<float, 3>& base, BrickBits& cleared);

}  // namespace graze::map
