#include "map/depth_view.h"

#include <algorithm>
#include <bit>

namespace graze::map {

std::array<float, 3> DepthView::seen(const Vec3& p) const {
  const Vec3 from = p - origin;
  std::array<float, 3> q{};
  for (std::size_t a = 0; a < 3; ++a) {
    q[a] = static_cast<float>(double{to_camera[3 * a]} * from.x() + double{to_camera[3 * a + 1]} * from.y() +
                              double{to_camera[3 * a + 2]} * from.z());
  }
  return q;
}

void LimitPyramid::build(const std::vector<float>& limits, int width, int height) {
  limits_ = limits.data();
  width_ = width;
  used_ = 0;
  const float *low = limits_, *high = limits_;
  for (int w = width, h = height; w > 1 || h > 1;) {
    if (levels_.size() == used_) levels_.emplace_back();
    Level& level = levels_[used_++];
    level.width = (w + 1) / 2, level.height = (h + 1) / 2;
    const auto size = static_cast<std::size_t>(level.width) * static_cast<std::size_t>(level.height);
    level.low.resize(size);
    level.high.resize(size);
    for (int y = 0; y < level.height; ++y) {
      const auto row = [&](int v) {
        return static_cast<std::size_t>(std::min(v, h - 1)) * static_cast<std::size_t>(w);
      };
      const std::size_t a = row(2 * y), b = row(2 * y + 1);
      const std::size_t out = static_cast<std::size_t>(y) * static_cast<std::size_t>(level.width);
      halve_rows({low + a, low + b}, {high + a, high + b}, static_cast<std::size_t>(w), level.low.data() + out,
                 level.high.data() + out);
    }
    low = level.low.data(), high = level.high.data();
    w = level.width, h = level.height;
  }
}

float LimitPyramid::highest() const { return used_ == 0 ? *limits_ : levels_[used_ - 1].high[0]; }

LimitRange LimitPyramid::of(int left, int top, int right, int bottom) const {
  const auto size = static_cast<unsigned>(std::max(right - left, bottom - top));
  const std::size_t l =
      std::min<std::size_t>(static_cast<std::size_t>(std::max(static_cast<int>(std::bit_width(size)) - 1, 0)), used_);
  const int width = l == 0 ? width_ : levels_[l - 1].width;
  const float *low = l == 0 ? limits_ : levels_[l - 1].low.data(),
              *high = l == 0 ? limits_ : levels_[l - 1].high.data();
  LimitRange range{std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity()};
  for (int y = top >> l; y <= bottom >> l; ++y) {
    for (int x = left >> l; x <= right >> l; ++x) {
      const auto i = static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x);
      range.low = std::min(range.low, low[i]);
      range.high = std::max(range.high, high[i]);
    }
  }
  return range;
}

void DepthRow::resize(std::size_t pixels) {
  constexpr std::size_t kMostLanes = 16;
  count = pixels;
  for (auto& axis : key) axis.resize(pixels + kMostLanes);
  hits.resize(pixels / 8 + 2);
}

}  // namespace graze::map
