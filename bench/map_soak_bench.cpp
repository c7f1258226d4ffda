// A map that frames change as fast as they can, while another thread asks its newest version: two cores.
#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "claims.h"
#include "graze/base/shared_version.h"
#include "graze/geometry/map_view.h"
#include "graze/query/collide.h"
#include "graze/query/distance.h"
#include "graze/shape/capsule.h"
#include "maps_scene.h"
#include "timing.h"

namespace {

using namespace maps_bench;  // NOLINT: a benchmark
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

struct Outcome {
  double frames_per_second = 0, slowest_frame_ms = 0;
  std::size_t queries = 0, versions_seen = 0, out_of_order = 0;
  double median_us = 0, p999_us = 0;
  std::size_t bytes_early = 0, bytes_late = 0;
};

/// Writes for `seconds`: a frame, a version, its view. The reader takes the newest view for each question.
template <class Insert>
Outcome soak(double resolution, const std::vector<Frame>& frames, double seconds, Insert insert) {
  struct Version {
    MapView view;
    std::size_t number;
  };
  OccupancyMapper mapper({.resolution = resolution});
  insert(mapper, frames[0]);
  const auto version_of = [&](std::size_t number) {
    return std::make_shared<const Version>(Version{MapView(mapper.map(), UnknownSpace::free), number});
  };
  SharedVersion<std::shared_ptr<const Version>> shared(version_of(0));
  std::atomic<bool> done{false};
  Outcome outcome;
  std::vector<float> times;
  times.reserve(std::size_t{1} << 24U);
  std::thread reader([&] {
    const Capsule arm{.radius = 0.05, .half_length = 0.15};
    std::size_t last = 0;
    for (std::size_t i = 0; !done.load(std::memory_order_relaxed); ++i) {
      const double t = static_cast<double>(i) * 1e-3;
      const Placed body = at(arm, Pose::from_rpy({std::sin(t), 0.8 * std::cos(1.3 * t), 1.2}, 0, t, 0));
      const auto start = Clock::now();
      const auto version = shared.current();
      if (i % 4 == 0) graze::bench::keep(distance(body, at(version->view), {.limit = 0.5, .depth = false}).value);
      else graze::bench::keep(collide(body, at(version->view)));
      if (times.size() < times.capacity()) times.push_back(static_cast<float>(1e6 * seconds_since(start)));
      outcome.out_of_order += version->number < last ? 1U : 0U;
      outcome.versions_seen += version->number != last ? 1U : 0U;
      last = version->number;
    }
  });
  const auto start = Clock::now();
  std::size_t count = 0;
  while (seconds_since(start) < seconds) {
    const auto begun = Clock::now();
    insert(mapper, frames[++count % frames.size()]);
    shared.publish(version_of(count));
    outcome.slowest_frame_ms = std::max(outcome.slowest_frame_ms, 1e3 * seconds_since(begun));
    if (count == 2 * frames.size()) outcome.bytes_early = mapper.memory_bytes();
  }
  outcome.frames_per_second = static_cast<double>(count) / seconds_since(start);
  outcome.bytes_late = mapper.memory_bytes();
  done = true;
  reader.join();
  std::sort(times.begin(), times.end());
  outcome.queries = times.size();
  if (!times.empty()) {
    outcome.median_us = double{times[times.size() / 2]};
    outcome.p999_us = double{times[times.size() - 1 - times.size() / 1000]};
  }
  return outcome;
}

}  // namespace

int main(int argc, char** argv) {
  graze::bench::Claims claims(argc, argv);
  const Room room;
  std::vector<Frame> frames;
  for (int i = 0; i < 6; ++i) frames.push_back(depth_frame(room, i));
  const auto run = [&](const char* name, double resolution, double goal, auto insert) {
    const Outcome o = soak(resolution, frames, 5, insert);
    fmt::print(
        "{}: {:.1f} frames/s, slowest {:.1f} ms; {} queries of {} versions, median {:.2f} us, p99.9 {:.1f} us; writer "
        "{:.1f} "
        "MB early, {:.1f} MB late\n",
        name, o.frames_per_second, o.slowest_frame_ms, o.queries, o.versions_seen, o.median_us, o.p999_us,
        static_cast<double>(o.bytes_early) / 1e6, static_cast<double>(o.bytes_late) / 1e6);
    claims.add({.id = fmt::format("map_soak/{}", name),
                .ours = o.frames_per_second,
                .peer_name = "sensor",
                .peer = goal,
                .unit = "Hz",
                .goal = 1,
                .agree = o.out_of_order == 0 && o.versions_seen > 0,
                .rate = true});
  };
  const auto points = [](OccupancyMapper& mapper, const Frame& frame) { insert_points(mapper, frame, 4); };
  run("points, 2 cm", 0.02, 30, points);
  run("image, 2 cm", 0.02, 30, insert_image);
  run("points, 1 cm", 0.01, 15, points);
  run("image, 1 cm", 0.01, 15, insert_image);
  return claims.finish();
}
