// How likely two noisy clouds collide.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "graze/geometry/geometry.h"
#include "graze/shape/checked.h"

namespace graze {

namespace detail {
struct Access;
struct ProbabilityMemory;
}  // namespace detail

/// When two points, displaced by their noise, count as colliding. docs/probability.md says why there are two answers.
enum class Meeting : std::uint8_t {
  automatic,  ///< balls if any of the two clouds has a radius, otherwise sides
  balls,      ///< their balls touch
  sides,      ///< along the line from one measured point to the other, their balls touch or have passed each other
};

/// Options of probability().
struct ProbabilityOptions {
  /// Metres: the standard deviation of each coordinate of each point. 0: the points are where they are.
  checked::Size<"sigma_a", checked::Sign::not_negative> sigma_a = 0.0;
  checked::Size<"sigma_b", checked::Sign::not_negative> sigma_b = 0.0;  ///< the same for cloud b
  Meeting meeting = Meeting::automatic;                                 ///< what it means that two points meet
  /// Absolute. Sampling ends when the answer is known this well, or when `samples` are drawn.
  double tolerance = 0.01;
  /// At most so many for each union of events that has no closed form; fewer for unions of very many pairs, so that the
  /// time is bounded.
  std::size_t samples = 10000;
  /// Optional, one number per point of the cloud: receives the probability that this point collides with the other
  /// cloud; 0 for skipped points.
  std::span<double> of_a = {}, of_b = {};
};

/// What probability() returns.
struct Probability {
  /// Between 0 and 1. What placing the clouds may be wrong by (Placed::uncertainty, rounding) counts as nearness.
  double value = 0;
  /// The model's exact probability lies between these, but for one chance in a million where pairs had to be sampled.
  double low = 0, high = 0;
  /// What the numbers in `of_a` and `of_b` may be wrong by, in the same sense.
  double points_error = 0;

  /// The true value is within this of `value`.
  double error() const { return value - low > high - value ? value - low : high - value; }
};

/// Memory for questions about probability. It grows to what the largest of them needed; where it suffices, asking does
/// not allocate. For one thread at a time.
class ProbabilityScratch {
 public:
  ProbabilityScratch();
  ProbabilityScratch(ProbabilityScratch&&) noexcept;
  ProbabilityScratch& operator=(ProbabilityScratch&&) noexcept;
  ~ProbabilityScratch();

 private:
  friend struct detail::Access;
  std::unique_ptr<detail::ProbabilityMemory> memory_;
};

/// The probability that two clouds collide of which every point stands where it was measured plus Gaussian noise,
/// independent for every point and every coordinate: that at least one point of a meets one of b. Without noise this is
/// collide(a, b): 0 or 1, and touching is 1. A cloud without points collides with nothing.
///
/// One pair has a closed form; what many pairs that share points do together is found by importance sampling with a
/// fixed seed: the same question always gets the same answer, in both orders of its arguments. Points far apart are
/// left out; what they could contribute is part of `high`.
/// Time grows with the number of pairs within some standard deviations of touching and is bounded by one or two seconds
/// (three times that where `of_a` and `of_b` are asked for); memory by about 60 MB plus 28 bytes per point.
///
/// Throws Error if a or b is no cloud, if the tolerance is NaN or negative, or if `of_a` or `of_b` are neither empty
/// nor of the size of their cloud. Bad sigmas throw when the options are made.
///
///     Probability p = probability(at(held, gripper), at(scan), {.sigma_a = 0.002, .sigma_b = 0.005});
///     if (p.high > 1e-3) replan();
Probability probability(const Placed& a, const Placed& b, const ProbabilityOptions& options,
                        ProbabilityScratch& scratch);
/// The same with memory of its own.
Probability probability(const Placed& a, const Placed& b, const ProbabilityOptions& options = {});

}  // namespace graze
