// What was measured so far, on the disk, so that a run that was interrupted can go on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "graze/clearance/clearance.h"

namespace graze::app {

/// A folder with a file per block of the scan. Files appear when they are complete, so that whatever ends the run
/// leaves whole blocks; only points within the limit take room, 24 bytes each.
class ResultStore {
 public:
  /// `fingerprint` stands for everything that the results depend on. Blocks of an earlier run count only if `resume`
  /// and if theirs is the same; otherwise they are removed. Throws Error if the folder cannot be made or holds other
  /// files.
  ResultStore(std::string folder, const std::string& fingerprint, bool resume);

  /// Blocks that an earlier run left.
  std::size_t found() const { return found_; }
  /// Why those of an earlier run do not count, or nothing.
  const std::string& refused() const { return refused_; }

  /// Fills `results` and returns true if the block is there; a file that is not whole counts as absent.
  bool load(std::size_t block, std::span<clearance::PointClearance> results) const;
  void save(std::size_t block, std::span<const clearance::PointClearance> results) const;
  /// Removes the folder and what it made there.
  void remove() const;

 private:
  std::string file_of(std::size_t block) const;

  std::string folder_;
  std::size_t found_ = 0;
  std::string refused_;
};

}  // namespace graze::app
