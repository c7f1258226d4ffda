// Open3D's RaycastingScene, queried in a process of its own.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "meshes_scene.h"

namespace points_in_meshes_bench {

using graze::Vec3;

struct Questions {
  std::vector<Vec3> contains, distance;
  std::vector<Vec3> origins, directions;  // of rays
};

struct PeerAnswers {
  std::string name;
  double contains_ns = 0, distance_ns = 0, rays_ns = 0;  // CPU time per question, on one thread
  std::vector<float> contains, distance, rays;           // 0 or 1; metres, negative inside; metres or infinite
};

/// Nothing, with the reason, where Open3D is not installed or does not answer.
std::optional<PeerAnswers> ask_open3d(const meshes_bench::Soup& soup, const Questions& questions, std::string& reason);

}  // namespace points_in_meshes_bench
