#include "graze/motion/spline.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "graze/base/elementary.h"
#include "graze/base/error.h"
#include "graze/motion/motion.h"

namespace graze {
namespace {

// The vector of the same rotation, of those that differ by whole turns, that is nearest to another one.
Vec3 unwound(const Vec3& rotation, const Vec3& near) {
  const double angle = rotation.norm();
  if (!(angle > 0)) return rotation;
  const Vec3 axis = rotation / angle;
  const double turns = std::round((near.dot(axis) - angle) / (2 * std::numbers::pi));
  return axis * (angle + 2 * std::numbers::pi * turns);
}

}  // namespace

Vec3 Spline::Cubic::value(double u) const {
  const double v = 1 - u;
  return v * v * v * at[0] + 3 * u * v * v * at[1] + 3 * u * u * v * at[2] + u * u * u * at[3];
}

double Spline::Cubic::max_velocity() const {
  return 3 * std::max({(at[1] - at[0]).norm(), (at[2] - at[1]).norm(), (at[3] - at[2]).norm()});
}

double Spline::Cubic::max_acceleration() const {
  return 6 * std::max((at[2] - 2 * at[1] + at[0]).norm(), (at[3] - 2 * at[2] + at[1]).norm());
}

Spline::Spline(std::span<const Pose> poses) : poses_(poses.begin(), poses.end()) {
  if (poses.empty()) throw Error("spline", "has no poses");
  const std::size_t count = poses.size();
  std::vector<Vec3> places, turns;
  for (const Pose& pose : poses_) {
    const Motion since(poses_.front(), pose);
    const Vec3 turn = since.turn() * since.axis();
    places.push_back(pose.translation());
    turns.push_back(turns.empty() ? turn : unwound(turn, turns.back()));
  }
  const auto velocity = [&](const std::vector<Vec3>& at, std::size_t i) {
    if (i == 0) return Vec3(at[1] - at[0]);
    if (i + 1 == count) return Vec3(at[i] - at[i - 1]);
    return Vec3((at[i + 1] - at[i - 1]) / 2);
  };
  const auto piece = [&](const std::vector<Vec3>& at, std::size_t i) {
    return Cubic{{at[i], at[i] + velocity(at, i) / 3, at[i + 1] - velocity(at, i + 1) / 3, at[i + 1]}};
  };
  for (std::size_t i = 0; i + 1 < count; ++i) pieces_.push_back({piece(places, i), piece(turns, i)});
}

Pose Spline::at(double t) const {
  if (pieces_.empty() || !(t > 0)) return poses_.front();
  if (t >= 1) return poses_.back();
  const double along = t * static_cast<double>(pieces_.size());
  const std::size_t i = std::min(static_cast<std::size_t>(along), pieces_.size() - 1);
  const double u = along - static_cast<double>(i);
  const Vec3 turn = pieces_[i].turn.value(u);
  const double angle = turn.norm();
  const auto [sine, cosine] = elementary::sin_cos(angle / 2);
  const Vec3 v = angle > 0 ? Vec3(turn * (sine / angle)) : Vec3(Vec3::Zero());
  const Pose turned = Pose::from_wxyz(Vec3::Zero(), cosine, v.x(), v.y(), v.z());
  return (turned * poses_.front().moved_to(Vec3::Zero())).moved_to(pieces_[i].place.value(u));
}

template <class Visit>
void Spline::each_piece(double begin, double end, const Visit& visit) const {
  const auto count = static_cast<double>(pieces_.size());
  begin = std::clamp(begin, 0.0, 1.0) * count, end = std::clamp(end, 0.0, 1.0) * count;
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    const auto first = static_cast<double>(i);
    // Touching counts: where two pieces meet, either may be meant.
    if (end >= first && begin <= first + 1)
      visit(pieces_[i], std::max(0.0, std::min(end, first + 1) - std::max(begin, first)));
  }
}

double Spline::reach(double radius, double begin, double end) const {
  double sum = 0;
  each_piece(begin, end, [&](const Piece& piece, double part) {
    // A rotation vector that changes at a rate turns the body no faster than that.
    sum += part * (piece.place.max_velocity() + radius * piece.turn.max_velocity());
  });
  return sum;
}

double Spline::bend(double radius, double begin, double end) const {
  const auto count = static_cast<double>(pieces_.size());
  double max = 0;
  each_piece(begin, end, [&](const Piece& piece, double) {
    // With the rotation vector r the angular velocity is the mean of exp(s r) r' over s from 0 to 1: not above |r'|,
    // and its change not above |r''| + |r'|² / 2. A point at a radius accelerates by that and by the square of the
    // former.
    const double rate = piece.turn.max_velocity(), change = piece.turn.max_acceleration();
    max = std::max(max, piece.place.max_acceleration() + radius * (change + 1.5 * rate * rate));
  });
  return max * count * count;
}

}  // namespace graze
