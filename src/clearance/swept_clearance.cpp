#include <fmt/format.h>

#include <algorithm>

#include "clearance/engine.h"
#include "graze/base/error.h"
#include "graze/base/parallel.h"

namespace graze::clearance {
namespace {

constexpr std::size_t kFew = 256;  // points that are faster without an index and a field

// Places in the model's frame are differences of the scan's points and the poses, turned: they are rounded in
// proportion to how far the model's elements are from its origin (and points near them), and between two poses, whose
// translations are mixed, in proportion to these.
double tolerance_of(const Model& model, std::span<const Pose> path, double limit) {
  constexpr double kRounded = 32 * kEpsilon;
  double farthest = 0;
  for (const Pose& pose : path) farthest = std::max(farthest, pose.translation().cwiseAbs().maxCoeff());
  return kTolerance + model.uncertainty() + kRounded * (data_of(model).reach + limit + farthest);
}

void make_frames(Engine& engine) {
  const auto shapes = engine.model.frames();
  std::vector<Aabb> boxes;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const std::size_t first = i == 0 ? 0 : i - 1, last = std::min(i + 1, shapes.size() - 1);
    const double reach = data_of(shapes[i]).reach;
    engine.frames.push_back({PoseTree({engine.path.data() + first, last - first + 1},
                                      {.largest_turn = kLargestTurn, .continuous = true, .reach = reach}),
                             static_cast<std::uint32_t>(first)});
    const PoseTree& tree = engine.frames.back().tree;
    Aabb box;
    for (const Knot& knot : tree.knots()) {
      box.extend(transformed(shapes[i].bounds(), knot.inverse.transpose(), knot.place));
    }
    // Between knots, parts move on arcs that leave the lines of their ends.
    const double grown = engine.options.limit + tree.node(PoseTree::kRoot).sag * reach + 2 * engine.tolerance;
    if (box.empty()) box = Aabb::around(engine.path[i].translation(), Vec3::Zero());  // nothing is in it
    boxes.push_back(box.grown(grown + 1e-9 * box.max.cwiseAbs().cwiseMax(box.min.cwiseAbs()).maxCoeff()));
  }
  engine.frame_boxes = Bvh(boxes, {.threads = engine.options.threads});
}

}  // namespace

const Field& Engine::field() const {
  std::call_once(field_made, [this] {
    field_ = Field(data_of(model), options.limit + data_of(model).radius, tree[0].travel_axis(), options.threads);
  });
  return field_;
}

std::size_t Engine::search(const Vec3& p, Closest& best, bool any, double slack) const {
  std::size_t whose = 0;
  if (!model.is_deforming()) {
    measure_point(tree[0], data_of(model), p, best, any, slack);
    return whose;
  }
  frame_boxes.visit_overlapping({p, p}, [&](std::size_t i) {
    const double before = best.value;
    measure_point(frames[i].tree, data_of(model.frames()[i]), p, best, any, slack);
    // Of equal values the earlier frame's, in whatever order they come.
    if (best.value < before) whose = i;
    return !(any && best.found);
  });
  return whose;
}

double Engine::at_most(const Vec3& p, double slack) const {
  if (!is_finite(p)) return -kInfinity;
  // What is within the limit but for the slack is still to be found.
  Closest best{max_distance() + slack};
  search(p, best, false, slack);
  return best.found ? best.value : kInfinity;
}

PointClearance Engine::at(const Vec3& p, bool any) const {
  if (!is_finite(p)) return {.pose = PointClearance::kSkipped};
  Closest best{max_distance()};
  const std::size_t whose = search(p, best, any, 0);
  if (!model.is_deforming()) return best.result(tree[0], options.limit);
  PointClearance result = best.result(frames[whose].tree, options.limit);
  if (result.found()) result.pose += frames[whose].first_pose;
  return result;
}

namespace {

Counts run(const Engine& engine, const BlockTask& task, const Progress& progress) {
  const std::size_t n = task.points.size();
  const int threads = engine.options.threads;
  if (n >= 0x7FFFFFFF) throw Error("block", "more than 2^31 points");
  const auto keep = [&](std::size_t i, const PointClearance& result) {
    if (task.any()) {
      task.hits[i] = result.found() ? 1 : 0;
    } else {
      task.results[i] = result;
    }
  };
  if (engine.model.is_deforming() || n <= kFew) {
    ProgressCounter counter(progress, n);
    parallel_for(n,
                 [&](std::size_t i) {
                   if (counter.cancelled()) return;
                   keep(i, engine.at(task.points[i], task.any()));
                   counter.advance();
                 },
                 {.threads = threads});
  } else {
    parallel_for(
        n,
        [&](std::size_t i) {
          keep(i, is_finite(task.points[i]) ? PointClearance{} : PointClearance{.pose = PointClearance::kSkipped});
        },
        {.threads = threads});
    progress.report(0, "indexing the scan");
    const ScanIndex scan(task.points, threads);
    engine.field();
    progress.report(0.1, "measuring");
    measure_block(engine, task, scan, progress.part(0.1, 1));
  }
  Counts counts = parallel_reduce(
      n, Counts{},
      [&](std::size_t begin, std::size_t end) {
        Counts part;
        for (std::size_t i = begin; i < end; ++i) {
          part.skipped += is_finite(task.points[i]) ? 0 : 1;
          part.within += (task.any() ? task.hits[i] != 0 : task.results[i].found()) ? 1 : 0;
        }
        return part;
      },
      [](Counts a, const Counts& b) {
        a.skipped += b.skipped;
        a.within += b.within;
        return a;
      },
      {.threads = threads});
  counts.complete = !progress.cancelled();
  if (counts.complete) progress.report(1);
  return counts;
}

}  // namespace

SweptClearance::SweptClearance(const Model& model, std::span<const Pose> path, const Options& options) {
  if (path.empty()) throw Error("path", "has no pose");
  if (path.size() >= 0x7FFFFFFF) throw Error("path", "has more than 2^31 poses");
  if (!(options.limit >= 0 && options.limit <= kLargestLength)) {
    throw Error("limit", "is negative, not a number or too large");
  }
  if (model.bounds().empty()) throw Error("model", "is empty");
  if (model.is_deforming() && model.frames().size() != path.size()) {
    throw Error("model", "has " + std::to_string(model.frames().size()) + " frames for " + std::to_string(path.size()) +
                             " poses");
  }
  auto engine = std::make_shared<Engine>();
  engine->model = model;
  engine->path.assign(path.begin(), path.end());
  engine->options = options;
  engine->tolerance = tolerance_of(model, path, options.limit);
  if (model.is_deforming()) {
    make_frames(*engine);
  } else {
    engine->tree.emplace_back(
        path, PoseTreeOptions{.largest_turn = kLargestTurn, .continuous = true, .reach = data_of(model).reach});
  }
  engine_ = std::move(engine);
}

Counts SweptClearance::measure(std::span<const Vec3> block, std::span<PointClearance> results,
                               const Progress& progress) const {
  if (block.size() != results.size())
    throw Error("results", fmt::format("must be as many as the {} points, got {}", block.size(), results.size()));
  if (block.empty()) return {};
  return run(*engine_, {block, results, {}}, progress);
}

Counts SweptClearance::collide(std::span<const Vec3> block, std::span<std::uint8_t> hits,
                               const Progress& progress) const {
  if (block.size() != hits.size())
    throw Error("hits", fmt::format("must be as many as the {} points, got {}", block.size(), hits.size()));
  if (block.empty()) return {};
  return run(*engine_, {block, {}, hits}, progress);
}

PointClearance SweptClearance::at(const Vec3& point) const { return engine_->at(point, false); }
double SweptClearance::at_most(const Vec3& point, double slack) const {
  return engine_->at_most(point, slack >= 0 && slack <= kLargestLength ? slack : 0);
}
double SweptClearance::tolerance() const { return engine_->tolerance; }
const Model& SweptClearance::model() const { return engine_->model; }
std::span<const Pose> SweptClearance::path() const { return engine_->path; }
const Options& SweptClearance::options() const { return engine_->options; }

Pose SweptClearance::pose_of(const PointClearance& result) const {
  const auto& path = engine_->path;
  if (!result.found()) return path.front();
  const std::size_t i = std::min<std::size_t>(result.pose, path.size() - 1);
  if (i + 1 == path.size()) return path[i];
  return Motion(path[i], path[i + 1]).at(double{result.fraction});
}

}  // namespace graze::clearance
