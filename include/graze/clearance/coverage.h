// Where along a path a scan has seen the space around the vehicle. A clearance is only known where something was
// scanned: no point near the vehicle means "free" beside a wall that was measured, and nothing at all where nobody
// looked.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace graze::clearance {

/// On which side of the vehicle a point passes, seen in the direction of travel.
enum class Side : std::uint8_t { left, right, above, below };
/// How many sides there are.
inline constexpr std::size_t kSides = 4;
std::string_view name_of(Side side);  ///< "left", "right", "above", "below"

/// The rule. The path is divided into bins of chainage, from the rear end of the model's box at the first pose to its
/// front end at the last. In the section across the path at its chainage, a scan point counts for the side of the box
/// that it is on (as ReportPath::side_of, by the box's own width and height) if it is within `lookout` of the box.
/// A side of a bin is seen if enough points count for it. An unseen stretch of a side that is not longer than `gap`
/// counts as seen if both neighbours are seen; at an end of the path the one neighbour is enough. A bin is scanned if
/// every demanded side is seen.
///
/// Only points prove that somebody looked. Ground beside the vehicle counts for left and right, so that open track
/// needs no walls. Nothing above open track is normal, therefore "above" is not demanded unless asked for.
struct CoverageOptions {
  double lookout = 5;  ///< metres around the model's box in the section
  double points = 3;   ///< per metre of chainage and side, at least one per bin
  double gap = 3;      ///< metres; longer unseen stretches are gaps
  std::array<bool, kSides> demanded = {true, true, false, true};  ///< by Side
  double min_share = 0.05;  ///< with a smaller part of the path scanned, nothing was checked
};

/// A stretch that was not scanned.
struct CoverageGap {
  double from = 0, to = 0;               ///< chainage
  std::array<bool, kSides> unseen = {};  ///< demanded sides that are unseen somewhere on it
  /// Metres of chainage.
  double length() const { return to - from; }
};

/// Which parts of a path were scanned.
struct Coverage {
  CoverageOptions options;               ///< the rule by which they were counted
  double from = 0, to = 0;               ///< chainage that the model's box sweeps
  double scanned = 0;                    ///< metres of it with all demanded sides seen
  std::array<double, kSides> seen = {};  ///< metres of it with this side seen, demanded or not
  std::uint64_t points = 0;              ///< that count for a side; those that pass several times count each time
  std::vector<CoverageGap> gaps;         ///< by chainage

  /// Metres of chainage that the model's box sweeps.
  double length() const { return to - from; }
  /// The part of it that was scanned, in [0, 1].
  double share() const { return length() > 0 ? scanned / length() : 0; }
  /// Whether anything can be said at all.
  bool checked() const { return points > 0 && scanned > 0 && share() >= options.min_share; }
  /// Whether all of it was scanned, short gaps aside.
  bool complete() const { return checked() && gaps.empty(); }
};

}  // namespace graze::clearance
