#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "graze/base/shared_version.h"
#include "graze/map/occupancy_mapper.h"
#include "support/scale.h"

namespace graze {
namespace map_concurrent_test {

// In version n of the map, exactly the points of frame n were hit last: every reader sees all of a frame or none of it.
TEST(ConcurrentMap, ReadersSeeWholeFrames) {
  constexpr int kCells = 200;
  const int frames = graze_test::scaled(60);
  OccupancyMapper mapper({.resolution = 0.1, .model = SensorModel::running_average, .window = 1});
  SharedVersion<OccupancyMap> shared(mapper.map());
  std::atomic<bool> done{false};
  std::atomic<int> torn{0}, looks{0};
  const auto read = [&] {
    while (!done.load(std::memory_order_relaxed) || looks.load() == 0) {
      const OccupancyMap map = shared.current();
      if (map.empty()) continue;
      // Points at a distance that is the same for all of them, by the number of the frame.
      const auto frame = static_cast<int>(*map.newest());
      for (int i = 0; i < kCells; ++i) {
        const CellKey key{frame % 2 == 0 ? 20 : 30, i, 0}, other{frame % 2 == 0 ? 30 : 20, i, 0};
        const bool here = map.state(key) == Occupancy::occupied;
        const bool there = map.state(other) == Occupancy::occupied;
        if (!here || (frame % 2 == 1 && there)) ++torn;
      }
      ++looks;
    }
  };
  std::vector<std::thread> readers;
  for (int i = 0; i < 2; ++i) readers.emplace_back(read);
  for (int frame = 0; frame < frames; ++frame) {
    std::vector<Vec3> points;
    for (int i = 0; i < kCells; ++i) points.emplace_back((frame % 2 == 0 ? 20 : 30) * 0.1 + 0.05, 0.1 * i + 0.05, 0.05);
    // Rays along x, so that the far wall clears the near one.
    for (const Vec3& p : points) {
      mapper.insert(
          {.points = std::span<const Vec3>(&p, 1), .origin = Vec3(0.05, p.y(), p.z()), .time = double(frame)});
    }
    shared.publish(mapper.map());
  }
  done = true;
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(torn.load(), 0);
  EXPECT_GT(looks.load(), 0);
}

}  // namespace map_concurrent_test
}  // namespace graze
