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

  /// All cells of a cube of more than a brick.
  void run(const CellKey& corner, int level) {
    const double side = std::ldexp(1.0, level - 1);
    const map::CubeViews views = look_at_cubes(view_, view_.seen(center_of(corner, side)), side);
    for (int i = 0; i < 8; ++i) {
      const auto is = [&](std::uint8_t bits) { return (bits >> static_cast<unsigned>(i) & 1U) != 0; };
      if (is(views.hidden)) continue;
      const auto k = static_cast<std::size_t>(i);
      map::LimitRange range;
      if (!is(views.behind)) {
        range = pyramid_.of(views.left[k], views.top[k], views.right[k], views.bottom[k]);
        if (views.near_z[k] > range.high) continue;
      }
      const CellKey child = detail::child_key(corner, level, i);
      if (is(views.inside) && views.far_z[k] < range.low) free(child, level - 1);
      else if (level - 1 > detail::kBrickLevel) run(child, level - 1);
      else mixed(child, range);
    }
  }

  /// The bricks with hits that no cube came by.
  void rest() {
    const BrickBits none{};
    for (std::uint32_t i = 0; i < done_.size(); ++i) {
      if (done_[i] == 0) change(hits_.bricks()[i], none, &hits_[i].hits);
    }
  }

 private:
  Vec3 center_of(const CellKey& corner, double half) const {
    return (Vec3(corner.x, corner.y, corner.z).array() + half) * view_.resolution;
  }

  void free(const CellKey& corner, int level) {
    if (level == detail::kBrickLevel) {
      brick(corner, map::kAllBits);
      return;
    }
    for (int i = 0; i < 8; ++i) free(detail::child_key(corner, level, i), level - 1);
  }

  void mixed(const CellKey& corner, const map::LimitRange& range) {
    BrickBits cleared;
    clear_brick(view_, view_.seen(center_of(corner, 0.5)), view_.seen(center_of(corner, 4)), range, cleared);
    brick(corner, cleared);
  }

  void brick(const CellKey& corner, const BrickBits& cleared) {
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
    for (std::size_t w = 0; w < 8; ++w) cleared[w] &= ~(*hits)[w];
    const std::size_t missed = map::count_of(cleared), hit = hits == &kNone ? 0 : map::count_of(*hits);
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

void measure(const DepthImage& image, map::CameraTable& table) {
  const std::array<double, 5> of{image.fx, image.fy, image.cx, image.cy, image.max_range};
  const auto width = static_cast<std::size_t>(image.width);
  if (table.of == of && table.columns.size() == width && table.farthest.size() == image.depths.size()) return;
  table.of = of;
  table.columns.clear();  // the table counts from when they are there
  table.farthest.resize(image.depths.size());
  table.within.resize(image.depths.size());
  table.columns.resize(width);
  for (std::size_t u = 0; u < width; ++u) table.columns[u] = (static_cast<double>(u) - image.cx) / image.fx;
  for (int v = 0; v < image.height; ++v) {
    measure_row(table, static_cast<std::size_t>(v) * width, (v - image.cy) / image.fy);
  }
}

/// All that a view depends on but its limits.
void aim(const DepthImage& image, double resolution, map::DepthView& view) {
  view.width = image.width, view.height = image.height;
  view.fx = static_cast<float>(image.fx), view.fy = static_cast<float>(image.fy);
  view.cx = static_cast<float>(image.cx), view.cy = static_cast<float>(image.cy);
  const auto size = [](float center, int pixels) { return std::abs(center) + static_cast<float>(pixels); };
  view.slack = 0.01F + 1e-6F * std::max(size(view.cx, view.width), size(view.cy, view.height));
  view.origin = image.pose.translation();
  view.resolution = resolution;
  for (std::size_t i = 0; i < 9; ++i) {
    view.to_camera[i] = static_cast<float>(image.pose.rotation()(static_cast<int>(i % 3), static_cast<int>(i / 3)));
  }
  const auto moved = [&](std::size_t a, unsigned cell) {
    const CellKey cells = map::cell_of_brick({}, cell);
    return static_cast<float>((double{view.to_camera[3 * a]} * cells.x + double{view.to_camera[3 * a + 1]} * cells.y +
                               double{view.to_camera[3 * a + 2]} * cells.z) *
                              resolution);
  };
  for (std::size_t a = 0; a < 3; ++a) {
    for (unsigned i = 0; i < 512; ++i) view.octets[a][i] = (i & 7U) == 0 ? moved(a, i) : view.octets[a][i - 1];
    for (unsigned i = 0; i < 16; ++i) view.cells[a][i] = moved(a, i & 7U);
  }
  view.limits.resize(image.depths.size());
}

/// Reads the pixels: limits of the view, and hits.
template <class State>
void mark_hits(const DepthImage& image, State& s, map::SelfFilter& filter, InsertReport& report) {
  const double resolution = s.options.resolution;
  map::DepthView& view = s.depth.view;
  const auto width = static_cast<std::size_t>(image.width);
  measure(image, s.depth.camera);
  aim(image, resolution, view);
  map::DepthRow& row = s.depth.row;
  row.resize(width);
  row.columns = s.depth.camera.columns.data();
  for (std::size_t i = 0; i < 9; ++i) {
    row.rotation[i] = image.pose.rotation()(static_cast<int>(i / 3), static_cast<int>(i % 3));
  }
  for (std::size_t a = 0; a < 3; ++a) row.origin[a] = image.pose.translation()[static_cast<int>(a)];
  row.resolution = resolution;
  row.margin = static_cast<float>(kHalfDiagonal * resolution);
  row.no_return_range = image.no_return == NoReturn::clear ? static_cast<float>(image.max_range) : 0;
  row.no_return = row.cut = row.too_far = 0;

  CellKey last_brick{1, 0, 0};  // no brick starts there
  std::uint32_t index = 0;
  std::size_t v = 0;  // the row in the image
  for (std::size_t first = 0; first < image.depths.size(); first += width, ++v) {
    row.depths = image.depths.data() + first;
    row.farthest = s.depth.camera.farthest.data() + first;
    row.within = s.depth.camera.within.data() + first;
    row.y = (static_cast<double>(v) - image.cy) / image.fy;
    row.limits = view.limits.data() + first;
    map::read_row(row);
    for (std::size_t byte = 0; 8 * byte < width; ++byte) {
      for (unsigned bits = row.hits[byte]; bits != 0; bits &= bits - 1) {
        const std::size_t u = 8 * byte + static_cast<std::size_t>(std::countr_zero(bits));
        if (!image.filter.empty()) {
          const double z = double{row.depths[u]};
          if (filter.removes(image.pose * Vec3(row.columns[u] * z, row.y * z, z))) {
            row.limits[u] = 0;
            continue;
          }
        }
        ++report.hits;
        const CellKey cell{row.key[0][u], row.key[1][u], row.key[2][u]};
        const CellKey brick = detail::corner_of(cell, detail::kBrickLevel);
        if (!(brick == last_brick)) index = s.marks.brick(brick);
        last_brick = brick;
        const unsigned bit = map::cell_in_brick(cell.x, cell.y, cell.z);
        s.marks[index].hits[bit >> 6U] |= std::uint64_t{1} << (bit & 63U);
      }
    }
  }
  report.no_return = row.no_return, report.cut = row.cut, report.too_far = row.too_far;
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
  mark_hits(image, s, filter, report);
  s.check_memory();

  s.depth.pyramid.build(s.depth.view.limits, image.width, image.height);
  // The box around all that is cleared: the camera, and the corners of the image at the largest limit.
  const float farthest = s.depth.pyramid.highest();
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
