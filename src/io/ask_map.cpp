#include "io/ask_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <tuple>
#include <vector>

#include "graze/io/map_file.h"
#include "graze/map/occupancy_cost.h"
#include "graze/map/occupancy_mapper.h"
#include "io/answer_text.h"
#include "io/ask_sweep.h"
#include "io/placed.h"

namespace graze::io {
namespace {

/// Boxes in an answer; a larger "max" lists as many.
constexpr std::size_t kMaxBoxes = 4096;
/// Bytes that inserting may take, and cells that may be in an answer.
constexpr std::size_t kMaxInsertBytes = std::size_t{1} << 30U, kMaxCells = std::size_t{1} << 23U;
/// Cells that a cost may look at; of a motion, where each takes a sweep.
constexpr std::size_t kMaxLooks = std::size_t{1} << 22U, kMaxSweeps = std::size_t{1} << 18U;

struct AskedMap {
  OccupancyMap map;
  double threshold = 0.5;
  Poses poses;
};

/// A motion in the frame of a map.
struct SeenFrom {
  Pose world;  // in that frame
  AnyMotion motion;

  Pose at(double t) const { return world * motion.at(t); }
  double reach(double radius, double begin, double end) const { return motion.reach(radius, begin, end); }
  double bend(double radius, double begin, double end) const { return motion.bend(radius, begin, end); }
  double smooth_until(double t) const { return motion.smooth_until(t); }
};

double probability_or(const Fields& fields, std::string_view name, double fallback) {
  const double p = fields.number_or(name, fallback);
  if (!(p >= 0 && p <= 1)) throw Error(fields.path_of(name), fmt::format("must be from 0 to 1, got {}", p));
  return p;
}

AskedMap map_from(const Fields& question) {
  const Fields fields(question.required("map"), "map");
  const std::string kind = fields.has("shape") ? fields.text("shape") : "map";
  if (kind != "map") throw Error(fields.path_of("shape"), fmt::format("must be \"map\", got \"{}\"", shortened(kind)));
  fields.allow_only("a map", {"shape", "file", "threshold", "unknown", "pose", "local"});
  if (fields.has("unknown")) {
    const std::string unknown = fields.text("unknown");
    if (unknown != "free" && unknown != "occupied") {
      throw Error(fields.path_of("unknown"), fmt::format("must be free or occupied, got \"{}\"", shortened(unknown)));
    }
  }
  AskedMap asked;
  asked.threshold = probability_or(fields, "threshold", 0.5);
  asked.poses = poses_of(fields);
  const std::string file = fields.file("file");
  try {
    asked.map = read_map(file);
  } catch (const Error& error) {
    refuse_file(fields.path_of("file"), error);
  }
  return asked;
}

const char* name_of(Occupancy state) {
  switch (state) {
    case Occupancy::free:
      return "\"free\"";
    case Occupancy::occupied:
      return "\"occupied\"";
    case Occupancy::unknown:
      break;
  }
  return "\"unknown\"";
}

FrameRays rays_from(const Fields& question) {
  if (!question.has("rays")) return FrameRays::per_point;
  const std::string rays = question.text("rays");
  if (rays == "per_point") return FrameRays::per_point;
  if (rays == "per_end_voxel") return FrameRays::per_end_voxel;
  throw Error("rays", fmt::format("must be per_point or per_end_voxel, got \"{}\"", shortened(rays)));
}

/// Every known cell by itself, sorted by key.
std::vector<OccupancyCell> cells_of(const OccupancyMap& map) {
  std::size_t count = 0;
  map.visit_leaves(
      [&](const OccupancyCell& leaf) { count += std::size_t{1} << 3U * static_cast<unsigned>(leaf.level); });
  if (count > kMaxCells) throw Error("frames", fmt::format("change {} cells, the limit is {}", count, kMaxCells));
  std::vector<OccupancyCell> cells;
  cells.reserve(count);
  map.visit_leaves([&](const OccupancyCell& leaf) {
    const std::int32_t side = std::int32_t{1} << static_cast<unsigned>(leaf.level);
    for (std::int32_t x = 0; x < side; ++x) {
      for (std::int32_t y = 0; y < side; ++y) {
        for (std::int32_t z = 0; z < side; ++z) {
          cells.push_back({{leaf.key.x + x, leaf.key.y + y, leaf.key.z + z}, 0, leaf.log_odds});
        }
      }
    }
  });
  std::sort(cells.begin(), cells.end(), [](const OccupancyCell& a, const OccupancyCell& b) {
    return std::tie(a.key.x, a.key.y, a.key.z) < std::tie(b.key.x, b.key.y, b.key.z);
  });
  return cells;
}

}  // namespace

AskAnswer ask_occupancy(const Fields& question) {
  question.allow_only("occupancy", {"ask", "id", "map", "points"});
  const std::vector<Vec3> points = question.points("points");
  const AskedMap asked = map_from(question);
  const Pose inverse = (asked.poses.pose * asked.poses.local).inverse();
  const bool moved = !(inverse == Pose());
  std::string states, probabilities;
  bool all_free = true;
  for (const Vec3& p : points) {
    const Vec3 own = moved ? inverse * p : p;
    const Occupancy state = asked.map.state(own, asked.threshold);
    const std::optional<float> value = asked.map.log_odds(own);
    all_free = all_free && state == Occupancy::free;
    const char* comma = states.empty() ? "" : ",";
    states += fmt::format("{}{}", comma, name_of(state));
    probabilities += fmt::format("{}{}", comma, value ? text_of(probability_of(*value)) : "null");
  }
  return {fmt::format(R"("states":[{}],"probabilities":[{}])", states, probabilities), verdict(!all_free)};
}

AskAnswer ask_insert(const Fields& question) {
  question.allow_only("insert", {"ask", "id", "resolution", "frames", "rays", "hit", "miss", "clamp"});
  OccupancyMapperOptions options{.resolution = question.number("resolution")};
  options.hit = question.number_or("hit", options.hit);
  options.miss = question.number_or("miss", options.miss);
  if (question.has("clamp")) {
    std::array<double, 2> clamp{};
    question.numbers("clamp", clamp);
    options.clamp_min = clamp[0], options.clamp_max = clamp[1];
  }
  options.max_bytes = kMaxInsertBytes;
  const FrameRays rays = rays_from(question);
  OccupancyMapper mapper(options);
  const Value frames = question.required("frames");
  if (!frames.is_array()) throw Error("frames", "must be an array of frames");
  std::size_t index = 0;
  for (const Value value : frames) {
    const std::string path = fmt::format("frames[{}]", index++);
    const Fields frame(value, path);
    frame.allow_only("a frame", {"origin", "points", "max_range"});
    const std::vector<Vec3> points = frame.points("points");
    const Vec3 origin = frame.vector("origin");
    const double range = frame.number_or("max_range", kInfinity);
    if (!(range > 0)) throw Error(frame.path_of("max_range"), fmt::format("must be a positive length, got {}", range));
    const InsertReport report = Fields::naming(path, [&] {
      return mapper.insert(
          {.points = points, .origin = origin, .max_range = range, .rays = rays, .zero_is_no_return = false});
    });
    if (report.too_far > 0) {
      throw Error(path, fmt::format("{} ray{} the range of keys or more than {} cells", report.too_far,
                                    report.too_far == 1 ? " leaves" : "s leave", OccupancyMapper::kMaxRayCells));
    }
  }
  std::string list;
  for (const OccupancyCell& cell : cells_of(mapper.map())) {
    list += fmt::format("{}[{},{},{},{}]", list.empty() ? "" : ",", cell.key.x, cell.key.y, cell.key.z,
                        text_of(double{cell.log_odds}));
  }
  return {fmt::format(R"("cells":[{}])", list), AskVerdict::clear};
}

AskAnswer ask_cost(const Fields& question) {
  question.allow_only("cost", {"ask", "id", "map", "a", "max", "min_probability", "unknown_probability"});
  OccupancyCostOptions options{.min_probability = probability_or(question, "min_probability", 0),
                               .max_cells = kMaxLooks};
  if (question.has("unknown_probability") && question.required("unknown_probability").kind() != Value::Kind::null) {
    options.unknown_probability = probability_or(question, "unknown_probability", 0);
  }
  const std::size_t max = std::min(question.count_or("max", 8), kMaxBoxes);
  const bool moves = Fields(question.required("a"), "a").has("motion");
  if (moves) options.max_cells = kMaxSweeps;
  std::optional<Moving> motion;
  std::optional<Placed> body;
  if (moves) motion = moving_from(question.required("a"), "a");
  else body = placed_from(question.required("a"), "a");
  const AskedMap asked = map_from(question);
  const Pose own = asked.poses.pose * asked.poses.local;
  if (!(own == Pose())) {
    if (moves) motion->motion = AnyMotion(SeenFrom{own.inverse(), motion->motion});
    else body = at(body->geometry, own.inverse(), body->pose);
  }
  std::vector<CostBox> buffer(max);
  const OccupancyCost cost = Fields::naming("a", [&] {
    return moves ? occupancy_cost(asked.map, *motion, buffer, options)
                 : occupancy_cost(asked.map, *body, buffer, options);
  });
  if (!cost.complete) throw Error("a", fmt::format("overlaps more than {} cells", options.max_cells));
  std::string list;
  for (const CostBox& box : cost.boxes) {
    list += fmt::format(R"({}{{"min":{},"max":{},"probability":{}}})", list.empty() ? "" : ",", text_of(box.box.min),
                        text_of(box.box.max), text_of(box.probability));
  }
  return {fmt::format(R"("cost":{},"boxes":[{}])", text_of(cost.cost), list), verdict(cost.cells > 0)};
}

}  // namespace graze::io
