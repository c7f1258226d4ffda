// Top-down division by the surface area heuristic over bins (Wald 2007), straight into nodes of eight.
#include <Eigen/Core>
#include <vector>

#include "graze/base/parallel.h"
#include "index/bvh_data.h"

namespace graze::bvh {
namespace {

// Four numbers in one register of any x86-64 or ARM; maxima and differences round alike everywhere.
using Four = Eigen::Array4f;

constexpr std::size_t kBins = 16;
// Larger parts are divided one after the other, parts below this size on several threads.
constexpr std::size_t kTaskSize = 4096, kTasks = 64;

// Bounds kept in registers. min is negated, so that both grow by Max.
struct Grow {
  Four low = Four::Constant(-Box::kFar), high = Four::Constant(-Box::kFar);
  void add(const Four& negated_min, const Four& max) { low = low.max(negated_min), high = high.max(max); }
  void add(const Grow& other) { add(other.low, other.high); }
  Box box() const {
    Box b;
    for (int i = 0; i < 3; ++i) b.min[i] = -low[i], b.max[i] = high[i];
    return b;
  }
  // The same on every machine: plain arithmetic on the four numbers.
  float half_area() const { return box().half_area(); }
};

struct Item {
  alignas(16) float min[4];  // negated
  alignas(16) float max[4];
  std::uint32_t index;
};

Eigen::Map<const Four, Eigen::Aligned16> four(const float (&numbers)[4]) {
  return Eigen::Map<const Four, Eigen::Aligned16>(numbers);
}

struct Part {
  std::size_t first = 0, last = 0;
  Grow bounds, centers;  // centers: of twice the centres
  std::size_t count() const { return last - first; }
};

struct Leaf {
  std::size_t first, last;
};

// A part whose subtree is made later, and where it belongs.
struct Task {
  Part part;
  std::size_t node, lane, level;
};

struct Subtree {
  std::vector<Node> nodes;
  std::vector<Leaf> leaves;
};

double leaves_for(std::size_t count) {
  const std::size_t leaves = (count + kWidth - 1) / kWidth;
  return static_cast<double>(leaves);
}

class Builder {
 public:
  Builder(Item* items, Subtree& into, float rounding, std::size_t task_size, std::vector<Task>* tasks)
      : items_(items), into_(into), rounding_(rounding), task_size_(task_size), tasks_(tasks) {}

  std::uint32_t node(const Part& part, std::size_t level) {
    const auto index = static_cast<std::uint32_t>(into_.nodes.size());
    into_.nodes.emplace_back().clear();
    std::array<Part, kWidth> parts;
    std::size_t count = 1;
    parts[0] = part;
    while (count < kWidth) {
      std::size_t widest = kWidth;
      float area = -1;
      for (std::size_t i = 0; i < count; ++i) {
        if (parts[i].count() <= kWidth) continue;
        // Parts that must be halved by count are: the largest first.
        const float a = level < kCostLevels ? parts[i].bounds.half_area() : static_cast<float>(parts[i].count());
        if (a > area) area = a, widest = i;
      }
      if (widest == kWidth) break;
      divide(parts[widest], parts[count], level);
      ++count;
    }
    for (std::size_t i = 0; i < count; ++i) {
      Box box = parts[i].bounds.box();
      for (int k = 0; k < 3; ++k) box.min[k] -= rounding_, box.max[k] += rounding_;
      std::uint32_t child = kNone;
      if (parts[i].count() <= kWidth) {
        child = kLeafBit | static_cast<std::uint32_t>(into_.leaves.size());
        into_.leaves.push_back({parts[i].first, parts[i].last});
      } else if (tasks_ != nullptr && parts[i].count() <= task_size_) {
        tasks_->push_back({parts[i], index, i, level + 1});
      } else {
        child = node(parts[i], level + 1);
      }
      into_.nodes[index].set(i, box, child);
    }
    return index;
  }

 private:
  // Leaves the lower part in `part`, gives the upper one to `other`; neither is empty.
  void divide(Part& part, Part& other, std::size_t level) {
    const Four low = -part.centers.low, high = part.centers.high;
    int axis = 0;
    for (int i = 1; i < 3; ++i) {
      if (high[i] - low[i] > high[axis] - low[axis]) axis = i;
    }
    const float width = high[axis] - low[axis];
    const float scale = static_cast<float>(kBins) * (1 - 1e-5F) / width;
    if (level >= kCostLevels || !(width > 0) || !(scale < Box::kFar)) {
      halve(part, other, axis);
      return;
    }

    std::array<Grow, kBins> bins;
    std::array<std::size_t, kBins> counts{};
    const auto bin_of = [&](const Item& item) {
      return static_cast<std::size_t>(static_cast<std::int32_t>((item.max[axis] - item.min[axis] - low[axis]) * scale));
    };
    for (std::size_t i = part.first; i < part.last; ++i) {
      const std::size_t bin = bin_of(items_[i]);
      bins[bin].add(four(items_[i].min), four(items_[i].max));
      ++counts[bin];
    }
    // The cost of everything above each border, then below it.
    std::array<double, kBins> above{};
    Grow grow;
    std::size_t count = 0;
    for (std::size_t i = kBins - 1; i > 0; --i) {
      grow.add(bins[i]), count += counts[i];
      above[i] = count > 0 ? static_cast<double>(grow.half_area()) * leaves_for(count) : 0;
    }
    double best = kInfinity;
    std::size_t border = 0;
    grow = {}, count = 0;
    for (std::size_t i = 1; i < kBins; ++i) {
      grow.add(bins[i - 1]), count += counts[i - 1];
      if (count == 0 || count == part.count()) continue;
      const double cost = static_cast<double>(grow.half_area()) * leaves_for(count) + above[i];
      if (cost < best) best = cost, border = i;
    }
    if (border == 0) {
      halve(part, other, axis);
      return;
    }
    Part lower, upper;
    std::size_t i = part.first, j = part.last;
    while (i < j) {
      const Item item = items_[i];
      if (bin_of(item) < border) {
        lower.bounds.add(four(item.min), four(item.max));
        add_center(lower, item);
        ++i;
      } else {
        upper.bounds.add(four(item.min), four(item.max));
        add_center(upper, item);
        items_[i] = items_[--j];
        items_[j] = item;
      }
    }
    lower.first = part.first, lower.last = i;
    upper.first = i, upper.last = part.last;
    part = lower, other = upper;
  }

  // By count: ties of the centres by index, so that equal boxes are divided too.
  void halve(Part& part, Part& other, int axis) {
    const std::size_t middle = part.first + part.count() / 2;
    std::nth_element(items_ + part.first, items_ + middle, items_ + part.last, [axis](const Item& a, const Item& b) {
      const float x = a.max[axis] - a.min[axis], y = b.max[axis] - b.min[axis];
      return x < y || (x == y && a.index < b.index);
    });
    other = measured(middle, part.last);
    part = measured(part.first, middle);
  }

  Part measured(std::size_t first, std::size_t last) const {
    Part part;
    part.first = first, part.last = last;
    for (std::size_t i = first; i < last; ++i) {
      part.bounds.add(four(items_[i].min), four(items_[i].max));
      add_center(part, items_[i]);
    }
    return part;
  }

  static void add_center(Part& part, const Item& item) {
    const Four center = four(item.max) - four(item.min);
    part.centers.add(-center, center);
  }

  Item* items_;
  Subtree& into_;
  float rounding_;
  std::size_t task_size_;
  std::vector<Task>* tasks_;
};

// Copies a subtree behind what is there; its references are moved by as much.
void append(Tree& tree, const Subtree& from, std::size_t first_node, std::size_t first_leaf, const Item* items) {
  for (std::size_t i = 0; i < from.nodes.size(); ++i) {
    Node& node = tree.nodes[first_node + i] = from.nodes[i];
    for (std::uint32_t& child : node.child) {
      if (child == kNone) break;
      child += static_cast<std::uint32_t>((child & kLeafBit) != 0 ? first_leaf : first_node);
    }
  }
  for (std::size_t i = 0; i < from.leaves.size(); ++i) {
    std::uint32_t* slots = &tree.order[kWidth * (first_leaf + i)];
    const Leaf& leaf = from.leaves[i];
    for (std::size_t k = 0; k < kWidth; ++k) {
      slots[k] = leaf.first + k < leaf.last ? items[leaf.first + k].index : kNone;
    }
  }
}

double cost_of(const Tree& tree) {
  double sum = 0;
  for (const Node& node : tree.nodes) {
    for (std::size_t k = 0; k < kWidth && node.child[k] != kNone; ++k)
      sum += static_cast<double>(node.box(k).half_area());
  }
  const double all = static_cast<double>(tree.root.half_area());
  return all > 0 ? sum / all : 0;
}

Box union_of(const Node& node) {
  Box box;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t k = 0; k < kWidth; ++k) {  // lanes without a child are empty
      box.min[i] = std::min(box.min[i], node.min[i][k]);
      box.max[i] = std::max(box.max[i], node.max[i][k]);
    }
  }
  return box;
}

}  // namespace

Tree Tree::copy() const {
  Tree t;
  t.nodes.resize(nodes.size());
  std::copy(nodes.begin(), nodes.end(), t.nodes.begin());
  t.order.resize(order.size());
  std::copy(order.begin(), order.end(), t.order.begin());
  t.leaves = leaves, t.size = size, t.origin = origin, t.rounding = rounding, t.root = root;
  t.cost = cost, t.cost_at_build = cost_at_build;
  return t;
}

void build(Tree& tree, std::span<const Box> boxes, int threads) {
  tree.size = boxes.size();
  tree.leaves = 0;
  tree.nodes.clear(), tree.order.clear();
  tree.root = {};
  tree.cost = tree.cost_at_build = 0;
  if (boxes.empty()) return;

  Buffer<Item> items;
  items.resize(boxes.size());
  Part all;
  all.last = boxes.size();
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    Item& item = items[i];
    for (int k = 0; k < 4; ++k) item.min[k] = -boxes[i].min[k], item.max[k] = boxes[i].max[k];
    item.index = static_cast<std::uint32_t>(i);
    all.bounds.add(four(item.min), four(item.max));
    const Four center = four(item.max) - four(item.min);
    all.centers.add(-center, center);
  }

  // The top, then the parts below it: which parts there are depends on the count alone.
  Subtree top;
  std::vector<Task> tasks;
  Builder(items.data(), top, tree.rounding, std::max(kTaskSize, boxes.size() / kTasks), &tasks).node(all, 0);
  std::vector<Subtree> below(tasks.size());
  parallel_for(tasks.size(),
               [&](std::size_t i) {
                 below[i].nodes.reserve(tasks[i].part.count() / 16);
                 below[i].leaves.reserve(tasks[i].part.count() / 4);
                 Builder(items.data(), below[i], tree.rounding, 0, nullptr).node(tasks[i].part, tasks[i].level);
               },
               {.threads = threads, .grain = 1});

  std::size_t nodes = top.nodes.size(), leaves = top.leaves.size();
  std::vector<std::size_t> first_node, first_leaf;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    first_node.push_back(nodes), first_leaf.push_back(leaves);
    top.nodes[tasks[i].node].child[tasks[i].lane] = static_cast<std::uint32_t>(nodes);
    nodes += below[i].nodes.size(), leaves += below[i].leaves.size();
  }
  tree.leaves = leaves;
  tree.nodes.resize(nodes);
  tree.order.resize(kWidth * leaves);
  append(tree, top, 0, 0, items.data());
  parallel_for(tasks.size(), [&](std::size_t i) { append(tree, below[i], first_node[i], first_leaf[i], items.data()); },
               {.threads = threads, .grain = 1});
  tree.root = union_of(tree.nodes[0]);
  tree.cost = tree.cost_at_build = cost_of(tree);
}

void refit(Tree& tree, std::span<const Box> leaf_boxes, Buffer<Box>& scratch) {
  scratch.resize(tree.nodes.size());
  for (std::size_t i = tree.nodes.size(); i-- > 0;) {
    Node& node = tree.nodes[i];
    for (std::size_t k = 0; k < kWidth && node.child[k] != kNone; ++k) {
      const std::uint32_t child = node.child[k];
      Box box = (child & kLeafBit) != 0 ? leaf_boxes[child & ~kLeafBit] : scratch[child];
      if ((child & kLeafBit) != 0) {
        for (int axis = 0; axis < 3; ++axis) box.min[axis] -= tree.rounding, box.max[axis] += tree.rounding;
      }
      node.set(k, box, child);
    }
    scratch[i] = union_of(node);
  }
  if (!tree.nodes.empty()) tree.root = scratch[0];
  tree.cost = cost_of(tree);
}

}  // namespace graze::bvh
