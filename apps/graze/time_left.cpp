#include "time_left.h"

#include <algorithm>
#include <iterator>

namespace graze::app {

void TimeLeft::start_phase(const Phase& phase) {
  phase_ = phase;
  samples_ = {{0, 0}};
}

std::optional<double> TimeLeft::pace_since(double time) const {
  const auto after =
      std::upper_bound(samples_.begin(), samples_.end(), time, [](double t, const Sample& s) { return t < s.time; });
  const Sample& from = *std::prev(after);  // the first is of time 0
  const Sample& now = samples_.back();
  if (now.time <= from.time || now.done <= from.done) return std::nullopt;
  return (now.done - from.done) / (now.time - from.time);
}

std::optional<double> TimeLeft::seconds(double now, double fraction) {
  constexpr double kSoonest = 2, kMin = 0.1;  // seconds, share of the phase
  constexpr double kEven = 1.9;               // ratio of paces that do not contradict each other
  constexpr std::size_t kMax = 4096;          // samples that are kept
  const double width = phase_.end - phase_.begin;
  const double done = width > 0 ? std::clamp((fraction - phase_.begin) / width, 0.0, 1.0) : 1;
  const double time = now - phase_.now;
  if (time > samples_.back().time) samples_.push_back({time, std::max(done, samples_.back().done)});
  if (samples_.size() > kMax) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < samples_.size(); i += 2) samples_[kept++] = samples_[i];
    samples_.resize(kept);
  }
  if (!phase_.later || time < kSoonest || done < kMin) return std::nullopt;
  // The pace of all of the phase is the best guess where the work is not even, as long as the latest stretches do not
  // speak against it.
  const auto agrees = [&](std::optional<double> pace) {
    const double whole = samples_.back().done / time;
    return pace && *pace <= kEven * whole && whole <= kEven * *pace;
  };
  if (!agrees(pace_since(time / 2)) || !agrees(pace_since(time * 7 / 8))) return std::nullopt;
  return time / done * (1 - done) + *phase_.later;
}

}  // namespace graze::app
