#include "clearance/field_mark.h"

#include <algorithm>

namespace graze::clearance {
namespace {

class Marker {
 public:
  Marker(const CellGrid& grid, std::span<std::int16_t> cells) : grid_(grid), cells_(cells) {}

  void point(const Vec3& p) {
    std::int32_t at[3];
    for (int i = 0; i < 3; ++i) at[i] = std::clamp(grid_.cell(i, p[grid_.axis[i]]), 0, grid_.count[i] - 1);
    cells_[grid_.index(at[0], at[1], at[2])] = 0;
  }

  // Halves the longest edge until few cells are left around it.
  void triangle(const Vec3& a, const Vec3& b, const Vec3& c) {
    struct Part {
      Vec3 a, b, c;
    };
    Part stack[128];  // an edge halves with each division by two: 40 levels reach any cell
    std::size_t size = 0;
    stack[size++] = {a, b, c};
    while (size > 0) {
      const Part part = stack[--size];
      Aabb box{part.a, part.a};
      box.extend(part.b).extend(part.c);
      const bool small = ((box.max - box.min).array() <= grid_.edge).all();
      if (small || size + 2 > 128) {
        range(box);
        continue;
      }
      const double ab = (part.b - part.a).squaredNorm(), bc = (part.c - part.b).squaredNorm(),
                   ca = (part.a - part.c).squaredNorm();
      if (ab >= bc && ab >= ca) {
        const Vec3 middle = (part.a + part.b) / 2;
        stack[size++] = {part.a, middle, part.c};
        stack[size++] = {middle, part.b, part.c};
      } else if (bc >= ca) {
        const Vec3 middle = (part.b + part.c) / 2;
        stack[size++] = {part.a, part.b, middle};
        stack[size++] = {part.a, middle, part.c};
      } else {
        const Vec3 middle = (part.c + part.a) / 2;
        stack[size++] = {part.a, part.b, middle};
        stack[size++] = {middle, part.b, part.c};
      }
    }
  }

  // Divides a block of cells by the shape's distance from its middle.
  void shape(const ModelData& model, std::size_t slot, const Aabb& box) {
    struct Block {
      std::int32_t low[3], high[3];  // cells, both included
    };
    std::vector<Block> stack{{}};
    for (int i = 0; i < 3; ++i) {
      stack[0].low[i] = std::clamp(grid_.cell(i, box.min[grid_.axis[i]]), 0, grid_.count[i] - 1);
      stack[0].high[i] = std::clamp(grid_.cell(i, box.max[grid_.axis[i]]), 0, grid_.count[i] - 1);
    }
    while (!stack.empty()) {
      const Block block = stack.back();
      stack.pop_back();
      Vec3 middle;
      double half = 0;
      int longest = 0;
      for (int i = 0; i < 3; ++i) {
        const double extent = grid_.edge * (block.high[i] - block.low[i] + 1);
        middle[grid_.axis[i]] = grid_.origin[grid_.axis[i]] + grid_.edge * block.low[i] + extent / 2;
        half += extent * extent / 4;
        if (block.high[i] - block.low[i] > block.high[longest] - block.low[longest]) longest = i;
      }
      half = std::sqrt(half) * (1 + 1e-9);
      const double value = model.core_reach(slot, middle).value;
      if (value > half) continue;
      if (value < -half || block.high[longest] == block.low[longest]) {
        fill(block.low, block.high);
        continue;
      }
      Block lower = block, upper = block;
      lower.high[longest] = block.low[longest] + (block.high[longest] - block.low[longest]) / 2;
      upper.low[longest] = lower.high[longest] + 1;
      stack.push_back(lower);
      stack.push_back(upper);
    }
  }

  // Cells that no triangle touches are inside or outside as a whole, and so are runs of them.
  void inside(const Mesh& mesh) {
    for (std::int32_t i = 0; i < grid_.count[0]; ++i) {
      for (std::int32_t j = 0; j < grid_.count[1]; ++j) {
        bool fresh = true, within = false;
        for (std::int32_t k = 0; k < grid_.count[2]; ++k) {
          std::int16_t& cell = cells_[grid_.index(i, j, k)];
          if (cell == 0) {
            fresh = true;
            continue;
          }
          if (fresh) within = mesh.winding(middle(i, j, k)) != 0;
          fresh = false;
          if (within) inside_.push_back(grid_.index(i, j, k));
        }
      }
    }
    for (const std::size_t index : inside_) cells_[index] = 0;
  }

 private:
  Vec3 middle(std::int32_t i, std::int32_t j, std::int32_t k) const {
    Vec3 p;
    p[grid_.axis[0]] = grid_.origin[grid_.axis[0]] + grid_.edge * (i + 0.5);
    p[grid_.axis[1]] = grid_.origin[grid_.axis[1]] + grid_.edge * (j + 0.5);
    p[grid_.axis[2]] = grid_.origin[grid_.axis[2]] + grid_.edge * (k + 0.5);
    return p;
  }
  void range(const Aabb& box) {
    std::int32_t low[3], high[3];
    for (int i = 0; i < 3; ++i) {
      low[i] = std::clamp(grid_.cell(i, box.min[grid_.axis[i]]), 0, grid_.count[i] - 1);
      high[i] = std::clamp(grid_.cell(i, box.max[grid_.axis[i]]), 0, grid_.count[i] - 1);
    }
    fill(low, high);
  }
  void fill(const std::int32_t* low, const std::int32_t* high) {
    for (std::int32_t i = low[0]; i <= high[0]; ++i) {
      for (std::int32_t j = low[1]; j <= high[1]; ++j) {
        for (std::int32_t k = low[2]; k <= high[2]; ++k) cells_[grid_.index(i, j, k)] = 0;
      }
    }
  }

  const CellGrid& grid_;
  std::span<std::int16_t> cells_;
  std::vector<std::size_t> inside_;
};

}  // namespace

void mark_cells(const ModelData& model, const CellGrid& grid, std::span<std::int16_t> cells) {
  Marker marker(grid, cells);
  for (std::size_t slot = 0; slot < model.tree->order.size(); ++slot) {
    const std::uint32_t element = model.tree->order[slot];
    if (element == bvh::kNone) continue;
    switch (model.kind) {
      case Kind::points:
        marker.point(model.slots[slot]);
        break;
      case Kind::triangles: {
        const mesh::Data& d = data_of(model.mesh);
        marker.triangle(d.corner(element, 0), d.corner(element, 1), d.corner(element, 2));
        break;
      }
      case Kind::shapes:
        marker.shape(model, slot, bounds(model.shapes[element].geometry, model.shapes[element].pose));
        break;
      case Kind::none:
      case Kind::frames:  // these have no parts of their own
        break;
    }
  }
  if (model.solid()) marker.inside(model.mesh);
}

}  // namespace graze::clearance
