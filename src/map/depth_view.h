// What a depth image says about cells, without rays.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "graze/map/occupancy_mapper.h"
#include "map/cell_store.h"

namespace graze::map {

/// The camera of one image, and how far it sees free space along each pixel.
struct DepthView {
  int width = 0, height = 0;
  float fx = 0, fy = 0, cx = 0, cy = 0;
  float slack = 0;                   // pixels by which a projection may be off
  std::vector<float> limits;         // depth up to which a pixel clears; 0: not at all
  std::array<float, 9> to_camera{};  // rotation of the world to the camera, row by row
  Vec3 origin = Vec3::Zero();        // of the camera
  double resolution = 0;
  // In camera axes: of each cell of a brick where its cube of 2 × 2 × 2 cells is, and of two such cubes where their
  // cells are.
  alignas(64) std::array<std::array<float, 512>, 3> octets{};
  alignas(64) std::array<std::array<float, 16>, 3> cells{};

  /// The camera coordinates of a point of the world.
  std::array<float, 3> seen(const Vec3& p) const;
};

/// The smallest and the largest limit of some pixels.
struct LimitRange {
  float low = -std::numeric_limits<float>::infinity(), high = std::numeric_limits<float>::infinity();
};

/// The smallest and the largest limit of squares of 2^level pixels.
class LimitPyramid {
 public:
  /// Of limits that stay where they are.
  void build(const std::vector<float>& limits, int width, int height);
  /// Of a rectangle of pixels, both ends included.
  LimitRange of(int left, int top, int right, int bottom) const;
  float highest() const;

 private:
  struct Level {
    int width = 0, height = 0;
    std::vector<float> low, high;
  };
  const float* limits_ = nullptr;
  int width_ = 0;
  std::vector<Level> levels_;  // from squares of 2 × 2 pixels on
  std::size_t used_ = 0;
};

/// What a view says about the cells of eight cubes, by boxes around their centres in camera axes.
struct CubeViews {
  std::uint8_t hidden = 0;  ///< bits: not in the image
  std::uint8_t inside = 0;  ///< bits: all in the image
  std::uint8_t behind = 0;  ///< bits: so near to the plane of the camera, or behind it, that there is no rectangle
  alignas(32) std::array<float, 8> near_z{}, far_z{};
  alignas(32) std::array<std::int32_t, 8> left{}, top{}, right{}, bottom{};  ///< pixels, both ends included
};

/// What depends on the camera and the range alone.
struct CameraTable {
  std::array<double, 5> of{};   // fx, fy, cx, cy, range
  std::vector<double> columns;  // x of a column at depth 1
  std::vector<float> farthest;  // depth of each pixel at the range
  std::vector<float> within;    // the largest depth of each pixel that is not beyond the range
};

/// One row of pixels: their limits, and the cells of their points.
struct DepthRow {
  const float* depths = nullptr;
  const float *farthest = nullptr, *within = nullptr;  // as in CameraTable
  const double* columns = nullptr;
  std::size_t count = 0;
  double y = 0;                      // of the row at depth 1
  std::array<double, 9> rotation{};  // of the camera in the world, row by row
  std::array<double, 3> origin{};
  double resolution = 0;
  float margin = 0;           // what a pixel with return clears less
  float no_return_range = 0;  // up to where one without clears; 0: not at all
  // Filled in:
  float* limits = nullptr;
  std::array<std::vector<std::int32_t>, 3> key;  // of the hits
  std::vector<std::uint8_t> hits;                // bits
  std::size_t no_return = 0, cut = 0, too_far = 0;

  void resize(std::size_t pixels);
};

/// What is kept from one image to the next: memory, and what depends on the camera alone.
struct DepthMemory {
  DepthView view;
  LimitPyramid pyramid;
  CameraTable camera;
  DepthRow row;
  std::vector<std::uint8_t> done;
};

/// Row `y` of the table of a camera.
void measure_row(CameraTable& table, std::size_t first, double y);
void read_row(DepthRow& row);
/// Of two rows of `width` numbers, the smallest and the largest of each square of four.
void halve_rows(const std::array<const float*, 2>& low, const std::array<const float*, 2>& high, std::size_t width,
                float* out_low, float* out_high);
/// The eight cubes of `side` cells around a point, in camera coordinates.
CubeViews look_at_cubes(const DepthView& view, const std::array<float, 3>& center, double side);
/// The cells of a brick that the view clears. `first`, `center`: camera coordinates of the centre of its first cell and
/// of its own; `range`: of the limits of its pixels.
void clear_brick(const DepthView& view, const std::array<float, 3>& first, const std::array<float, 3>& center,
                 const LimitRange& range, BrickBits& cleared);

}  // namespace graze::map
