// The page that `graze demo` writes.
#pragma once

#include <string>
#include <vector>

#include "demo_render.h"
#include "demo_scene.h"

namespace graze::app {

struct DemoResults {
  Scene scene;
  std::vector<PairReport> pairs;
  Throughput throughput{};
  Picture picture;
  double seconds_for_picture = 0;
};

/// One self-contained HTML page: the picture with nearest points and contacts drawn over it, and the table of pairs.
std::string page(const DemoResults& results, const Camera& camera);

/// "3.4 million", "812 thousand".
std::string rounded(double count);

/// With so many digits after the point; what rounds to zero has no sign.
std::string metres(double value, int digits);

/// "crate – floor".
std::string pair_name(const Scene& scene, const PairReport& pair);

}  // namespace graze::app
