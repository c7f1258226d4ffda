// Progress and cancellation of long-running work.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>

namespace graze {

/// What a listener gets to know.
struct ProgressUpdate {
  double fraction;           ///< of the whole work, in [0, 1]; never less than in an earlier update
  std::string_view message;  ///< what is being done; valid during the call
};

/// Called on whichever thread does the work, by one thread at a time. Returns whether to go on: after the first false
/// it is not called again. Must not report to the same Progress.
using ProgressListener = std::function<bool(const ProgressUpdate&)>;

/// How often a listener is called.
struct ProgressOptions {
  /// Updates that follow an earlier one sooner than this are left out; the last one (fraction 1) never is.
  std::chrono::nanoseconds interval = std::chrono::milliseconds(50);
};

/// A handle that work reports to. Copies and parts speak to the same listener; all of it may be used by many threads
/// at once. Without a listener a report costs one comparison.
///
///     Cloud load(const Path& file, const Progress& progress = {});
///     load("scan.ply", Progress([&](const ProgressUpdate& u) { bar.show(u.fraction, u.message); return !stopped; }));
class Progress {
 public:
  /// Nobody listens and nobody cancels.
  Progress() = default;
  explicit Progress(ProgressListener listener, const ProgressOptions& options = {});

  /// `fraction` of this part of the work is done; a message that is not empty replaces the last one. Returns false once
  /// the listener has cancelled: the work should then stop soon.
  bool report(double fraction, std::string_view message = {}) const {
    return state_ == nullptr || report_to_listener(fraction, message);
  }
  bool cancelled() const;
  /// Whether nobody listens.
  bool silent() const { return state_ == nullptr; }

  /// A handle for the work that takes this one from `from` to `to`, both in [0, 1]: its 0 and 1 are reported as those.
  Progress part(double from, double to) const;

 private:
  struct State;
  bool report_to_listener(double fraction, std::string_view message) const;

  std::shared_ptr<State> state_;
  double from_ = 0, to_ = 1;
};

/// Progress of `total` equal steps that many threads take.
///
///     ProgressCounter counter(progress, files.size());
///     parallel_for(files.size(), [&](std::size_t i) { if (!counter.cancelled()) work(i); counter.advance(); });
class ProgressCounter {
 public:
  ProgressCounter(Progress progress, std::size_t total) : progress_(std::move(progress)), total_(total) {}

  /// Reports `steps` more steps; false once the listener has cancelled.
  bool advance(std::size_t steps = 1) {
    if (progress_.silent()) return true;
    const std::size_t done = done_.fetch_add(steps, std::memory_order_relaxed) + steps;
    return progress_.report(static_cast<double>(done) / static_cast<double>(total_));
  }
  bool cancelled() const { return progress_.cancelled(); }

 private:
  Progress progress_;
  std::size_t total_;
  std::atomic<std::size_t> done_{0};
};

}  // namespace graze
