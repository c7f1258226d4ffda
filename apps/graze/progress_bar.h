// How far long work has come, on a terminal.
#pragma once

#include <chrono>
#include <cstddef>
#include <mutex>
#include <optional>

#include "graze/base/progress.h"
#include "interrupt.h"
#include "time_left.h"

namespace graze::app {

/// A line on standard error, with the time left where it is known, that is rewritten as work goes on and
/// is gone when the bar is. There is none if `quiet`, or if standard error is not a terminal; nor for work that is done
/// at once. The work is cancelled when the program is interrupted.
class ProgressBar {
 public:
  explicit ProgressBar(bool quiet);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// What the work is to report to; for one piece of work.
  Progress progress();
  /// What comes now takes the bar from `begin` to `end`, and what follows it about `later` seconds (none: not known,
  /// and no time is shown). Without this, all of the work is taken to go on at one pace.
  void start_phase(double begin, double end, std::optional<double> later);
  /// Seconds since the work was begun.
  double seconds() const;
  /// Removes the line, before a message.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  void show(const ProgressUpdate& update);

  bool wanted_;
  EndsWhenInterrupted ends_;
  Clock::time_point begin_;
  std::mutex mutex_;  // guards left_: phases are started by one thread, progress is made by many
  TimeLeft left_;
  std::size_t shown_ = 0;  // columns that stand on the terminal
};

}  // namespace graze::app
