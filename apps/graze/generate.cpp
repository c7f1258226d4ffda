// graze generate: scenes that do not exist, to try things on.
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>
#include <vector>

#include "apps/synthetic/assembly_line.h"
#include "apps/synthetic/tunnel.h"
#include "command.h"
#include "graze/base/error.h"
#include "graze/geometry/cloud.h"
#include "graze/io/cloud_file.h"
#include "graze/io/mesh_file.h"
#include "graze/io/trajectory_file.h"
#include "graze/io/write_file.h"
#include "interrupt.h"
#include "progress_bar.h"
#include "streams.h"

namespace graze::app {
namespace {

struct GenerateArguments {
  std::string folder, points_text, wagon = "mesh", wagon_points_text = "2.5M";
  std::uint64_t points = 0, wagon_points = 0, seed = 1;
  std::vector<double> origin;
  double half_width = 1.78, track_step = 0.1;
  std::uint64_t stations = 8;
  int threads = 0;
  bool wheels = false;
};

/// 18.92M, 200k, 5e5, 1000: a whole number, perhaps in thousands, millions or thousands of millions.
std::uint64_t count_from(const char* option, const std::string& text) {
  const auto refuse = [&] {
    throw UsageError(option, fmt::format("must be a number such as 200k, 18.92M or 1000, got {}", text));
  };
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, status] = std::from_chars(text.data(), end, value);
  const std::string suffix(rest, end);
  double unit = 1;
  if (suffix == "k" || suffix == "K") unit = 1e3;
  if (suffix == "m" || suffix == "M") unit = 1e6;
  if (suffix == "g" || suffix == "G") unit = 1e9;
  constexpr double kMax = 1e12;
  value = std::round(value * unit);
  if (status != std::errc() || (unit == 1 && !suffix.empty()) || !(value >= 1)) refuse();
  if (value > kMax) throw UsageError(option, "must be at most 1e12");
  return static_cast<std::uint64_t>(value);
}

Vec3 origin_of(const GenerateArguments& a) {
  return a.origin.empty() ? Vec3(Vec3::Zero()) : Vec3(a.origin[0], a.origin[1], a.origin[2]);
}

class Folder {
 public:
  Folder(const std::string& path, bool quiet) : path_(path), quiet_(quiet) {
    check_folder_writable(path);
    std::error_code error;
    std::filesystem::create_directories(path_, error);
    if (error || !std::filesystem::is_directory(path_)) {
      throw Error(path, "the folder cannot be created" + (error ? ": " + error.message() : std::string()));
    }
  }

  std::string file(const char* name) const { return (path_ / name).string(); }
  void report(const char* name, const std::string& what) {
    remark(quiet_, fmt::format("{}: {}", file(name), what));
    complete_ += (complete_.empty() ? "" : ", ") + file(name);
    say_when_interrupted("only these files are complete: " + complete_);
  }

 private:
  std::filesystem::path path_;
  bool quiet_;
  std::string complete_;
};

template <class Scene>
void write_scan(Folder& folder, const Scene& scene, int threads, bool quiet) {
  ProgressBar bar(quiet);
  WriteCloudOptions options;
  options.progress = bar.progress();
  const WriteCloudReport report = write_points(
      folder.file("scan.las"), scene.size(),
      [&](std::uint64_t first, std::span<Vec3> points) { scene.make(first, points, {.threads = threads}); }, options);
  bar.clear();
  folder.report("scan.las", fmt::format("{} points", report.written));
}

void write_path(Folder& folder, const char* name, const clearance::Trajectory& path) {
  write_trajectory(folder.file(name), path);
  folder.report(name, fmt::format("{} poses over {:.1f} m", path.size(), path.length()));
}

void write_wagon(Folder& folder, const GenerateArguments& a) {
  const synthetic::WagonOptions options{.wheels = a.wheels};
  const clearance::Vehicle vehicle = synthetic::wagon();
  nlohmann::ordered_json body = {{"file", "wagon.ply"}};
  if (a.wagon == "mesh") {
    const synthetic::WagonMesh mesh = synthetic::wagon_mesh(options);
    write_mesh(folder.file("wagon.ply"), mesh.vertices, mesh.triangles);
    folder.report("wagon.ply", fmt::format("{} triangles", mesh.triangles.size()));
    body["solid"] = true;
  } else {
    const std::vector<Vec3> points = synthetic::wagon_points(static_cast<std::size_t>(a.wagon_points), a.seed, options);
    write_points(folder.file("wagon.ply"), points.size(),
                 [&](std::uint64_t first, std::span<Vec3> part) {
                   std::copy_n(points.begin() + static_cast<std::ptrdiff_t>(first), part.size(), part.begin());
                 },
                 {.coordinates = NumberType::float32});
    folder.report("wagon.ply", fmt::format("{} points", points.size()));
  }
  const nlohmann::ordered_json json = {{"name", vehicle.name},
                                       {"body", body},
                                       {"bogie_distance", vehicle.bogie_distance},
                                       {"length", vehicle.length},
                                       {"axis_heights", {vehicle.rear_axis_height, vehicle.front_axis_height}}};
  write_file(folder.file("vehicle.json"), json.dump(2) + "\n");
  folder.report("vehicle.json", fmt::format("{}, bogies {} m apart", vehicle.name, vehicle.bogie_distance));
}

int generate_tunnel(const GenerateArguments& a, bool quiet) {
  const synthetic::Tunnel tunnel(
      {.points = a.points, .seed = a.seed, .origin = origin_of(a), .half_width = a.half_width});
  Folder folder(a.folder, quiet);
  write_path(folder, "track.tum", tunnel.track(a.track_step));
  write_wagon(folder, a);
  write_scan(folder, tunnel, a.threads, quiet);
  return kClear;
}

int generate_assembly_line(const GenerateArguments& a, bool quiet) {
  const synthetic::AssemblyLine line(
      {.points = a.points, .stations = a.stations, .seed = a.seed, .origin = origin_of(a)});
  Folder folder(a.folder, quiet);
  write_path(folder, "path.tum", line.path());
  const std::vector<MeshTriangle> triangles = line.body_triangles();
  write_mesh(folder.file("body.ply"), line.body_vertices(), triangles);
  folder.report("body.ply", fmt::format("{} triangles", triangles.size()));
  write_scan(folder, line, a.threads, quiet);
  return kClear;
}

using Arguments = std::shared_ptr<GenerateArguments>;

Command scene(const char* name, const char* help, const Arguments& a, const char* points) {
  a->points_text = points;
  return {.name = name,
          .help = help,
          .options = {{"-o,--output",
                       &a->folder,
                       "The folder for the files; made if it is not there",
                       {.value = "DIR", .required = true}},
                      {"--points",
                       &a->points_text,
                       fmt::format("How many points the scan has: {}, 200k, 1e6 …", points),
                       {.value = "N"}},
                      {"--origin",
                       &a->origin,
                       "Where it starts, such as 450000 5300000 400 in a national grid",
                       {.value = "X Y Z", .range = {-1e9, 1e9}, .count = 3}},
                      {"--seed", &a->seed, "Another number makes another scene of the kind", {.value = "S"}},
                      {"--threads",
                       &a->threads,
                       "How many threads work; the files do not depend on it",
                       {.value = "N", .range = {0, 4096}}}}};
}

Command tunnel_command() {
  const auto a = std::make_shared<GenerateArguments>();
  Command command = scene("tunnel", "1144 m of railway with two tunnels, curves and a wagon", a, "18.92M");
  command.add(
      {{"--half-width",
        &a->half_width,
        "Of the tunnel in metres; 1.78 is tight, 2.1 has room",
        {.value = "W", .range = {1, 5}}},
       {"--track-step", &a->track_step, "Metres between the poses of the track", {.value = "D", .range = {0.001, 100}}},
       {"--wagon",
        &a->wagon,
        "The wagon as a closed mesh, or as points as of a laser scan",
        {.value = "mesh|points", .one_of = {"mesh", "points"}}},
       {"--wagon-points", &a->wagon_points_text, "How many points the wagon has: 2.5M, 100k …", {.value = "N"}},
       {"--wheels", &a->wheels, "The wagon with its wheels, which touch the rails all the way"}});
  command.footer =
      "Writes scan.las, track.tum (top of rail, with cant), wagon.ply and vehicle.json. The scan comes profile by\n"
      "profile, as from a train: walls with bumps, masts, a platform, rails, and signs that stand too near here and\n"
      "there. The same options give the same bytes, whatever the number of threads.";
  command.check = [a] {
    a->points = count_from("--points", a->points_text);
    a->wagon_points = count_from("--wagon-points", a->wagon_points_text);
    constexpr std::uint64_t kMaxInMemory = 1'000'000'000;
    if (a->wagon_points > kMaxInMemory) throw UsageError("--wagon-points", "must be at most 1e9");
  };
  command.run = [a](const Session& session) { return generate_tunnel(*a, session.quiet); };
  return command;
}

Command assembly_line_command() {
  const auto a = std::make_shared<GenerateArguments>();
  Command command = scene("assembly-line", "A car body that turns as it moves past machines", a, "2M");
  command.options.push_back(
      {"--stations", &a->stations, "How many machines, 8 m apart", {.value = "N", .range = {1, 10000}}});
  command.footer =
      "Writes scan.las, path.tum and body.ply. The body hangs from a carrier: it sways through gates, rolls over "
      "between\n"
      "tools, dips into tanks and swings around between robots. The same options give the same bytes, whatever the\n"
      "number of threads.";
  command.check = [a] { a->points = count_from("--points", a->points_text); };
  command.run = [a](const Session& session) { return generate_assembly_line(*a, session.quiet); };
  return command;
}

}  // namespace

Command generate_command() {
  return {.name = "generate",
          .help = "Make a scene to try things on: a scan, a path and a model",
          .commands = {tunnel_command(), assembly_line_command()}};
}

}  // namespace graze::app
