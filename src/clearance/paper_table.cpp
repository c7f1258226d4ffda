#include "clearance/paper_table.h"

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "clearance/paper_table.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "base/mask_bits-inl.h"
#include "graze/base/elementary.h"

HWY_BEFORE_NAMESPACE();
namespace graze::clearance {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using graze::HWY_NAMESPACE::mask_bits;

void look_up(const PaperTable::View& table, const LeafMotion& motion, const LeafPoints& points, std::uint32_t active,
             std::uint32_t& in, std::uint32_t& depends) {
  const hn::CappedTag<float, 16> d;
  const hn::RebindToSigned<decltype(d)> di;
  const std::size_t width = hn::Lanes(d);
  in = depends = 0;
  const auto inverse = hn::Set(d, table.inverse);
  const auto before = hn::Set(di, -1), zero = hn::Zero(di);
  for (std::size_t first = 0; first < kLeaf; first += width) {
    const std::uint32_t lanes = active >> first & ((1U << width) - 1U);
    if (lanes == 0) continue;
    const auto px = hn::Load(d, points.of[0] + first), py = hn::Load(d, points.of[1] + first),
               pz = hn::Load(d, points.of[2] + first);
    const auto cell = [&](int i) HWY_ATTR {
      auto sum = hn::Mul(hn::Set(d, motion.turn[i][0]), px);
      sum = hn::Add(sum, hn::Mul(hn::Set(d, motion.turn[i][1]), py));
      sum = hn::Add(sum, hn::Mul(hn::Set(d, motion.turn[i][2]), pz));
      const auto c = hn::Floor(hn::Mul(hn::Add(sum, hn::Set(d, motion.center[i])), inverse));
      return hn::ConvertTo(di, hn::Max(hn::Set(d, -1e6F), hn::Min(c, hn::Set(d, 1e6F))));
    };
    const auto x = cell(0), y = cell(1), z = cell(2);
    const auto inside = [&](auto c, int i)
                            HWY_ATTR { return hn::And(hn::Gt(c, before), hn::Gt(hn::Set(di, table.count[i]), c)); };
    const auto ok = hn::And(inside(x, 0), hn::And(inside(y, 1), inside(z, 2)));
    const auto row = hn::Add(hn::Mul(x, hn::Set(di, table.count[1])), y);
    const auto at = hn::IfThenElseZero(ok, hn::Add(hn::Mul(row, hn::Set(di, table.count[2])), z));
    const auto found = hn::IfThenElseZero(ok, hn::GatherIndex(di, table.cells, at));
    const auto mask = [&](auto m) HWY_ATTR { return mask_bits(di, m) & lanes; };
    in |= mask(hn::Gt(zero, found)) << first;
    depends |= mask(hn::Gt(found, zero)) << first;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace graze::clearance
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace graze::clearance {
namespace {

constexpr double kMaxCells = 24e6, kMaxEntries = 64e6;

}  // namespace

HWY_EXPORT(look_up);

template <class Visit>
void PaperTable::for_each_cell(const Vec3& p, Visit&& visit) const {
  const double reach = radius_ + sure_, out = reach * reach, inside = (radius_ - sure_) * (radius_ - sure_);
  std::int32_t low[3], high[3];
  for (int i = 0; i < 3; ++i) {
    low[i] = std::max(0, static_cast<std::int32_t>(std::floor((p[i] - reach - origin_[i]) / edge_)));
    high[i] = std::min(count_[i] - 1, static_cast<std::int32_t>(std::floor((p[i] + reach - origin_[i]) / edge_)));
  }
  // Squared distance to the nearest and to the farthest place of a cell, axis by axis.
  const auto along = [&](int axis, std::int32_t c, double& near, double& far) {
    const double begin = origin_[axis] + edge_ * c - p[axis], end = begin + edge_;
    const double n = begin > 0 ? begin : end < 0 ? -end : 0, f = std::max(std::abs(begin), std::abs(end));
    near = n * n;
    far = f * f;
  };
  for (std::int32_t i = low[0]; i <= high[0]; ++i) {
    double nx = 0, fx = 0, ny = 0, fy = 0, nz = 0, fz = 0;
    along(0, i, nx, fx);
    for (std::int32_t j = low[1]; j <= high[1]; ++j) {
      along(1, j, ny, fy);
      if (nx + ny > out) continue;
      const std::size_t row =
          (static_cast<std::size_t>(i) * static_cast<std::size_t>(count_[1]) + static_cast<std::size_t>(j)) *
          static_cast<std::size_t>(count_[2]);
      for (std::int32_t k = low[2]; k <= high[2]; ++k) {
        along(2, k, nz, fz);
        if (nx + ny + nz <= out) visit(row + static_cast<std::size_t>(k), radius_ > sure_ && fx + fy + fz < inside);
      }
    }
  }
}

PaperTable::PaperTable(std::span<const Vec3> model, const Aabb& bounds, double radius) : radius_(radius) {
  const Vec3 extent = bounds.max - bounds.min;
  edge_ = radius / 2;
  const auto cells = [&] { return ((extent.array() + 2 * radius) / edge_ + 3).prod(); };
  while (cells() > kMaxCells) edge_ *= 1.1;
  const double per_point = elementary::pow(2 * radius / edge_ + 2, 3);
  // Cells wider than this hold too many points each to be of use.
  if (edge_ > 2 * radius || per_point * static_cast<double>(model.size()) > kMaxEntries) return;
  sure_ = 8e-6 * (extent.maxCoeff() + 4 * radius);
  origin_ = bounds.min.array() - (radius + sure_ + edge_);
  for (int i = 0; i < 3; ++i) {
    count_[i] = static_cast<std::int32_t>(std::ceil((extent[i] + 2 * (radius + sure_)) / edge_)) + 3;
  }
  cells_.assign(
      static_cast<std::size_t>(count_[0]) * static_cast<std::size_t>(count_[1]) * static_cast<std::size_t>(count_[2]),
      0);
  for (const Vec3& p : model) {
    for_each_cell(p, [&](std::size_t cell, bool in) {
      if (in) {
        cells_[cell] = kIn;
      } else if (cells_[cell] >= 0) {
        ++cells_[cell];
      }
    });
  }
  begins_.push_back(0);
  for (std::int32_t& cell : cells_) {
    if (cell <= 0) continue;
    begins_.push_back(begins_.back() + static_cast<std::uint32_t>(cell));
    cell = static_cast<std::int32_t>(begins_.size() - 1);
  }
  lists_.resize(begins_.back());
  std::vector<std::uint32_t> place(begins_.begin(), begins_.end() - 1);
  for (std::size_t i = 0; i < model.size(); ++i) {
    for_each_cell(model[i], [&](std::size_t cell, bool) {
      if (cells_[cell] > 0) lists_[place[static_cast<std::size_t>(cells_[cell] - 1)]++] = static_cast<std::uint32_t>(i);
    });
  }
  view_ = {static_cast<float>(1 / edge_), {count_[0], count_[1], count_[2]}, cells_.data()};
}

void PaperTable::classify(const LeafMotion& motion, const LeafPoints& points, std::uint32_t active, std::uint32_t& in,
                          std::uint32_t& depends) const {
  HWY_DYNAMIC_DISPATCH(look_up)(view_, motion, points, active, in, depends);
}

LeafMotion PaperTable::place(const Knot& knot, const Vec3& p, double radius) const {
  const Vec3 center = knot.to_model(p) - origin_;
  LeafMotion motion{};
  motion.slack = static_cast<float>(1e-6 * (center.cwiseAbs().maxCoeff() + radius));
  for (int i = 0; i < 3; ++i) {
    motion.center[i] = static_cast<float>(center[i]);
    for (int k = 0; k < 3; ++k) motion.turn[i][k] = static_cast<float>(knot.inverse(i, k));
  }
  return motion;
}

std::int32_t PaperTable::cell(const Vec3& place) const {
  std::size_t at = 0;
  for (int i = 0; i < 3; ++i) {
    const double c = std::floor((place[i] - origin_[i]) / edge_);
    if (!(c >= 0 && c < count_[i])) return 0;
    at = at * static_cast<std::size_t>(count_[i]) + static_cast<std::size_t>(c);
  }
  return cells_[at];
}

}  // namespace graze::clearance
#endif
