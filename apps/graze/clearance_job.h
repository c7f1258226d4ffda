// A clearance run: what goes in, what is measured, and what comes out of it for the files that are written.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "graze/base/aabb.h"
#include "graze/base/progress.h"
#include "graze/clearance/report.h"
#include "graze/clearance/report_view.h"
#include "graze/clearance/trajectory.h"

namespace graze::app {

struct ClearanceArguments {
  std::vector<std::string> scans;
  std::string path, model, vehicle;
  std::string report, csv, clusters, points, work, title;
  std::string method = "exact", axes = "flu";
  std::string units = "m", path_units = "m", model_units = "m";
  double warn = 0.2, fail = 0.1;
  std::optional<double> limit;
  double radius = 0, step = 0, smooth = 0, bin = 1, link = 0.25, chainage_start = 0, slice = 0.2;
  std::vector<double> roi;
  std::uint64_t report_points = 2'000'000, block = 4'000'000;
  std::size_t sections = 24, most_clusters = 200;
  int threads = 0;
  bool shell = false, repair = false, json = false, resume = false, keep_work = false;

  /// Measuring farther costs more: at 0.5 m several times what it does at 0.2 m.
  double reach() const { return limit.value_or(std::max(0.3, 1.5 * warn)); }
};

/// One input file.
struct InputFile {
  std::string role;  ///< "scan", "path", "model", "vehicle"
  std::string path;
  std::uint64_t size = 0;  ///< bytes
  std::string sha256;
};

/// The moving thing: what is measured, part by part, and what is drawn.
struct MovingModel {
  std::string name;
  std::vector<std::vector<Placed>> frames;  ///< its parts: once, or for every pose of the way
  std::vector<ClearanceModel> models;       ///< one per mesh and cloud, one for all shapes; one if it changes its shape
  std::vector<InputFile> files;
  std::vector<std::string> notes;
  Aabb box;
};

/// The way of its frame.
struct Way {
  std::vector<Pose> poses;
  std::vector<double> chainage;
  Trajectory track;           ///< along which a vehicle follows; the way itself for a model without bogies
  double chainage_start = 0;  ///< of the track
  std::vector<std::string> notes;
};

MovingModel read_model(const ClearanceArguments& arguments);
Way read_way(const ClearanceArguments& arguments);
/// Metres per unit of a name such as "mm".
double unit_of(const std::string& name);

/// What is known of the scans before anything is measured.
struct ScanFacts {
  std::uint64_t points = 0, skipped = 0;
  Aabb bounds;                ///< in metres, of the points that are used
  std::uint64_t outside = 0;  ///< of the region of interest
};

/// The points of all scans, in metres, NaN where they are no points or lie outside of the region of interest, in blocks
/// that do not depend on anything but their number.
class ScanReader {
 public:
  explicit ScanReader(const ClearanceArguments& arguments);
  ScanFacts survey(const Progress& progress) const;
  void for_each_block(std::uint64_t points, const Progress& progress,
                      const std::function<void(std::size_t block, std::uint64_t first, std::span<const Vec3>,
                                               const Progress& part)>& visit) const;

 private:
  void for_each_point(const Progress& progress, const std::function<void(std::span<const Vec3>)>& visit,
                      std::uint64_t* outside = nullptr) const;
  const ClearanceArguments& arguments_;
  double unit_;
  std::optional<Aabb> roi_;
};

/// Measures a block.
using Measure =
    std::function<void(std::span<const Vec3> points, std::span<PointClearance> results, const Progress& progress)>;
struct Method {
  Measure measure;
  /// What it takes to keep --fail at a place; none where the method does not know.
  std::function<PlaceDepth(const ReportPath& path, const ReportPlace& place)> depth;
};
/// The one that was asked for.
Method method_of(const ClearanceArguments& arguments, const MovingModel& model, const Way& way);

/// No point counts, or the model comes near none by far: whatever is said about it would be said about nothing.
bool nothing_to_check(const ClearanceArguments& arguments, const MovingModel& model, const Way& way,
                      const ScanFacts& scan);

/// Sentences on what looks like a mistake in units or coordinate systems.
std::vector<std::string> cautions_of(const ClearanceArguments& arguments, const MovingModel& model, const Way& way,
                                     const ScanFacts& scan);

/// Everything that the files tell.
struct ClearanceOutcome {
  std::vector<InputFile> inputs;
  std::vector<std::string> cautions, notes;
  ScanFacts scan;
  ClearanceReport report;
  bool unchecked = false;  ///< nothing_to_check

  bool passed() const { return !unchecked && report.passed(); }
};

/// A line of the settings: what, and its value.
std::vector<std::pair<std::string, std::string>> settings_of(const ClearanceArguments& arguments,
                                                             const MovingModel& model, const Way& way);
/// The results as JSON, schema graze-clearance/1; ends with a newline.
std::string clearance_json(const ClearanceArguments& arguments, const MovingModel& model, const Way& way,
                           const ClearanceOutcome& outcome);

/// What the page shows beside.
struct PageParts {
  std::vector<ReportModel> models;      ///< one, or one per pose
  std::vector<ReportSection> sections;  ///< of the first clusters, in their order
  ReportCloud cloud;
};
/// Writes the page, beside its place and renamed when complete.
void write_clearance_page(const ClearanceArguments& arguments, const MovingModel& model, const Way& way,
                          const ClearanceOutcome& outcome, const PageParts& parts);

/// Pictures of the page that need no script.
std::string profile_svg(const ClearanceReport& report, double limit);
std::string section_svg(const ReportSection& section, const ReportOptions& options, double limit);
/// "#rrggbb" of a byte of clearance_code.
std::string color_of(std::uint8_t code);
std::array<std::uint8_t, 3> rgb_of(std::uint8_t code);

}  // namespace graze::app
