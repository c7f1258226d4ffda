// A picture of a scene, made by asking for distances.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "demo_scene.h"
#include "image.h"

namespace graze::app {

/// A pinhole camera that looks at a point, z up.
class Camera {
 public:
  Camera(const Vec3& eye, const Vec3& target, double field_of_view, std::size_t width, std::size_t height);

  const Vec3& eye() const { return eye_; }
  std::size_t width() const { return width_; }
  std::size_t height() const { return height_; }
  /// Unit direction through a place of the picture, in pixels from the upper left.
  Vec3 ray(double x, double y) const;
  /// Where a point appears, in pixels; nothing sensible behind the camera.
  std::pair<double, double> project(const Vec3& point) const;

 private:
  Vec3 eye_, forward_, right_, down_;
  std::size_t width_, height_;
  double focal_;  // in pixels
};

struct Picture {
  Image image;
  /// Metres from the eye to what each pixel shows.
  std::vector<double> depth;
  /// How many distances were asked for.
  std::uint64_t queries = 0;
};

/// Sphere tracing: each ray advances by the distance to the nearest body until that is next to nothing. Shadows,
/// occlusion and the level lines on the floor are distances, too, and so are the surface normals. The first object is
/// the floor.
Picture render(const Scene& scene, const Camera& camera);

}  // namespace graze::app
