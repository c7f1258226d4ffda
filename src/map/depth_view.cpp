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
  used_ = 0;
  const float *low = limits.data(), *high = limits.data();
  for (int w = width, h = height;;) {
    if (levels_.size() == used_) levels_.emplace_back();
    Level& level = levels_[used_++];
    if (used_ == 1) {  // the pixels themselves
      level.low.assign(limits.begin(), limits.end());
      level.width = w, level.height = h;
      low = high = level.low.data();
    }
    if (w == 1 && h == 1) break;
    if (levels_.size() == used_) levels_.emplace_back();
    Level& next = levels_[used_];
    next.width = (w + 1) / 2, next.height = (h + 1) / 2;
    const auto size = static_cast<std::size_t>(next.width) * static_cast<std::size_t>(next.height);
    next.low.resize(size);
    next.high.resize(size);
    for (int y = 0; y < next.height; ++y) {
      const auto row = [&](int v) {
        return static_cast<std::size_t>(std::min(v, h - 1)) * static_cast<std::size_t>(w);
      };
      const float *low_0 = low + row(2 * y), *low_1 = low + row(2 * y + 1);
      const float *high_0 = high + row(2 * y), *high_1 = high + row(2 * y + 1);
      float* out_low = next.low.data() + static_cast<std::size_t>(y) * static_cast<std::size_t>(next.width);
      float* out_high = next.high.data() + static_cast<std::size_t>(y) * static_cast<std::size_t>(next.width);
      for (int x = 0; x < next.width; ++x) {
        const int l = 2 * x, r = std::min(2 * x + 1, w - 1);
        out_low[x] = std::min(std::min(low_0[l], low_0[r]), std::min(low_1[l], low_1[r]));
        out_high[x] = std::max(std::max(high_0[l], high_0[r]), std::max(high_1[l], high_1[r]));
      }
    }
    low = next.low.data(), high = next.high.data();
    w = next.width, h = next.height;
  }
}

LimitPyramid::Range LimitPyramid::of(int left, int top, int right, int bottom) const {
  const auto size = static_cast<unsigned>(std::max(right - left, bottom - top));
  const std::size_t l = std::min<std::size_t>(
      static_cast<std::size_t>(std::max(static_cast<int>(std::bit_width(size)) - 1, 0)), used_ - 1);
  const Level& level = levels_[l];
  const float *low = level.low.data(), *high = l == 0 ? low : level.high.data();
  Range range{std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity()};
  for (int y = top >> l; y <= bottom >> l; ++y) {
    for (int x = left >> l; x <= right >> l; ++x) {
      const auto i = static_cast<std::size_t>(y) * static_cast<std::size_t>(level.width) + static_cast<std::size_t>(x);
      range.low = std::min(range.low, low[i]);
      range.high = std::max(range.high, high[i]);
    }
  }
  return range;
}

}  // namespace graze::map
