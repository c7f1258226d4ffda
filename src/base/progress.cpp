#include "graze/base/progress.h"

#include <algorithm>
#include <mutex>
#include <string>

namespace graze {

using Clock = std::chrono::steady_clock;

struct Progress::State {
  ProgressListener listener;
  Clock::duration interval;
  std::atomic<bool> cancelled{false};
  std::atomic<Clock::rep> next_update{Clock::time_point::min().time_since_epoch().count()};

  std::mutex mutex;  // guards the rest and the calls of the listener
  std::string message;
  double fraction = 0;
  bool finished = false;
};

Progress::Progress(ProgressListener listener, const ProgressOptions& options) {
  if (!listener) return;
  state_ = std::make_shared<State>();
  state_->listener = std::move(listener);
  // Longer intervals would overflow the clock; a year is as good as never.
  const std::chrono::nanoseconds year = std::chrono::hours(24 * 365);
  state_->interval = std::chrono::duration_cast<Clock::duration>(std::min(options.interval, year));
}

bool Progress::cancelled() const { return state_ != nullptr && state_->cancelled.load(std::memory_order_relaxed); }

Progress Progress::part(double from, double to) const {
  Progress part = *this;
  part.from_ = from_ + from * (to_ - from_);
  part.to_ = from_ + to * (to_ - from_);
  return part;
}

bool Progress::report_to_listener(double fraction, std::string_view message) const {
  State& state = *state_;
  if (cancelled()) return false;
  const double within = fraction > 0 ? std::min(fraction, 1.0) : 0.0;  // not-a-number counts as nothing done
  const double whole = from_ + within * (to_ - from_);                 // the end of the last part rounds to 1
  const bool last = whole >= 1;
  const Clock::rep now = Clock::now().time_since_epoch().count();
  const bool due = last || now >= state.next_update.load(std::memory_order_relaxed);
  if (!due && message.empty()) return true;

  // Only reports that must not be lost wait for a slow listener.
  std::unique_lock lock(state.mutex, std::defer_lock);
  if (last || !message.empty()) {
    lock.lock();
  } else if (!lock.try_lock()) {
    return true;
  }
  if (cancelled()) return false;
  if (!message.empty()) state.message = message;
  state.fraction = std::max(state.fraction, whole);
  // Asked again, as another thread may have been here in the meantime.
  if (state.finished || !(last || now >= state.next_update.load(std::memory_order_relaxed))) return true;
  state.finished = last;
  if (!state.listener({std::min(state.fraction, 1.0), state.message})) {
    state.cancelled.store(true, std::memory_order_relaxed);
    return false;
  }
  state.next_update.store((Clock::now() + state.interval).time_since_epoch().count(), std::memory_order_relaxed);
  return true;
}

}  // namespace graze
