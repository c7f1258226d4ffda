#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "map/mapper_state.h"

namespace graze {
namespace {

using map::BrickBits;

constexpr double kHalfDiagonal = 0.8660254037844387;  // of a unit cube

void check(const DepthImage& image) {
  constexpr int kMaxSide = 1 << 14;
  const auto pixels = [&](int n) { return n >= 1 && n <= kMaxSide; };
  if (!pixels(image.width) || !pixels(image.height)) {
    throw Error("image",
                fmt::format("expected 1 to {} pixels per side, got {} × {}", kMaxSide, image.width, image.height));
  }
  if (image.depths.size() != static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height)) {
    throw Error("depths",
                fmt::format("expected {} × {} depths, got {}", image.width, image.height, image.depths.size()));
  }
  for (const double f : {image.fx, image.fy}) {
    if (!(f >= 1e-3 && f <= 1e6))
      throw Error("intrinsics", fmt::format("expected a focal length in pixels, got {}", f));
  }
  for (const double c : {image.cx, image.cy}) {
    if (!(std::abs(c) <= 1e6)) throw Error("intrinsics", fmt::format("expected a centre in pixels, got {}", c));
  }
  if (!std::isfinite(image.time)) throw Error("time", fmt::format("expected a number, got {}", image.time));
}

/// What a view says about a cube of cells.
enum class Verdict { nothing, all_free, mixed };

class DepthWalk {
 public:
  DepthWalk(map::DepthMemory& memory, map::FrameMarks& hits, map::CellStore& store, double time, InsertReport& report)
      : view_(memory.view),
        pyramid_(memory.pyramid),
        done_(memory.done),
        hits_(hits),
        store_(store),
        time_(time),
        report_(report) {
    done_.assign(hits.bricks().size(), 0);
  }

  void run(const CellKey& corner, int level) { cube(corner, level, false); }

  /// The bricks with hits that no cube came by.
  void rest() {
    const BrickBits none{};
    for (std::uint32_t i = 0; i < done_.size(); ++i) {
      if (done_[i] == 0) change(hits_.bricks()[i], none, &hits_[i].hits);
    }
  }

 private:
  Verdict judge(const CellKey& corner, int level) const {
    const double side = std::ldexp(1.0, level);
    const double half = (side - 1) / 2;  // from the centre of the cube to those of its outermost cells
    const Vec3 center = (Vec3(corner.x, corner.y, corner.z).array() + 0.5 + half) * view_.resolution;
    const auto [x, y, z] = view_.seen(center);
    // Float32 rounds in proportion to the distance from the camera.
    const float far = std::abs(x) + std::abs(y) + std::abs(z);
    const auto r = static_cast<float>(kHalfDiagonal * 2 * half * view_.resolution) * 1.00001F + far * 4e-6F;
    const float near_z = z - r, far_z = z + r;
    if (far_z <= 0) return Verdict::nothing;
    if (!(near_z > 0.5F * r)) return Verdict::mixed;
    constexpr float kSlack = 0.01F;  // pixels
    const auto low = [&](float a, float f, float c) { return f * a / (a < 0 ? near_z : far_z) + c + 0.5F - kSlack; };
    const auto high = [&](float a, float f, float c) { return f * a / (a < 0 ? far_z : near_z) + c + 0.5F + kSlack; };
    const float left = low(x - r, view_.fx, view_.cx), right = high(x + r, view_.fx, view_.cx);
    const float top = low(y - r, view_.fy, view_.cy), bottom = high(y + r, view_.fy, view_.cy);
    const auto w = static_cast<float>(view_.width), h = static_cast<float>(view_.height);
    if (right < 0 || bottom < 0 || left >= w || top >= h) return Verdict::nothing;
    const bool inside = left >= 0 && top >= 0 && right < w && bottom < h;
    const auto pixel = [](float u, int count) { return std::clamp(static_cast<int>(std::floor(u)), 0, count - 1); };
    const map::LimitPyramid::Range limits =
        pyramid_.of(pixel(std::max(left, 0.0F), view_.width), pixel(std::max(top, 0.0F), view_.height),
                    pixel(std::min(right, w), view_.width), pixel(std::min(bottom, h), view_.height));
    if (near_z > limits.high) return Verdict::nothing;
    return inside && far_z < limits.low ? Verdict::all_free : Verdict::mixed;
  }

  void cube(const CellKey& corner, int level, bool all_free) {
    if (!all_free) {
      const Verdict verdict = judge(corner, level);
      if (verdict == Verdict::nothing) return;
      all_free = verdict == Verdict::all_free;
    }
    if (level > detail::kBrickLevel) {
      for (int i = 0; i < 8; ++i) cube(detail::child_key(corner, level, i), level - 1, all_free);
      return;
    }
    BrickBits cleared = map::kAllBits;
    if (!all_free) {
      const Vec3 first = (Vec3(corner.x, corner.y, corner.z).array() + 0.5) * view_.resolution;
      clear_brick(view_, view_.seen(first), cleared);
    }
    const std::uint32_t index = hits_.find(corner);
    if (index == map::KeyTable::kNone) {
      change(corner, cleared, nullptr);
      return;
    }
    done_[index] = 1;
    change(corner, cleared, &hits_[index].hits);
  }

  void change(const CellKey& brick, BrickBits cleared, const BrickBits* hits) {
    static constexpr BrickBits kNone{};
    if (hits == nullptr) hits = &kNone;
    std::size_t missed = 0, hit = 0;
    for (std::size_t w = 0; w < 8; ++w) {
      cleared[w] &= ~(*hits)[w];
      missed += static_cast<std::size_t>(std::popcount(cleared[w]));
      hit += static_cast<std::size_t>(std::popcount((*hits)[w]));
    }
    if (missed + hit == 0) return;
    store_.observe(brick, cleared, *hits, time_);
    report_.cells_missed += missed;
    report_.cells_hit += hit;
  }

  const map::DepthView& view_;
  const map::LimitPyramid& pyramid_;
  std::vector<std::uint8_t>& done_;
  map::FrameMarks& hits_;
  map::CellStore& store_;
  double time_;
  InsertReport& report_;
};

/// All that a view depends on but its limits.
void aim(const DepthImage& image, double resolution, map::DepthMemory& memory) {
  map::DepthView& view = memory.view;
  const auto size = image.depths.size();
  const std::array<double, 4> intrinsics{image.fx, image.fy, image.cx, image.cy};
  if (view.width != image.width || view.height != image.height || memory.intrinsics != intrinsics) {
    memory.intrinsics = intrinsics;
    memory.ray_lengths.resize(size);
    for (int v = 0; v < image.height; ++v) {
      const double y = (v - image.cy) / image.fy;
      for (int u = 0; u < image.width; ++u) {
        const double x = (u - image.cx) / image.fx;
        memory.ray_lengths[static_cast<std::size_t>(v) * static_cast<std::size_t>(image.width) +
                           static_cast<std::size_t>(u)] = static_cast<float>(std::sqrt(1 + x * x + y * y));
      }
    }
  }
  view.width = image.width, view.height = image.height;
  view.fx = static_cast<float>(image.fx), view.fy = static_cast<float>(image.fy);
  view.cx = static_cast<float>(image.cx), view.cy = static_cast<float>(image.cy);
  view.origin = image.pose.translation();
  view.resolution = resolution;
  for (std::size_t i = 0; i < 9; ++i) {
    view.to_camera[i] = static_cast<float>(image.pose.rotation()(static_cast<int>(i % 3), static_cast<int>(i / 3)));
  }
  const auto moved = [&](std::size_t a, const CellKey& cells) {
    return static_cast<float>((double{view.to_camera[3 * a]} * cells.x + double{view.to_camera[3 * a + 1]} * cells.y +
                               double{view.to_camera[3 * a + 2]} * cells.z) *
                              resolution);
  };
  for (std::size_t a = 0; a < 3; ++a) {
    for (unsigned i = 0; i < 64; ++i) view.octets[a][i] = moved(a, map::cell_of_brick({}, 8 * i));
    for (unsigned i = 0; i < 8; ++i) view.cells[a][i] = moved(a, map::cell_of_brick({}, i));
  }
  view.limits.resize(size);
  memory.x.resize(size), memory.y.resize(size), memory.z.resize(size);
  memory.kind.resize(size);
}

void read_pixels(const DepthImage& image, double resolution, map::DepthMemory& memory) {
  map::DepthRow row;
  row.count = static_cast<std::size_t>(image.width);
  row.fx = image.fx, row.cx = image.cx;
  for (std::size_t i = 0; i < 9; ++i) {
    row.rotation[i] = image.pose.rotation()(static_cast<int>(i / 3), static_cast<int>(i % 3));
  }
  for (std::size_t a = 0; a < 3; ++a) row.origin[a] = image.pose.translation()[static_cast<int>(a)];
  row.resolution = resolution, row.max_range = image.max_range;
  row.margin = static_cast<float>(kHalfDiagonal * resolution);
  row.no_return_range = image.no_return == NoReturn::clear ? static_cast<float>(image.max_range) : 0;
  for (int v = 0; v < image.height; ++v) {
    const std::size_t first = static_cast<std::size_t>(v) * row.count;
    row.depths = image.depths.data() + first;
    row.ray_lengths = memory.ray_lengths.data() + first;
    row.y = (v - image.cy) / image.fy;
    row.limits = memory.view.limits.data() + first;
    row.x = memory.x.data() + first, row.y_key = memory.y.data() + first, row.z = memory.z.data() + first;
    row.kind = memory.kind.data() + first;
    map::read_row(row);
  }
}

}  // namespace

InsertReport OccupancyMapper::insert(const DepthImage& image) {
  State& s = *state_;
  const double resolution = s.options.resolution;
  check(image);
  map::check_range(image.max_range, image.no_return);
  if (!map::key_of(image.pose.translation(), resolution)) throw Error("pose", "is out of the range of keys");
  map::SelfFilter filter(image.filter);
  InsertReport report;
  report.points = image.depths.size();
  s.in_grid = false;
  s.marks.clear();
  aim(image, resolution, s.depth);
  read_pixels(image, resolution, s.depth);

  CellKey last{1, 0, 0};  // no brick starts there
  std::uint32_t index = 0;
  for (std::size_t i = 0; i < image.depths.size(); ++i) {
    const std::uint8_t kind = s.depth.kind[i];
    if (kind == map::kNoReturn) ++report.no_return;
    if (kind == map::kCut) ++report.cut;
    if (kind == map::kTooFar) ++report.too_far;
    if (kind != map::kHit) continue;
    if (!image.filter.empty()) {
      const auto width = static_cast<std::size_t>(image.width);
      const std::size_t row = i / width;
      const auto u = static_cast<double>(i - row * width), v = static_cast<double>(row);
      const double z = double{image.depths[i]};
      if (filter.removes(image.pose * Vec3((u - image.cx) / image.fx * z, (v - image.cy) / image.fy * z, z))) {
        s.depth.view.limits[i] = 0;
        continue;
      }
    }
    ++report.hits;
    const CellKey cell{s.depth.x[i], s.depth.y[i], s.depth.z[i]};
    const CellKey brick = detail::corner_of(cell, detail::kBrickLevel);
    if (!(brick == last)) {
      index = s.marks.brick(brick);
      last = brick;
    }
    const unsigned bit = map::cell_in_brick(cell.x, cell.y, cell.z);
    s.marks[index].hits[bit >> 6U] |= std::uint64_t{1} << (bit & 63U);
  }
  s.check_memory();

  // The box around all that is cleared: the camera, and the corners of the image at the largest limit.
  const float farthest = *std::max_element(s.depth.view.limits.begin(), s.depth.view.limits.end());
  Aabb seen;
  seen.extend(image.pose.translation());
  for (unsigned corner = 0; corner < 4; ++corner) {
    const double u = (corner & 1U) != 0 ? image.width : -1, v = (corner & 2U) != 0 ? image.height : -1;
    seen.extend(image.pose * (double{farthest} * Vec3((u - image.cx) / image.fx, (v - image.cy) / image.fy, 1)));
  }
  seen = seen.grown(2 * resolution);
  const std::optional<CellKey> low = map::key_of(seen.min, resolution), high = map::key_of(seen.max, resolution);
  if (!low || !high) throw Error("image", "sees beyond the range of keys");
  double bricks = 1;
  for (int a = 0; a < 3; ++a) bricks *= (seen.max[a] - seen.min[a]) / (8 * resolution) + 1;
  if (bricks * 64 > double(s.options.max_bytes)) {
    throw Error("image", fmt::format("may clear {} blocks of cells, more than the memory limit allows", bricks));
  }

  s.depth.pyramid.build(s.depth.view.limits, image.width, image.height);
  DepthWalk walk(s.depth, s.marks, s.store, image.time, report);
  if (farthest > 0) {
    // Cubes of a side that is about a quarter of the box, or chunks.
    std::int64_t side = 0;
    for (const auto& [a, b] : {std::pair(low->x, high->x), std::pair(low->y, high->y), std::pair(low->z, high->z)}) {
      side = std::max(side, std::int64_t{b} - a + 1);
    }
    const int level = std::clamp(static_cast<int>(std::bit_width(static_cast<std::uint64_t>(side) / 4)),
                                 detail::kChunkLevel, OccupancyMap::kTopLevel - 1);
    const CellKey first = detail::corner_of(*low, level);
    const std::int64_t step = std::int64_t{1} << static_cast<unsigned>(level);
    for (std::int64_t x = first.x; x <= high->x; x += step) {
      for (std::int64_t y = first.y; y <= high->y; y += step) {
        for (std::int64_t z = first.z; z <= high->z; z += step) {
          walk.run({static_cast<std::int32_t>(x), static_cast<std::int32_t>(y), static_cast<std::int32_t>(z)}, level);
        }
      }
    }
  }
  walk.rest();
  report.filtered = std::move(filter).removed();
  return report;
}

}  // namespace graze
