// Obstacles of which only the nearest points are known, in the plane and in space.
#pragma once

#include <concepts>
#include <memory>
#include <optional>
#include <utility>

#include "graze/base/vec.h"

namespace graze {

/// An obstacle of one's own: whatever finds the nearest point of its boundary. The distance must not exceed the truth
/// by more than the tolerance that comes with it; what is not a number is a collision.
template <class T, class Space>
concept HasNearest = requires(const T& obstacle, const typename Space::Vec& q) {
  { obstacle.nearest(q) } -> std::convertible_to<typename Space::NearestPoint>;
};

/// Holds an obstacle of one's own in a Space, which is planar::Plane or spatial::Space. From nearest(q) follow checks,
/// and sweeps by steps that are certified: what is free by a gap is free as long as it has not moved by as much. What
/// else the type has is used instead:
///
///     Box bounds() const;                               // without it, the obstacle is asked in every query
///     static constexpr bool kConvex = true;             // steps go to the line or plane behind which it lies
///     bool collide(const Vec& q, double radius) const;
///     Hit sweep(const Path& path, double radius) const;
template <class Space>
class CustomObstacle {
 public:
  using Vec = typename Space::Vec;                    ///< a point
  using Box = typename Space::Box;                    ///< a box along the axes
  using Path = typename Space::Path;                  ///< where a disc or a ball goes
  using NearestPoint = typename Space::NearestPoint;  ///< what nearest() gives
  using Hit = typename Space::Hit;                    ///< what sweep() gives

  /// Copies share the obstacle, which is never changed; its functions are called by any number of threads.
  template <HasNearest<Space> T>
  explicit CustomObstacle(T obstacle) : model_(std::make_shared<const Model<T>>(std::move(obstacle))) {}

  /// What the obstacle says.
  NearestPoint nearest(const Vec& q) const { return model_->nearest(q); }
  /// Its own bounds, or everything.
  Box bounds() const { return model_->bounds(); }
  /// Whether it promised to be convex.
  bool convex() const { return model_->convex(); }
  /// Its own check, if it has one.
  std::optional<bool> collide(const Vec& q, double radius) const { return model_->collide(q, radius); }
  /// Its own sweep, if it has one.
  std::optional<Hit> sweep(const Path& path, double radius) const { return model_->sweep(path, radius); }

 private:
  struct Interface {
    virtual ~Interface() = default;
    virtual NearestPoint nearest(const Vec& q) const = 0;
    virtual Box bounds() const = 0;
    virtual bool convex() const = 0;
    virtual std::optional<bool> collide(const Vec& q, double radius) const = 0;
    virtual std::optional<Hit> sweep(const Path& path, double radius) const = 0;
  };
  template <class T>
  struct Model final : Interface {
    explicit Model(T held) : obstacle(std::move(held)) {}
    NearestPoint nearest(const Vec& q) const override { return obstacle.nearest(q); }
    Box bounds() const override {
      if constexpr (requires { obstacle.bounds(); }) return obstacle.bounds();
      else return {Vec::Constant(-kInfinity), Vec::Constant(kInfinity)};
    }
    bool convex() const override {
      if constexpr (requires { T::kConvex; }) return T::kConvex;
      else return false;
    }
    std::optional<bool> collide(const Vec& q, double radius) const override {
      if constexpr (requires { obstacle.collide(q, radius); }) return obstacle.collide(q, radius);
      else return std::nullopt;
    }
    std::optional<Hit> sweep(const Path& path, double radius) const override {
      if constexpr (requires { obstacle.sweep(path, radius); }) return obstacle.sweep(path, radius);
      else return std::nullopt;
    }
    T obstacle;
  };
  std::shared_ptr<const Interface> model_;
};

}  // namespace graze
