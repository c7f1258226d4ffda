// Occupancy maps from the frames of sensors.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "graze/geometry/geometry.h"
#include "graze/geometry/occupancy_map.h"
#include "graze/index/points.h"

namespace graze {

/// How observations of a cell become its probability.
enum class SensorModel {
  log_odds,        ///< OctoMap's: every hit or miss adds its log-odds, up to the clamps
  running_average  ///< the share of hits among the last `window` frames that observed the cell
};

/// Options of an OccupancyMapper.
struct OccupancyMapperOptions {
  double resolution = 0.05;                      ///< side of a cell in metres
  SensorModel model = SensorModel::log_odds;     ///< what observations do
  double hit = 0.7, miss = 0.4;                  ///< probabilities that one observation stands for (log_odds)
  double clamp_min = 0.1192, clamp_max = 0.971;  ///< probabilities that cells keep to (log_odds)
  int window = 30;                               ///< frames, 1 … 62 (running_average)
  std::size_t max_bytes = std::size_t{8} << 30;  ///< frames that would take more memory are refused
};

/// Which rays a frame of points stands for.
enum class FrameRays {
  per_point,     ///< from the origin to every point, as OctoMap's plain insertion
  per_end_voxel  ///< to the centre of every cell that has a point, as OctoMap's discretised insertion
};

/// What a measurement without return stands for.
enum class NoReturn {
  ignore,  ///< nothing
  clear    ///< nothing there, up to the range; see SensorFrame::directions
};

/// A body, or part of one, that the sensor must not take for an obstacle.
struct FilteredBody {
  Placed body;         ///< in the world
  double padding = 0;  ///< metres: points this near are of the body too
};

/// What a sensor saw at one time. Points and origin are in the frame of `pose`: leave it out for points of the world,
/// or leave the origin out for points of the sensor.
///
/// A point with a NaN or an infinity is no return.
struct SensorFrame {
  PointView points = {};                  ///< where rays ended
  Pose pose = {};                         ///< of the frame of points and origin, in the world
  Vec3 origin = Vec3::Zero();             ///< where rays start
  double time = 0;                        ///< seconds, on any clock; frames may come in any order
  double max_range = kInfinity;           ///< metres; rays that are longer are cut there and clear only
  FrameRays rays = FrameRays::per_point;  ///< how many rays
  NoReturn no_return = NoReturn::ignore;  ///< what points stand for that are none
  bool zero_is_no_return = true;          ///< a point at the origin is none; else it hits the cell of the sensor
  /// Where point i was looked for, for NoReturn::clear: any length but 0, as many as points, in the frame of `pose`
  /// without its translation. Those that are missing or not finite clear nothing.
  PointView directions = {};
  std::span<const FilteredBody> filter = {};  ///< points in or on these are passed over: neither hit nor ray
};

/// An image of depths along the optical axis, in rows from the top; x points right, y down, z forward.
struct DepthImage {
  std::span<const float> depths = {};         ///< metres, width × height; NaN, 0 and infinity are no return
  int width = 0, height = 0;                  ///< pixels
  double fx = 0, fy = 0, cx = 0, cy = 0;      ///< intrinsics in pixels; pixel (u, v) has its centre at integers
  Pose pose = {};                             ///< of the camera in the world
  double time = 0;                            ///< seconds
  double max_range = kInfinity;               ///< metres from the camera
  NoReturn no_return = NoReturn::ignore;      ///< whether pixels without return clear up to the range
  std::span<const FilteredBody> filter = {};  ///< as that of SensorFrame
};

/// What became of a frame.
struct InsertReport {
  std::size_t points = 0;             ///< given
  std::size_t hits = 0;               ///< within the range: their cells were hit
  std::size_t cut = 0;                ///< beyond the range: their rays cleared up to it
  std::size_t no_return = 0;          ///< neither; with NoReturn::clear, those that had a direction cleared
  std::size_t too_far = 0;            ///< rays that leave the range of keys or pass kMaxRayCells, passed over
  std::vector<std::size_t> filtered;  ///< by each body of the filter; a point counts for the first that has it
  std::size_t cells_hit = 0, cells_missed = 0;  ///< that changed
};

/// What clear() leaves behind.
enum class Cleared { unknown, free };

/// The owner of a map that frames change. One thread writes; `map()` gives versions that any thread may read (hand
/// them over by a SharedVersion<OccupancyMap>).
///
///     OccupancyMapper mapper({.resolution = 0.02});
///     mapper.insert({.points = scan, .pose = sensor, .time = t, .max_range = 4});
///     OccupancyMap map = mapper.map();
///
/// Every cell changes at most once per frame, and a hit beats a miss. A ray misses the cells that it passes from that
/// of the origin up to, not with, that of its end, which is hit; where a ray is cut, the cell of its end is not missed.
/// Cells are those that liboctomap finds, except where a ray passes within rounding of an edge or a corner of cells;
/// arithmetic is in double, so that it does not matter how far the map is from the origin.
class OccupancyMapper {
 public:
  /// Rays pass no more cells than this: 20 km of 2 cm.
  static constexpr std::int64_t kMaxRayCells = std::int64_t{1} << 20;

  /// Throws Error for a resolution, a probability or a window out of range.
  explicit OccupancyMapper(const OccupancyMapperOptions& options = {});
  /// Goes on from the cells of a map, which keep their log-odds and ages; the resolution is that of the map. Throws
  /// Error for a model other than log_odds.
  OccupancyMapper(const OccupancyMap& map, const OccupancyMapperOptions& options);
  OccupancyMapper(OccupancyMapper&&) noexcept;
  OccupancyMapper& operator=(OccupancyMapper&&) noexcept;
  ~OccupancyMapper();

  /// What it was made with; the resolution is that of the map.
  const OccupancyMapperOptions& options() const;

  /// Adds a frame. Throws Error, and changes nothing, for an origin that is not finite or out of the range of keys, a
  /// range that is not positive, a padding that is negative, a frame that takes more memory
  /// than max_bytes, or a number of directions other than that of the points.
  InsertReport insert(const SensorFrame& frame);

  /// Adds a depth image by projection: no rays. A cell is missed if its centre is in front of the camera, projects to a
  /// pixel of the image (the nearest one), and is nearer along the optical axis than the depth of that pixel by at
  /// least half the diagonal of a cell, and within the range. The cell of the point of a pixel within the range is hit.
  /// So cells near surfaces and at the border of the view are left as they are where rays would graze them. Throws
  /// Error, and changes nothing, for sizes, intrinsics or a range out of range.
  InsertReport insert(const DepthImage& image);

  /// Makes the cells that a body touches unknown or free: of an object that was moved or picked up. Throws Error for an
  /// unbounded body.
  void clear(const Placed& body, Cleared as = Cleared::unknown);
  /// Forgets every cell whose centre is outside of the box: that of a robot on the move.
  void keep(const Aabb& box);
  /// Forgets what no frame changed at `time` or later, in blocks of 8 × 8 × 8 cells.
  void forget_before(double time);
  /// Lets `seconds` pass: log-odds halve every `half_life`, and a cell whose probability is within 1 % of 1/2 is
  /// unknown. (running_average: the frames that a cell remembers halve with every full half-life.) Cells fade by
  /// themselves alike, so calls of any frequency give the same but for rounding. Throws Error for times that are not
  /// positive.
  void decay(double seconds, double half_life);

  /// A version of the map as it is now. Takes time in proportion to what changed since the last; for the writer to
  /// call.
  OccupancyMap map();
  /// Bytes of the writer's own data, without versions.
  std::size_t memory_bytes() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace graze
