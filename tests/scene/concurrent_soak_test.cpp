// A writer that publishes a scan thirty times a second, and readers that ask all the time: small on every change, for
// an hour on demand:
//
//     GRAZE_SOAK_SECONDS=3600 GRAZE_SOAK_POINTS=300000 graze_test_scene --gtest_filter=ConcurrentSoak.*
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "graze/scene/scene_editor.h"
#include "graze/scene/scene_query.h"
#include "graze/scene/shared_scene.h"
#include "support/allocations.h"
#include "support/generator.h"

namespace graze_test {
namespace concurrent_soak_test {

using namespace graze;
using Clock = std::chrono::steady_clock;

double environment(const char* name, double fallback) {
  const char* text = std::getenv(name);
  const double value = text ? std::atof(text) : fallback;
  return value > 0 ? value : fallback;
}

constexpr int kObjects = 20;
constexpr double kPeriod = 1.0 / 30;
constexpr double kHeights = 1000;  // frames until heights repeat

// Frame f: a flat scan and boxes above it, all at the height f mod kHeights. Whatever a reader finds at another height
// belongs to another frame.
double height_of(std::uint64_t frame) { return static_cast<double>(frame % static_cast<std::uint64_t>(kHeights)); }

Cloud scan_at(double height, int points, Generator& random) {
  std::vector<Eigen::Vector3f> scan;
  for (int i = 0; i < points; ++i) {
    scan.emplace_back(static_cast<float>(random.uniform(-5, 5)), static_cast<float>(random.uniform(-5, 5)),
                      static_cast<float>(height));
  }
  scan[0] = {0, 0, static_cast<float>(height)};
  Cloud cloud(std::span<const Eigen::Vector3f>(scan), {.radius = 0.01});
  cloud.prepare();
  return cloud;
}

void write(SceneEditor& editor, std::uint64_t frame, int points, Generator& random) {
  const double height = height_of(frame);
  editor.replace("scan", scan_at(height, points, random));
  for (int i = 0; i < kObjects; ++i) editor.move("o" + std::to_string(i), Pose::at({double(i), 9, height}));
}

struct Reader {
  std::string fault;
  std::vector<float> micros;  // of queries
  long looks = 0;
  std::uint64_t last = 0;

  void look(const SharedScene& shared, Generator& random) {
    const Scene scene = shared.current();
    if (scene.version() < last) fault = "an older version than before";
    last = scene.version();
    const double height = scene.object("o0").placed->pose.translation().z();
    const double x = random.integer(0, kObjects - 1);
    const Placed on_scan = at(Sphere{.radius = 0.05}, Pose::at({0, 0, height}));
    const Placed on_object = at(Sphere{.radius = 0.05}, Pose::at({x, 9, height}));
    const Placed above = at(Sphere{.radius = 0.05}, Pose::at({0, 0, height + 0.5}));
    bool hits[3] = {};
    double distance_above = 0;
    const auto start = Clock::now();
    const long allocations = allocations_of([&] {
      hits[0] = collide(scene, on_scan), hits[1] = collide(scene, on_object), hits[2] = collide(scene, above);
      distance_above = distance(scene, above).value;
    });
    const std::chrono::duration<float, std::micro> took = Clock::now() - start;
    if (allocations != 0) fault = "a query that allocates";
    if (!hits[0] || !hits[1]) fault = "something of this version is not found";
    if (hits[2] || !(std::abs(distance_above - 0.44) < 1e-5)) fault = "something of another version is found";
    if (looks % 16 == 0 && micros.size() < 1000000) micros.push_back(took.count() / 4);
    ++looks;
  }
};

// Resident memory in bytes; 0 where nobody says.
double resident() {
  std::ifstream file("/proc/self/statm");
  double size = 0, pages = 0;
  file >> size >> pages;
  return pages * 4096;
}

TEST(ConcurrentSoak, AWriterAtThirtyHertzAndReaders) {
  const double seconds = environment("GRAZE_SOAK_SECONDS", 1);
  const int points = static_cast<int>(environment("GRAZE_SOAK_POINTS", 2000));
  Generator random(1);
  SceneEditor editor;
  editor.add("scan", at(scan_at(0, points, random)));
  for (int i = 0; i < kObjects; ++i)
    editor.add("o" + std::to_string(i), at(Box{.half = {0.1, 0.1, 0.1}}, Pose::at({double(i), 9, 0})));
  SharedScene shared(editor.scene());
  std::atomic<bool> done = false;
  std::vector<Reader> readers(3);
  std::vector<std::thread> threads;
  for (std::size_t r = 0; r < readers.size(); ++r) {
    readers[r].micros.reserve(1000000);
    threads.emplace_back([&, r] {
      Generator own(r);
      while (!done.load(std::memory_order_relaxed)) readers[r].look(shared, own);
    });
  }
  const auto start = Clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  std::uint64_t frame = 0;
  double settled = 0;  // memory after a quarter of the time
  while (elapsed() < seconds || frame < 5) {
    write(editor, ++frame, points, random);
    shared.publish(editor.scene());
    if (settled == 0 && elapsed() > seconds / 4) settled = resident();
    std::this_thread::sleep_until(start + std::chrono::duration_cast<Clock::duration>(
                                              std::chrono::duration<double>(static_cast<double>(frame) * kPeriod)));
  }
  const double after = resident();
  done = true;
  for (std::thread& thread : threads) thread.join();
  std::vector<float> micros;
  long looks = 0;
  for (const Reader& reader : readers) {
    EXPECT_EQ(reader.fault, "");
    EXPECT_GT(reader.looks, 0);
    looks += reader.looks;
    micros.insert(micros.end(), reader.micros.begin(), reader.micros.end());
  }
  std::sort(micros.begin(), micros.end());
  const auto at_rank = [&](double part) { return micros[static_cast<std::size_t>(part * double(micros.size() - 1))]; };
  std::printf("%llu frames of %d points, %ld looks; query: median %.2f us, p99.9 %.2f us; memory %.0f to %.0f MB\n",
              static_cast<unsigned long long>(frame), points, looks, double(at_rank(0.5)), double(at_rank(0.999)),
              settled / 1e6, after / 1e6);
  RecordProperty("frames", std::to_string(frame));
  RecordProperty("p999_us", std::to_string(at_rank(0.999)));
  EXPECT_EQ(shared.current().validate(), "");
  EXPECT_EQ(height_of(frame), shared.current().object("o0").placed->pose.translation().z());
  // Versions that nobody has any more are given back: what readers may hold is a few frames each.
  const double frames_held = 16.0 * points * 200;
  EXPECT_LE(after, settled + 64e6 + frames_held);
}

}  // namespace concurrent_soak_test
}  // namespace graze_test
