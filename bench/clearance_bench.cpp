// Clearance of a wagon in a tunnel against the k-d tree method of the kd-CD paper on nanoflann (which is as fast as the
// published code), in one run and with identical sets.
//
//     bench_clearance              a sixth of the paper's scene: about a minute
//     bench_clearance --full       all of it: 18.92 million points, 1144 m; 5 GB, about ten minutes
//     bench_clearance --scale X    that share of it
//     bench_clearance --cost       tables of cost against poses, model points, scan points and radius, no peer
#include <sys/resource.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "bench/claims.h"
#include "bench/clearance_scene.h"
#include "bench/timing.h"
#include "clearance/paper_engine.h"
#include "graze/clearance/clearance.h"
#include "graze/clearance/paper.h"

#if GRAZE_HAVE_NANOFLANN
#include <nanoflann.hpp>
#endif

namespace graze::bench {
namespace {

double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
template <class Work>
double seconds_of(Work&& work) {
  return 1e-9 * time_of(work);
}
Cloud cloud_of(std::span<const Vec3> points) { return Cloud(PointView(points)); }

// The peak memory of the process beyond what it used when this was constructed. Linux only; 0 elsewhere.
class PeakMemory {
 public:
  PeakMemory() {
    std::ofstream("/proc/self/clear_refs") << "5";  // resets the peak
    before_ = kilobytes("VmRSS:");
  }
  double bytes() const { return 1024 * std::max(0.0, kilobytes("VmHWM:") - before_); }

 private:
  static double kilobytes(std::string_view name) {
    std::ifstream status("/proc/self/status");
    std::string word;
    double value = 0;
    while (status >> word) {
      if (word == name && status >> value) return value;
    }
    return 0;
  }
  double before_;
};

#if GRAZE_HAVE_NANOFLANN
struct PointsOf {
  std::span<const Vec3> points;
  std::size_t kdtree_get_point_count() const { return points.size(); }
  double kdtree_get_pt(std::size_t i, std::size_t axis) const { return points[i][static_cast<Eigen::Index>(axis)]; }
  template <class Box>
  bool kdtree_get_bbox(Box&) const {
    return false;
  }
};
using PeerTree =
    nanoflann::KDTreeSingleIndexAdaptor<nanoflann::L2_Simple_Adaptor<double, PointsOf>, PointsOf, 3, std::uint32_t>;

// Marks what is within the radius.
struct Marks {
  double square;
  std::uint8_t* hits;
  double worstDist() const { return square; }
  bool full() const { return true; }
  std::size_t size() const { return 0; }
  bool addPoint(double, std::uint32_t i) {
    hits[i] = 1;
    return true;
  }
};
// Marks what is within the radius of a segment, given that its ball was searched.
struct SegmentMarks {
  double around, square;
  const Vec3* points;
  Vec3 from, along;
  double length_square;
  std::uint8_t* hits;
  double worstDist() const { return around; }
  bool full() const { return true; }
  std::size_t size() const { return 0; }
  bool addPoint(double, std::uint32_t i) {
    const Vec3& p = points[i];
    const double t = length_square > 0 ? std::clamp((p - from).dot(along) / length_square, 0.0, 1.0) : 0;
    if ((p - (from + t * along)).squaredNorm() < square) hits[i] = 1;
    return true;
  }
};

class Peer {
 public:
  explicit Peer(std::span<const Vec3> scan) : points_{scan} {
    const PeakMemory peak;
    build = seconds_of([&] {
      tree_ = std::make_unique<PeerTree>(3, points_, nanoflann::KDTreeSingleIndexAdaptorParams(10));
      tree_->buildIndex();
    });
    memory = peak.bytes();
  }
  std::vector<std::uint8_t> simple(std::span<const Vec3> model, std::span<const Pose> path, double r) const {
    std::vector<std::uint8_t> hits(points_.points.size(), 0);
    Marks marks{r * r, hits.data()};
    for (const Pose& pose : path) {
      for (const Vec3& m : model) {
        const Vec3 w = pose * m;
        tree_->findNeighbors(marks, w.data(), nanoflann::SearchParams(0, 0, false));
      }
    }
    return hits;
  }
  std::vector<std::uint8_t> segments(std::span<const Vec3> model, std::span<const Pose> path, double r) const {
    std::vector<std::uint8_t> hits(points_.points.size(), 0);
    for (std::size_t i = 0; i + 1 < path.size(); ++i) {
      for (const Vec3& m : model) {
        const Vec3 a = path[i] * m, b = path[i + 1] * m, middle = (a + b) / 2;
        const double reach = (b - a).norm() / 2 + r;
        SegmentMarks marks{reach * reach * (1 + 1e-12), r * r,      points_.points.data(), a, b - a,
                           (b - a).squaredNorm(),       hits.data()};
        tree_->findNeighbors(marks, middle.data(), nanoflann::SearchParams(0, 0, false));
      }
    }
    return hits;
  }

  double build = 0, memory = 0;  // seconds, bytes

 private:
  PointsOf points_;
  std::unique_ptr<PeerTree> tree_;
};
#endif

struct Ours {
  double index, engine, query;  // seconds
  double memory;                // bytes
  std::vector<std::uint8_t> hits;
  double all() const { return index + engine + query; }
};

Ours run_paper(const clearance::PaperClearance& paper, bool along, std::span<const Vec3> scan) {
  Ours ours{};
  const PeakMemory memory;
  ours.hits.assign(scan.size(), 0);
  std::unique_ptr<clearance::ScanIndex> index;
  std::unique_ptr<clearance::PaperEngine> engine;
  ours.index = seconds_of([&] { index = std::make_unique<clearance::ScanIndex>(scan, 1); });
  ours.engine = seconds_of([&] { engine = std::make_unique<clearance::PaperEngine>(paper, along); });
  ours.query = seconds_of([&] { engine->decide(scan, *index, ours.hits); });
  ours.memory = memory.bytes();
  fmt::print("  {}: scan index {:.3f} s, model and poses {:.3f} s, query {:.3f} s\n", along ? "kd-CD" : "kd-CD-simple",
             ours.index, ours.engine, ours.query);
  return ours;
}

struct Exact {
  double model, measure, collide;  // seconds
  double memory;                   // bytes of measuring, with the results
  clearance::Counts counts;
  std::vector<std::uint8_t> hits;
};

Exact run_exact(const ClearanceScene& scene, std::span<const Pose> path, double limit, int threads) {
  Exact exact{};
  const Cloud wagon = cloud_of(scene.wagon);
  std::unique_ptr<clearance::SweptClearance> swept;
  exact.model = seconds_of([&] {
    swept = std::make_unique<clearance::SweptClearance>(clearance::Model(wagon, {.threads = threads}), path,
                                                        clearance::Options{.limit = limit, .threads = threads});
  });
  const PeakMemory memory;
  std::vector<clearance::PointClearance> results(scene.scan.size());
  exact.measure = seconds_of([&] { exact.counts = swept->measure(scene.scan, results); });
  exact.memory = memory.bytes();
  exact.hits.assign(scene.scan.size(), 0);
  exact.collide = seconds_of([&] { swept->collide(scene.scan, exact.hits); });
  fmt::print("  exact, {} model points, limit {}: model {:.3f} s, measure {:.3f} s, collide {:.3f} s, {} within\n",
             scene.wagon.size(), limit, exact.model, exact.measure, exact.collide, exact.counts.within);
  return exact;
}

void run(Claims& claims, double scale) {
  constexpr double kRadius = 0.05;
  const ClearanceScene scene = make_clearance_scene(scale, 2500000);
  const auto model = clearance::voxel_centres(scene.wagon, clearance::paper_spacing(kRadius));
  const auto path = clearance::sample_path(scene.path, clearance::paper_spacing(kRadius));
  fmt::print("{} scan points, {} of {} model points, {} poses\n", scene.scan.size(), model.size(), scene.wagon.size(),
             path.size());
  const clearance::PaperClearance paper(model, path, {.radius = kRadius, .threads = 1});
  const Ours simple = run_paper(paper, false, scene.scan), segments = run_paper(paper, true, scene.scan);
  const Exact exact = run_exact(scene, path, kRadius, 1);
  const auto count = [](const std::vector<std::uint8_t>& hits) { return std::count(hits.begin(), hits.end(), 1); };
  std::size_t missed = 0;
  for (std::size_t i = 0; i < scene.scan.size(); ++i) missed += exact.hits[i] != 0 && simple.hits[i] == 0 ? 1 : 0;
  fmt::print("  kd-CD-simple {}, kd-CD {}, exact {} points; kd-CD-simple misses {} of the exact ones\n",
             count(simple.hits), count(segments.hits), count(exact.hits), missed);

  // Threads are timed by wall time, the better of two runs, since other load disturbs it.
  const clearance::SweptClearance one(clearance::Model(cloud_of(scene.wagon)), path, {.limit = kRadius, .threads = 1}),
      two(clearance::Model(cloud_of(scene.wagon)), path, {.limit = kRadius, .threads = 2});
  std::vector<clearance::PointClearance> a(scene.scan.size()), b(scene.scan.size());
  double wall[2] = {1e30, 1e30};
  for (int round = 0; round < 3; ++round) {
    double start = wall_seconds();
    one.measure(scene.scan, a);
    if (round > 0) wall[0] = std::min(wall[0], wall_seconds() - start);
    start = wall_seconds();
    two.measure(scene.scan, b);
    if (round > 0) wall[1] = std::min(wall[1], wall_seconds() - start);
  }
  const bool same = a == b;
  const auto per_point = [&](double bytes) { return sizeof(Vec3) + bytes / static_cast<double>(scene.scan.size()); };
  fmt::print("  bytes per scan point, itself included: kd-CD-simple {:.0f}, exact in one block {:.0f}\n",
             per_point(simple.memory), per_point(exact.memory));
  claims.add({.id = "clearance/two threads",
              .ours = wall[1],
              .peer_name = "one thread",
              .peer = wall[0],
              .unit = "s",
              .goal = 1.8,
              .agree = same});
#if GRAZE_HAVE_NANOFLANN
  const Peer peer(scene.scan);
  std::vector<std::uint8_t> hits;
  const double points = seconds_of([&] { hits = peer.simple(model, path, kRadius); });
  const bool agree = hits == simple.hits;
  constexpr double kMaxBytes = 60;
  claims.add({.id = "clearance/memory per scan point",
              .ours = per_point(simple.memory),
              .peer_name = "nanoflann",
              .peer = per_point(peer.memory),
              .unit = "B",
              .goal = per_point(peer.memory) / kMaxBytes,
              .agree = agree});
  fmt::print("  nanoflann: build {:.3f} s, points {:.3f} s ({:.0f} ns each)\n", peer.build, points,
             1e9 * points / static_cast<double>(model.size()) / static_cast<double>(path.size()));
  claims.add({.id = "clearance/kd-CD-simple query",
              .ours = simple.query,
              .peer_name = "nanoflann",
              .peer = points,
              .unit = "s",
              .goal = 40,
              .agree = agree});
  claims.add({.id = "clearance/kd-CD-simple with builds",
              .ours = simple.all(),
              .peer_name = "nanoflann",
              .peer = points + peer.build,
              .unit = "s",
              .goal = 15,
              .agree = agree});
  claims.add({.id = "clearance/full model measured exactly",
              .ours = exact.model + exact.measure,
              .peer_name = "nanoflann, voxel centres",
              .peer = points + peer.build,
              .unit = "s",
              .goal = 1,
              .agree = exact.counts.within == static_cast<std::size_t>(count(exact.hits))});
  const double lines = seconds_of([&] { hits = peer.segments(model, path, kRadius); });
  claims.add({.id = "clearance/kd-CD query",
              .ours = segments.query,
              .peer_name = "nanoflann",
              .peer = lines,
              .unit = "s",
              .goal = 50,
              .agree = hits == segments.hits});
#else
  claims.missing("clearance", "nanoflann is not installed");
#endif
}

void cost_tables() {
  fmt::print("cost of measuring exactly, seconds of one core, index and field included\n");
  const auto line = [](std::string_view what, double value, const ClearanceScene& scene, std::span<const Pose> path,
                       double limit) {
    const clearance::SweptClearance swept(clearance::Model(cloud_of(scene.wagon), {.threads = 1}), path,
                                          {.limit = limit, .threads = 1});
    std::vector<clearance::PointClearance> results(scene.scan.size());
    clearance::Counts counts;
    const double seconds = seconds_of([&] { counts = swept.measure(scene.scan, results); });
    fmt::print("{} {} {:.3f} {}\n", what, value, seconds, counts.within);
    std::fflush(stdout);
  };
  ClearanceScene scene = make_clearance_scene(1.0 / 16, 300000);
  for (const double spacing : {1.6, 0.4, 0.1, 0.025}) {
    const auto path = clearance::sample_path(scene.path, spacing);
    line("poses", static_cast<double>(path.size()), scene, path, 0.1);
  }
  const auto path = clearance::sample_path(scene.path, 0.058);
  for (const std::size_t n : {3000U, 30000U, 300000U, 2500000U}) {
    scene.wagon = make_wagon(n);
    line("model", static_cast<double>(n), scene, path, 0.1);
  }
  scene.wagon = make_wagon(300000);
  for (const double scale : {1.0 / 32, 1.0 / 16, 1.0 / 8, 1.0 / 4}) {
    const ClearanceScene other = make_clearance_scene(scale, 300000);
    line("scan", static_cast<double>(other.scan.size()), other, clearance::sample_path(other.path, 0.058), 0.1);
  }
  for (const double limit : {0.025, 0.05, 0.1, 0.2, 0.4, 0.8}) line("limit", limit, scene, path, limit);
}

}  // namespace
}  // namespace graze::bench

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  double scale = 1.0 / 6;
  bool cost = false;
  int kept = 1;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--scale") == 0 && i + 1 < argc) {
      scale = std::atof(argv[++i]);
    } else if (std::strcmp(argv[i], "--full") == 0) {
      scale = 1;
    } else if (std::strcmp(argv[i], "--cost") == 0) {
      cost = true;
    } else {
      argv[kept++] = argv[i];
    }
  }
  graze::bench::Claims claims(kept, argv);
  if (cost) {
    graze::bench::cost_tables();
    return 0;
  }
  graze::bench::run(claims, scale);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  fmt::print("peak memory of the whole run: {:.2f} GB\n", static_cast<double>(usage.ru_maxrss) / 1048576);
  return claims.finish();
}
