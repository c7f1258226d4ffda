// How long work still takes.
#pragma once

#include <optional>
#include <vector>

namespace graze::app {

/// Predicts the end of work from its pace. There is no answer while that would be a guess: at the start, where the
/// pace changes, and in a phase after which the later ones take an unknown time. Times are seconds of any clock.
///
///     TimeLeft left;
///     left.start_phase({.now = 0, .end = 0.1, .later = std::nullopt});   // reading
///     left.start_phase({.now = 12, .begin = 0.1, .end = 0.7, .later = 5});  // measuring; writing takes about 5 s
///     left.seconds(30, 0.4)
class TimeLeft {
 public:
  struct Phase {
    double now = 0;               ///< when it starts
    double begin = 0, end = 1;    ///< fractions of the whole
    std::optional<double> later;  ///< seconds that the phases behind it take
  };

  /// One phase is all of the work, unless this is called.
  void start_phase(const Phase& phase);
  /// Takes the fraction of the whole that is done; returns the seconds that are left, if they can be estimated.
  std::optional<double> seconds(double now, double fraction);

 private:
  struct Sample {
    double time, done;  // since the start of the phase, and of it
  };
  // Share of the phase per second since a time.
  std::optional<double> pace_since(double time) const;

  Phase phase_{.later = 0};
  std::vector<Sample> samples_ = {{0, 0}};
};

}  // namespace graze::app
