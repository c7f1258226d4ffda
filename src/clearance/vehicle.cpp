#include "graze/clearance/vehicle.h"

#include <fmt/format.h>

#include <cmath>

#include "clearance/trajectory_limits.h"
#include "graze/base/error.h"
#include "graze/base/parallel.h"

namespace graze::clearance {
namespace {

// How steep the line between the bogies may be: the sine of its angle with the vertical.
constexpr double kSteepest = 1e-3;
// A body whose rear bogie runs one step may move this many steps before it is a jump.
constexpr double kLongestStep = 4;

/// A frame without cant: forward, level to the left, and up.
struct LevelFrame {
  Vec3 forward, left, up;
};

LevelFrame level_frame(const Vec3& forward, double chainage) {
  const Vec3 across = Vec3::UnitZ().cross(forward);
  if (!(across.norm() > kSteepest)) {
    throw Error("track",
                fmt::format("climbs vertically or turns over at chainage {:.3f}; is z up in its poses?", chainage));
  }
  const Vec3 left = unit_vector(across);
  return {forward, left, forward.cross(left)};
}

/// The cosine and sine of a roll; positive lifts the left side.
struct Roll {
  double cosine, sine;
};

Roll unit_roll(double cosine, double sine, double chainage) {
  const double norm = std::sqrt(cosine * cosine + sine * sine);
  if (!(norm > kSteepest)) {
    throw Error("track",
                fmt::format("climbs vertically or turns over at chainage {:.3f}; is z up in its poses?", chainage));
  }
  return {cosine / norm, sine / norm};
}

/// The cant of the track at a position: the roll of its up-axis about its direction there.
Roll cant_at(const Track& track, const TrackPosition& position, const Vec3& chord) {
  const std::vector<Pose>& poses = track.trajectory().poses;
  const std::size_t next = std::min(position.segment + 1, poses.size() - 1);
  const Vec3 segment = poses[next].translation() - poses[position.segment].translation();
  const LevelFrame level = level_frame(segment.squaredNorm() > 0 ? unit_vector(segment) : chord, position.chainage);
  const Vec3 up = track.pose_at(position).rotation().col(2);
  return unit_roll(up.dot(level.up), -up.dot(level.left), position.chainage);
}

/// The pose at which the bogie centres of a vehicle stand at two places of a track. Half of the sum of two angles is
/// the angle of the sum of their unit vectors, which needs no sine and no arc.
Pose body_between(const Vehicle& vehicle, const Track& track, const TrackPosition& rear, const TrackPosition& front) {
  const Vec3 segment = front.position - rear.position;
  const LevelFrame level = level_frame(unit_vector(segment), rear.chainage);
  const Roll a = cant_at(track, rear, level.forward), b = cant_at(track, front, level.forward);
  const Roll roll = unit_roll(a.cosine + b.cosine, a.sine + b.sine, rear.chainage);
  const Vec3& forward = level.forward;
  Mat3 rotation;
  rotation.col(1) = unit_vector(roll.cosine * level.left + roll.sine * level.up);
  const Vec3 above = forward.cross(Vec3(rotation.col(1)));
  // Bogie centres at different heights tilt the body against the line between them.
  const Vec3 span = vehicle.front_bogie() - vehicle.rear_bogie();
  const double cosine = span.x() / span.norm(), sine = span.z() / span.norm();
  rotation.col(0) = cosine * forward - sine * above;
  rotation.col(2) = sine * forward + cosine * above;
  const Vec3 middle = (vehicle.rear_bogie() + vehicle.front_bogie()) / 2;
  return Pose::from_matrix(rear.position + segment / 2 - rotation * middle, rotation);
}

}  // namespace

void Vehicle::check() const {
  const auto refuse = [](const char* field, const char* demand, double value) {
    throw Error(field, fmt::format("must be {}, got {}", demand, value));
  };
  if (!(bogie_distance > 0) || !std::isfinite(bogie_distance)) {
    refuse("bogie_distance", "positive and finite", bogie_distance);
  }
  if (!(length >= 0) || !std::isfinite(length)) refuse("length", "finite and not negative", length);
  if (!std::isfinite(bogie_middle)) refuse("bogie_middle", "finite", bogie_middle);
  if (!std::isfinite(rear_axis_height)) refuse("axis_heights", "finite", rear_axis_height);
  if (!std::isfinite(front_axis_height)) refuse("axis_heights", "finite", front_axis_height);
}

double center_throw(const Vehicle& vehicle, double radius) {
  return vehicle.bogie_distance * vehicle.bogie_distance / (8 * radius);
}

double end_throw(const Vehicle& vehicle, double radius) {
  return (vehicle.length - vehicle.bogie_distance) * (vehicle.length + vehicle.bogie_distance) / (8 * radius);
}

VehicleRun run_along(const Track& track, const Vehicle& vehicle, const FollowOptions& options) {
  vehicle.check();
  if (!(options.step > 0) || !std::isfinite(options.step)) {
    throw Error("step", fmt::format("must be positive and finite, got {}", options.step));
  }
  const double span = (vehicle.front_bogie() - vehicle.rear_bogie()).norm();
  const TrackPosition end = track.position_at(track.length());
  const TrackPosition last = track.behind(end, span);
  if (!std::isfinite(last.distance)) {
    throw Error("track", fmt::format("is {:.3f} m long, too short for bogies {:.3f} m apart", track.length(), span));
  }
  const double wanted = std::ceil(last.chainage / options.step);
  if (!(wanted < kMaxPoses)) {
    throw Error("step", fmt::format("{} m makes {:.3g} poses; the limit is 2^26", options.step, wanted));
  }
  const auto pieces = static_cast<std::size_t>(wanted);
  const std::size_t count = pieces + 1;
  VehicleRun run;
  run.body.poses.resize(count);
  if (!track.trajectory().times.empty()) run.body.times.resize(count);
  run.rear.resize(count);
  run.front.resize(count);
  const double step = pieces == 0 ? 0 : last.chainage / static_cast<double>(pieces);

  parallel_for(count,
               [&](std::size_t i) {
                 const TrackPosition rear = i == pieces ? last : track.position_at(step * static_cast<double>(i));
                 const TrackPosition front = i == pieces ? end : track.ahead(rear, span);
                 if (!std::isfinite(front.distance)) {
                   throw Error("track", fmt::format("doubles back behind chainage {:.3f}: no room for the front bogie",
                                                    rear.chainage));
                 }
                 run.body.poses[i] = body_between(vehicle, track, rear, front);
                 if (!run.body.times.empty()) run.body.times[i] = track.time_at(rear);
                 run.rear[i] = rear.chainage;
                 run.front[i] = front.chainage;
               },
               {.threads = options.threads});

  for (std::size_t i = 1; i < count; ++i) {
    const double moved = run.front[i] - run.front[i - 1];
    if (std::abs(moved) <= kLongestStep * step + kLongestStep * kEpsilon * track.length()) continue;
    throw Error("track", fmt::format("doubles back: when the rear bogie runs on from chainage {:.3f} by {:.3f} m, the "
                                     "front bogie would jump from {:.3f} to {:.3f}; smooth or resample it",
                                     run.rear[i - 1], step, run.front[i - 1], run.front[i]));
  }
  return run;
}

Trajectory follow(const Track& track, const Vehicle& vehicle, const FollowOptions& options) {
  return run_along(track, vehicle, options).body;
}

}  // namespace graze::clearance
