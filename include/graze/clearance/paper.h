// The four methods of Schauer and Nüchter, "Collision detection between point clouds using an efficient k-d tree
// implementation" (2015), as the paper describes them: for comparison, and for models that deform from pose to pose.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "graze/base/pose.h"

namespace graze::clearance {

/// The four methods of the paper.
enum class PaperMethod : std::uint8_t {
  kd_cd_simple,  ///< section 4.1: scan points nearer than r to a model point at a pose
  kd_cd,         ///< section 4.2: … to the straight segment between a model point's places at consecutive poses
  kd_pd_fast,    ///< section 5.1: depth = distance to the nearest point that does not collide
  kd_pd,         ///< section 5.2: depth = greatest distance of a model point to the colliding point nearest to it on
                 ///< its path to the travel axis
};
/// "kd-CD-simple", "kd-CD", "kd-PD-fast", "kd-PD"
std::string_view name_of(PaperMethod method);

/// d_m = d_t = (2/3)√3 r, the edge of the voxel that the ball of radius r circumscribes (Table 1).
double paper_spacing(double radius);

/// The model reduction of section 6: the centres of the occupied voxels of a lattice with this edge, anchored at the
/// lowest corner of the points; ordered by x, then y, then z of the voxel. Points that are not finite are left out.
/// Throws Error for an edge that is not positive or so small that more than 2^21 voxels lie along an axis.
std::vector<Vec3> voxel_centres(std::span<const Vec3> points, double edge);

/// The trajectory sampling of section 6: poses at equal distances of at most `spacing` along the travelled path, the
/// first and the last included; interpolated as `Motion` does. Throws Error for a spacing that is not positive.
std::vector<Pose> sample_path(std::span<const Pose> path, double spacing);

/// Options of PaperClearance.
struct PaperOptions {
  double radius = 0.05;  ///< r, the required safety distance in metres; a point exactly at r does not collide
  int axis = 0;          ///< travel axis of the model's frame: 0 x (REP-103), 1 y (the paper's figures), 2 z
  int threads = 0;       ///< 0: as many as the machine has. Answers do not depend on it.
};

/// The methods for one model and path. Sets and depths are, to the bit, those of the naive loops over all model points
/// and poses: place w = pose * m, collides where |p − w|² < r².
///
///     auto model = voxel_centres(wagon, paper_spacing(r));
///     PaperClearance paper(model, sample_path(poses, paper_spacing(r)), {.radius = r});
///     std::vector<std::uint8_t> hits = paper.colliding(PaperMethod::kd_cd, scan);
///     std::vector<double> depth = paper.depth(PaperMethod::kd_pd, scan, hits);
class PaperClearance {
 public:
  /// Throws Error for an empty path, a radius that is not positive and finite, model points that are not finite and an
  /// axis that is none.
  PaperClearance(std::span<const Vec3> model, std::span<const Pose> path, const PaperOptions& options = {});
  /// A model that deforms: models[i] are the points at pose i. kd-CD joins point k of one pose with point k of the
  /// next, so all have the same number of points; throws Error otherwise.
  PaperClearance(std::vector<std::vector<Vec3>> models, std::span<const Pose> path, const PaperOptions& options = {});

  /// 1 for every scan point that collides, by kd_cd_simple or kd_cd; points that are not finite are 0.
  std::vector<std::uint8_t> colliding(PaperMethod method, std::span<const Vec3> scan) const;

  /// Depth in metres of the points with colliding[i] != 0, by kd_pd_fast or kd_pd; 0 for the others and for those that
  /// no search reached. kd-PD-fast of a scan that collides everywhere is infinite.
  std::vector<double> depth(PaperMethod method, std::span<const Vec3> scan,
                            std::span<const std::uint8_t> colliding) const;

  /// As given.
  const PaperOptions& options() const { return options_; }
  std::span<const Pose> path() const { return path_; }
  /// The model's points at a pose.
  std::span<const Vec3> model(std::size_t pose) const { return models_.size() == 1 ? models_[0] : models_[pose]; }
  /// Whether there is a model per pose.
  bool is_deforming() const { return models_.size() != 1; }

 private:
  std::vector<std::vector<Vec3>> models_;  // one, or one per pose
  std::vector<Pose> path_;
  PaperOptions options_;
};

}  // namespace graze::clearance
