// A scene by rays, with contacts and nearest points drawn over it: what a page shows without the viewer.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "demo_render.h"
#include "graze/scene/scene_query.h"
#include "image.h"
#include "numbers.h"
#include "scene_page.h"

namespace graze::app {
namespace {

constexpr std::size_t kWidth = 960, kHeight = 600;  // pixels
constexpr std::size_t kFine = 2;                    // rays of a pixel along each side

struct Eye {
  double size;  // of the scene, metres
  Camera camera;

  explicit Eye(const Aabb& box)
      : size(std::max(box.half().norm(), 1e-9 * (1 + box.center().norm()))),
        camera(box.center() + 3.1 * size * Vec3(0.5, -0.8, 0.42).normalized(), box.center(),
               40 * std::numbers::pi / 180, kWidth, kHeight) {}
};

Image drawn(const ScenePage& page, const Eye& eye) {
  std::vector<Ray> rays;
  rays.reserve(kWidth * kHeight * kFine * kFine);
  for (std::size_t y = 0; y < kHeight * kFine; ++y) {
    for (std::size_t x = 0; x < kWidth * kFine; ++x)
      rays.emplace_back(eye.camera.eye(),
                        eye.camera.ray((static_cast<double>(x) + 0.5) / kFine, (static_cast<double>(y) + 0.5) / kFine),
                        30 * eye.size);
  }
  std::vector<SceneRayHit> hits(rays.size());
  raycast_each(page.scene, rays, hits);
  const Vec3 sun = Vec3(0.15, -0.65, 0.8).normalized(), sky(0.93, 0.95, 0.96);
  Image image{kWidth, kHeight, std::vector<std::uint8_t>(3 * kWidth * kHeight)};
  for (std::size_t i = 0; i < kWidth * kHeight; ++i) {
    Vec3 sum = Vec3::Zero();
    for (std::size_t k = 0; k < kFine * kFine; ++k) {
      const std::size_t x = i % kWidth * kFine + k % kFine, y = i / kWidth * kFine + k / kFine;
      const SceneRayHit& hit = hits[y * kWidth * kFine + x];
      if (!hit.found()) {
        sum += sky;
        continue;
      }
      const double light = 0.45 + 0.55 * std::max(0.0, hit.normal.dot(sun)) + 0.12 * hit.normal.z();
      const double haze = std::clamp(hit.distance / (8 * eye.size) - 0.5, 0.0, 1.0);
      sum += (1 - haze) * light * color_of(hit.id, page.colliding.contains(hit.id)) + haze * sky;
    }
    for (Eigen::Index c = 0; c < 3; ++c)
      image.rgb[3 * i + static_cast<std::size_t>(c)] =
          static_cast<std::uint8_t>(std::lround(255 * std::clamp(sum[c] / (kFine * kFine), 0.0, 1.0)));
  }
  return image;
}

std::string line_between(const Camera& camera, const Vec3& from, const Vec3& to, std::string_view kind) {
  const auto [x1, y1] = camera.project(from);
  const auto [x2, y2] = camera.project(to);
  return fmt::format("<line class=\"{}\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>\n", kind, x1, y1, x2,
                     y2);
}
std::string dot_at(const Camera& camera, const Vec3& point, std::string_view kind) {
  const auto [x, y] = camera.project(point);
  return fmt::format("<circle class=\"{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\"/>\n", kind, x, y);
}
std::string text_at(const Camera& camera, const Vec3& point, std::string_view text, std::string_view kind) {
  const auto [x, y] = camera.project(point);
  return fmt::format("<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", kind, x, y - 8, escaped(text));
}

std::string marks(const ScenePage& page, const Eye& eye) {
  std::string out;
  page.scene.visit_objects([&](const SceneObject& o) {
    const Aabb box = bounds(o.placed->geometry, o.placed->pose);
    if (box.bounded() && !box.empty())
      out += text_at(eye.camera, {box.center().x(), box.center().y(), box.max.z()}, o.name, "name");
  });
  for (const ShownContact& c : page.contacts) {
    out += line_between(eye.camera, c.point, c.point + 0.08 * eye.size * c.normal, "normal");
    out += dot_at(eye.camera, c.point, "contact");
  }
  if (page.gap) {
    out += line_between(eye.camera, page.gap->from, page.gap->to, "gap") + dot_at(eye.camera, page.gap->from, "end") +
           dot_at(eye.camera, page.gap->to, "end");
    out += text_at(eye.camera, (page.gap->from + page.gap->to) / 2, page.gap->text, "length");
  }
  return out;
}

}  // namespace

Vec3 color_of(ObjectId id, bool colliding) {
  static constexpr double kPalette[][3] = {{0.62, 0.64, 0.66}, {0.27, 0.47, 0.62}, {0.42, 0.60, 0.40},
                                           {0.72, 0.58, 0.34}, {0.50, 0.42, 0.62}, {0.36, 0.60, 0.60}};
  if (colliding) return {0.82, 0.34, 0.28};
  const auto& c = kPalette[id % std::size(kPalette)];
  return {c[0], c[1], c[2]};
}

std::string scene_picture(const ScenePage& page) {
  const Eye eye(extent_of(page));
  return fmt::format(R"html(<div class="picture">
<img alt="The scene" width="{width}" height="{height}" src="data:image/png;base64,{png}">
<svg viewBox="0 0 {width} {height}" role="img" aria-label="Contacts or nearest points">
{marks}</svg>
</div>
)html",
                     fmt::arg("width", kWidth), fmt::arg("height", kHeight),
                     fmt::arg("png", base64(png(drawn(page, eye)))), fmt::arg("marks", marks(page, eye)));
}

}  // namespace graze::app
