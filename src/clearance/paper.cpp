#include "graze/clearance/paper.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "graze/base/error.h"
#include "graze/motion/motion.h"

namespace graze::clearance {

std::string_view name_of(PaperMethod method) {
  switch (method) {
    case PaperMethod::kd_cd_simple:
      return "kd-CD-simple";
    case PaperMethod::kd_cd:
      return "kd-CD";
    case PaperMethod::kd_pd_fast:
      return "kd-PD-fast";
    case PaperMethod::kd_pd:
      return "kd-PD";
  }
  return "";
}

double paper_spacing(double radius) { return 2.0 / 3.0 * std::sqrt(3.0) * radius; }

std::vector<Vec3> voxel_centres(std::span<const Vec3> points, double edge) {
  if (!(edge > 0 && std::isfinite(edge))) throw Error("voxel edge", "is not positive");
  Vec3 low = Vec3::Constant(kInfinity), high = Vec3::Constant(-kInfinity);
  for (const Vec3& p : points) {
    if (!is_finite(p)) continue;
    low = low.cwiseMin(p);
    high = high.cwiseMax(p);
  }
  constexpr int kBits = 21;
  if ((high - low).maxCoeff() / edge >= (1 << kBits)) throw Error("voxel edge", "is too small for the points");
  std::vector<std::uint64_t> keys;
  keys.reserve(points.size());
  for (const Vec3& p : points) {
    if (!is_finite(p)) continue;
    std::uint64_t key = 0;
    for (int i = 0; i < 3; ++i) key = key << kBits | static_cast<std::uint64_t>((p[i] - low[i]) / edge);
    keys.push_back(key);
  }
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  std::vector<Vec3> centres;
  centres.reserve(keys.size());
  for (const std::uint64_t key : keys) {
    constexpr std::uint64_t kMask = (std::uint64_t{1} << kBits) - 1;
    const Vec3 cell(static_cast<double>(key >> (2 * kBits)), static_cast<double>(key >> kBits & kMask),
                    static_cast<double>(key & kMask));
    centres.emplace_back(low + edge * (cell + Vec3::Constant(0.5)));
  }
  return centres;
}

std::vector<Pose> sample_path(std::span<const Pose> path, double spacing) {
  if (!(spacing > 0)) throw Error("spacing", "is not positive");
  if (path.size() < 2) return {path.begin(), path.end()};
  std::vector<double> travelled{0};
  for (std::size_t i = 1; i < path.size(); ++i) {
    travelled.push_back(travelled.back() + (path[i].translation() - path[i - 1].translation()).norm());
  }
  const double parts = std::max(1.0, std::ceil(travelled.back() / spacing * (1 - 1e-12)));
  if (!(parts < 0x7FFFFFFF)) throw Error("spacing", "is too small for the path");
  std::vector<Pose> samples;
  std::size_t i = 0;
  for (std::size_t k = 0; k <= static_cast<std::size_t>(parts); ++k) {
    const double at = travelled.back() * static_cast<double>(k) / parts;
    while (i + 2 < path.size() && travelled[i + 1] < at) ++i;
    const double length = travelled[i + 1] - travelled[i];
    const bool last = k == static_cast<std::size_t>(parts);
    samples.push_back(last ? path.back()
                           : Motion(path[i], path[i + 1]).at(length > 0 ? (at - travelled[i]) / length : 0.0));
  }
  return samples;
}

PaperClearance::PaperClearance(std::span<const Vec3> model, std::span<const Pose> path, const PaperOptions& options)
    : PaperClearance(std::vector<std::vector<Vec3>>{{model.begin(), model.end()}}, path, options) {}

PaperClearance::PaperClearance(std::vector<std::vector<Vec3>> models, std::span<const Pose> path,
                               const PaperOptions& options)
    : models_(std::move(models)), path_(path.begin(), path.end()), options_(options) {
  if (path_.empty()) throw Error("path", "has no pose");
  if (path_.size() >= 0x7FFFFFFF) throw Error("path", "has more than 2^31 poses");
  if (!(options.radius > 0 && options.radius <= kLargestLength))
    throw Error("radius", fmt::format("must be positive and at most 1e50, got {}", options.radius));
  if (options.axis < 0 || options.axis > 2) throw Error("axis", fmt::format("must be 0, 1 or 2, got {}", options.axis));
  if (models_.size() != 1 && models_.size() != path_.size())
    throw Error("models", fmt::format("must be 1 or as many as the {} poses, got {}", path_.size(), models_.size()));
  for (const auto& model : models_) {
    if (model.size() != models_[0].size()) throw Error("models", "differ in their number of points");
    if (!std::all_of(model.begin(), model.end(), is_finite)) throw Error("model", "has a point that is not finite");
  }
}

}  // namespace graze::clearance
