// How far long work has come, on a terminal.
#pragma once

#include <chrono>
#include <cstddef>

#include "graze/base/progress.h"

namespace graze::app {

/// A line on standard error, with the time that is left, that is rewritten as work goes on and is gone when the bar is.
/// There is none if `quiet`, or if standard error is no terminal; nor for work that is done at once.
class ProgressBar {
 public:
  explicit ProgressBar(bool quiet);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// What the work is to report to; for one piece of work.
  Progress progress();
  /// Removes the line, before a message.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  bool show(const ProgressUpdate& update);

  bool wanted_;
  Clock::time_point begin_;
  std::size_t shown_ = 0;  // columns that stand on the terminal
};

}  // namespace graze::app
