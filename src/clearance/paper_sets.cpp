#include <algorithm>
#include <atomic>

#include "clearance/paper_engine.h"
#include "clearance/scan_walk.h"
#include "graze/base/error.h"
#include "graze/index/kd_tree.h"
#include "index/bvh_walk.h"
#include "motion/halves.h"
#include "motion/pose_walk.h"

namespace graze::clearance {
namespace {

// What decides, as the naive loops have it.
bool near_point(const Vec3& p, const Vec3& w, double radius) { return (p - w).squaredNorm() < radius * radius; }
bool near_segment(const Vec3& p, const Vec3& from, const Vec3& to, double radius) {
  const Vec3 segment = to - from, off = p - from;
  const double square = segment.squaredNorm();
  const double t = square > 0 ? std::clamp(off.dot(segment) / square, 0.0, 1.0) : 0.0;
  return (p - (from + t * segment)).squaredNorm() < radius * radius;
}

class PaperWorker {
 public:
  PaperWorker(const PaperEngine& engine, std::span<const Vec3> scan, const ScanIndex& index,
              std::span<std::uint8_t> hits)
      : e_(engine),
        data_(data_of(engine.model)),
        scan_(scan),
        hits_(hits),
        walk_(e_.tree, e_.field, index, scan, {.max_distance = (e_.radius + extra()) * (1 + 1e-6)}) {}

  void run(std::size_t level, std::size_t i) {
    walk_.run(level, i, [&](const ScanLeaf& leaf, std::span<const std::uint32_t> list) { decide(leaf, list); });
  }

 private:
  static constexpr std::uint32_t kFew = 4;  // poses that are looked up one by one
  struct Part {
    std::uint32_t node, lanes;
  };

  // A straight segment of the paper leaves the arc of the motion by so much.
  double extra() const { return e_.segments ? e_.tree.node(PoseTree::kRoot).sag * data_of(e_.model).reach : 0; }

  void decide(const ScanLeaf& leaf, std::span<const std::uint32_t> list) {
    leaf_ = &leaf;
    open_ = leaf.all();
    for (const std::uint32_t interval : list) {
      if (open_ == 0) break;
      descend(interval);
    }
    for (std::uint32_t hit = leaf.all() & ~open_; hit != 0; hit &= hit - 1) {
      hits_[leaf.points[static_cast<std::size_t>(__builtin_ctz(hit))]] = 1;
    }
  }

  void descend(std::uint32_t interval) {
    const auto max_distance = static_cast<float>((e_.radius + extra()) * (1 + 1e-6));
    motion::halve<PoseTree::kMaxDepth>(Part{interval, open_}, [&](const Part& part, Part& first, Part& second) {
      std::uint32_t lanes = part.lanes & open_;
      if (lanes == 0) return false;
      const PoseNode& node = e_.tree.node(part.node);
      const std::uint32_t steps = node.last - node.first;
      lanes &= near(node, lanes, max_distance);
      if (lanes == 0) return false;
      if (steps <= kFew) {
        poses(node, lanes);
        if (e_.segments) segments(part.node, lanes & open_);
        return false;
      }
      // Who is deep inside at some pose need not be asked for the others.
      std::uint32_t in = 0, depends = 0;
      classify(e_.tree.node(node.left).last, lanes, in, depends);
      open_ &= ~in;
      first = {node.left, lanes}, second = {node.right, lanes};
      return true;
    });
  }

  std::uint32_t near(const PoseNode& node, std::uint32_t lanes, float max_distance) {
    const LeafMotion motion = e_.field.motion(e_.tree, node, leaf_->node->center, leaf_->node->radius);
    e_.field.lane_bounds(motion, leaf_->lanes, lanes, bounds_);
    std::uint32_t within = 0;
    for (std::uint32_t k = 0; k < kLeaf; ++k) within |= std::uint32_t{bounds_[k] <= max_distance} << k;
    return within & lanes;
  }

  void classify(std::uint32_t knot, std::uint32_t lanes, std::uint32_t& in, std::uint32_t& depends) {
    in = 0;
    depends = lanes;
    if (e_.table.empty()) return;
    const LeafMotion motion = e_.table.place(e_.tree.knot(knot), leaf_->node->center, leaf_->node->radius);
    if (double{motion.slack} > e_.table.sure()) return;
    e_.table.classify(motion, leaf_->lanes, lanes, in, depends);
  }

  // The poses of an interval but the last, which is the next one's first; unless there is none.
  void poses(const PoseNode& node, std::uint32_t lanes) {
    const std::uint32_t end = node.last + 1 == e_.tree.knots().size() ? node.last + 1 : node.last;
    for (std::uint32_t knot = node.first; knot < end && lanes != 0; ++knot) {
      std::uint32_t in = 0, depends = 0;
      classify(knot, lanes, in, depends);
      open_ &= ~in;
      if (!e_.segments) {
        for (std::uint32_t rest = depends & open_; rest != 0; rest &= rest - 1) {
          const auto lane = static_cast<std::uint32_t>(__builtin_ctz(rest));
          if (at_pose(scan_[leaf_->points[lane]], knot)) open_ &= ~(1U << lane);
        }
      }
      lanes &= open_;
    }
  }

  bool at_pose(const Vec3& p, std::uint32_t knot) const {
    const Vec3 q = e_.tree.knot(knot).to_model(p);
    const double r = e_.radius, doubt = 2 * r * e_.doubt(p) + 1e-300, square = r * r;
    const Pose& pose = e_.path[std::min<std::size_t>(knot, e_.path.size() - 1)];
    const auto decided = [&](const Vec3& m) {
      const double over = (q - m).squaredNorm() - square;
      return std::abs(over) > doubt ? over < 0 : near_point(p, pose * m, r);
    };
    if (e_.table.empty()) {
      bool found = false;
      const double max_distance = r + e_.doubt(p);
      const Knot& at = e_.tree.knot(knot);
      visit_near(at.to_model(p), max_distance, [&](std::size_t slot) { return !(found = decided(data_.slots[slot])); });
      return found;
    }
    const std::int32_t cell = e_.table.cell(q);
    if (cell <= 0) return cell == PaperTable::kIn;
    const auto list = e_.table.list(cell);
    return std::any_of(list.begin(), list.end(), [&](std::uint32_t i) { return decided(e_.points[i]); });
  }

  // Every point whose box is within `max_distance` of a place, until the visitor returns false.
  template <class Visit>
  void visit_near(const Vec3& q, double max_distance, Visit&& visit) const {
    struct Near {
      const bvh::Tree& tree;
      Visit& visit;
      bvh::FloatBox about;
      double max_distance;

      void open(const bvh::Node& node, float (&bounds)[bvh::kWidth]) const { gaps_of(node, about, bounds); }
      double limit() const { return max_distance; }
      void leaf(std::size_t leaf) {
        for (std::size_t slot = bvh::kWidth * leaf, end = slot + tree.leaf_size(leaf); slot < end; ++slot) {
          if (visit(slot)) continue;
          max_distance = -kInfinity;
          return;
        }
      }
    } query{*data_.tree, visit, bvh::FloatBox(*data_.tree, q), max_distance};
    bvh::near_first(*data_.tree, query);
  }

  void segments(std::uint32_t interval, std::uint32_t lanes) {
    for (; lanes != 0; lanes &= lanes - 1) {
      const auto lane = static_cast<std::uint32_t>(__builtin_ctz(lanes));
      if (along(scan_[leaf_->points[lane]], interval)) open_ &= ~(1U << lane);
    }
  }

  // Whether p is within r of a segment of any model point in an interval.
  bool along(const Vec3& p, std::uint32_t interval) const {
    bool found = false;
    const double max_distance = e_.radius + e_.doubt(p);
    walk_pairs(
        e_.tree, *data_.tree, p, interval, {.grown = e_.tree.node(interval).sag * data_.reach},
        [&](double gap) { return gap > max_distance; },
        [&](std::uint32_t index, std::uint32_t pose, const Chord& chord) {
          const std::size_t first = std::size_t{bvh::kWidth} * index, last = first + data_.tree->leaf_size(index);
          const Vec3 segment = chord.to - chord.from;
          const double square = segment.squaredNorm(), within = max_distance + chord.deviation;
          for (std::size_t slot = first; slot < last && !found; ++slot) {
            if (distance_to_segment(data_.slots[slot], chord.from, segment, square) > within) continue;
            found = along_steps(p, data_.slots[slot], pose, max_distance);
          }
          return !found;
        });
    return found;
  }

  bool along_steps(const Vec3& p, const Vec3& m, std::uint32_t interval, double max_distance) const {
    bool found = false;
    motion::halve<PoseTree::kMaxDepth>(interval, [&](std::uint32_t id, std::uint32_t& first, std::uint32_t& second) {
      if (found) return false;
      const PoseNode& node = e_.tree.node(id);
      const Chord chord = e_.tree.chord(node, p);
      const Vec3 segment = chord.to - chord.from;
      const double less = chord.deviation + node.sag * data_.reach;
      if (distance_to_segment(m, chord.from, segment, segment.squaredNorm()) > max_distance + less) return false;
      if (node.leaf()) {
        const Pose &from = e_.path[node.first], &to = e_.path[std::min<std::size_t>(node.last, e_.path.size() - 1)];
        found = near_segment(p, from * m, to * m, e_.radius);
        return false;
      }
      first = node.left, second = node.right;
      return true;
    });
    return found;
  }

  const PaperEngine& e_;
  const ModelData& data_;
  std::span<const Vec3> scan_;
  std::span<std::uint8_t> hits_;
  ScanWalk walk_;
  const ScanLeaf* leaf_ = nullptr;
  std::uint32_t open_ = 0;  // lanes that have not been hit
  float bounds_[kLeaf] = {};
};

// The paper's own method, which allows for a model that deforms: a search around every model point (segment) in a k-d
// tree of the scan. Whatever finds a point sets it to 1, so that the order does not matter.
void search_each_pose(const PaperClearance& paper, bool along, std::span<const Vec3> scan,
                      std::span<std::uint8_t> hits) {
  const KdTree tree(scan, {.threads = paper.options().threads});
  const double r = paper.options().radius;
  const auto path = paper.path();
  const std::size_t count = along && path.size() > 1 ? path.size() - 1 : path.size();
  parallel_for(count,
               [&](std::size_t i) {
                 const std::size_t next = along ? std::min(i + 1, path.size() - 1) : i;
                 const auto from = paper.model(i), to = paper.model(next);
                 for (std::size_t k = 0; k < from.size(); ++k) {
                   const Vec3 a = path[i] * from[k], b = path[next] * to[k];
                   const double grown = r + 32 * kEpsilon * (a.norm() + b.norm() + r);
                   tree.search(region::Segment(a, b, grown)).visit([&](const Neighbor& n) {
                     const Vec3& p = scan[n.index];
                     if (along ? near_segment(p, a, b, r) : near_point(p, a, r)) {
                       std::atomic_ref<std::uint8_t>(hits[n.index]).store(1, std::memory_order_relaxed);
                     }
                   });
                 }
               },
               {.threads = paper.options().threads, .grain = 1});
}

}  // namespace

PaperEngine::PaperEngine(const PaperClearance& paper, bool along)
    : path(paper.path()),
      points(paper.model(0)),
      radius(paper.options().radius),
      segments(along),
      threads(paper.options().threads),
      model(Cloud(PointView(points)), {.threads = threads}),
      tree(path, {.continuous = along, .reach = data_of(model).reach}),
      field(data_of(model), radius, tree.travel_axis(), threads),
      table(points, model.bounds(), radius) {}

void PaperEngine::decide(std::span<const Vec3> scan, const ScanIndex& index, std::span<std::uint8_t> hits) const {
  for_each_part(index, threads, {}, [&] { return PaperWorker(*this, scan, index, hits); });
}

std::vector<std::uint8_t> PaperClearance::colliding(PaperMethod method, std::span<const Vec3> scan) const {
  if (method != PaperMethod::kd_cd_simple && method != PaperMethod::kd_cd) {
    throw Error(std::string(name_of(method)), "finds depths, not sets");
  }
  std::vector<std::uint8_t> hits(scan.size(), 0);
  if (models_[0].empty() || scan.empty()) return hits;
  const bool along = method == PaperMethod::kd_cd;
  if (is_deforming()) {
    search_each_pose(*this, along, scan, hits);
    return hits;
  }
  const PaperEngine engine(*this, along);
  engine.decide(scan, ScanIndex(scan, options_.threads), hits);
  return hits;
}

}  // namespace graze::clearance
