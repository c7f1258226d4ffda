// Counts, for every bin of chainage and every side, the scan points that show that the scanner saw it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "clearance/report_cells.h"
#include "graze/clearance/report.h"

namespace graze::clearance {

class CoverageCount {
 public:
  /// Keeps the spans of the path. Throws Error for options that make no sense. O(poses)
  CoverageCount(const ReportPath& path, const CoverageOptions& options, double bin);

  /// From any number of threads.
  void add(const Vec3& point);

  std::int64_t first_bin() const { return first_; }
  std::int64_t bins() const { return count_; }

  struct Bin {
    std::array<std::uint64_t, kSides> points = {};
    std::array<bool, kSides> seen = {};
    bool scanned = false;
  };
  struct Result {
    Coverage coverage;
    std::vector<Bin> bins;  ///< from first_bin() on
  };
  Result finish() const;

 private:
  // The frame of travel at a pose and the section of the model's box in it.
  struct Section {
    Vec3 left, up;
    double left_min, left_max, up_min, up_max;
  };
  // One of the times at which the path comes near a cell.
  struct Pass {
    std::uint32_t pose;  // where it is nearest to the cell
    std::uint32_t first_pose;
    std::uint32_t last_sample;  // consecutive samples are one pass
    float distance;
  };

  void make_sections();
  void make_cells();
  void mark(const Vec3& at, std::uint32_t pose, std::uint32_t sample);
  CellKey key_of(const Vec3& p) const;
  double from_of(std::int64_t bin) const { return std::max(from_, static_cast<double>(bin) * bin_); }
  double to_of(std::int64_t bin) const { return std::min(to_, static_cast<double>(bin + 1) * bin_); }
  void close_gaps(std::vector<Bin>& bins, std::size_t side) const;

  ReportPath path_;
  CoverageOptions options_;
  double bin_;
  double from_ = 0, to_ = 0;       // swept chainage
  double behind_ = 0, ahead_ = 0;  // of the first and the last pose, where the model ends
  double reach_ = 0;               // from the line of the path, of any point that counts
  double cell_ = 0;
  std::int64_t first_ = 0, count_ = 0;
  std::vector<Section> sections_;
  std::unordered_map<CellKey, std::vector<Pass>, CellHash> cells_;
  std::unique_ptr<std::atomic<std::uint64_t>[]> points_;
};

}  // namespace graze::clearance
