#include "points_in_meshes_peer.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <span>

namespace points_in_meshes_bench {

#ifdef GRAZE_OPEN3D_PREFIX
namespace {

namespace fs = std::filesystem;

// A temporary folder, removed with its files.
class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "graze_bench_XXXXXX").string();
    if (mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~Folder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  bool exists() const { return !path_.empty(); }
  fs::path operator/(const std::string& name) const { return path_ / name; }
  std::string name() const { return path_.string(); }

 private:
  fs::path path_;
};

template <class T>
void write(const fs::path& path, std::span<const T> values) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(values.data()), static_cast<std::streamsize>(values.size_bytes()));
}

std::vector<float> read(const fs::path& path, std::size_t count) {
  std::vector<float> values(count);
  std::ifstream file(path, std::ios::binary);
  file.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(count * sizeof(float)));
  if (!file) values.clear();
  return values;
}

void write_points(const fs::path& path, const std::vector<Vec3>& points) {
  write<double>(path, {points.empty() ? nullptr : points[0].data(), 3 * points.size()});
}

}  // namespace

std::optional<PeerAnswers> ask_open3d(const meshes_bench::Soup& soup, const Questions& questions, std::string& reason) {
  if (!fs::exists(fs::path(GRAZE_OPEN3D_PREFIX) / "open3d")) {
    reason = "Open3D is not installed";
    return std::nullopt;
  }
  const Folder folder;
  if (!folder.exists()) {
    reason = "no folder for temporary files";
    return std::nullopt;
  }
  write_points(folder / "vertices.f64", soup.vertices);
  write<std::uint32_t>(folder / "triangles.u32", {soup.triangles[0].data(), 3 * soup.triangles.size()});
  write_points(folder / "contains.f64", questions.contains);
  write_points(folder / "distance.f64", questions.distance);
  std::vector<Vec3> rays;
  for (std::size_t i = 0; i < questions.origins.size(); ++i) {
    rays.push_back(questions.origins[i]);
    rays.push_back(questions.directions[i]);
  }
  write_points(folder / "rays.f64", rays);
  const std::string command =
      fmt::format("PYTHONPATH='{}' '{}' -B '{}' '{}' > '{}' 2>&1", GRAZE_OPEN3D_PREFIX, GRAZE_OPEN3D_PYTHON,
                  GRAZE_OPEN3D_SCRIPT, folder.name(), (folder / "log").string());
  const int code = std::system(command.c_str());  // NOLINT(concurrency-mt-unsafe): one thread, our own command
  std::ifstream file(folder / "times.json");
  const auto times = nlohmann::json::parse(file, nullptr, false);
  if (code != 0 || times.is_discarded()) {
    std::ifstream log(folder / "log");
    std::string line, last;
    while (std::getline(log, line)) last = line;
    reason = "Open3D did not answer: " + last;
    return std::nullopt;
  }
  PeerAnswers r;
  r.name = "Open3D " + times.value("version", "");
  r.contains_ns = times.value("contains", 0.0), r.distance_ns = times.value("distance", 0.0);
  r.rays_ns = times.value("rays", 0.0);
  r.contains = read(folder / "contains.f32", questions.contains.size());
  r.distance = read(folder / "distance.f32", questions.distance.size());
  r.rays = read(folder / "rays.f32", questions.origins.size());
  if (r.contains.empty() || r.distance.empty() || r.rays.empty()) {
    reason = "Open3D's answers are incomplete";
    return std::nullopt;
  }
  return r;
}
#else
std::optional<PeerAnswers> ask_open3d(const meshes_bench::Soup&, const Questions&, std::string& reason) {
  reason = "there is no Python to run Open3D with";
  return std::nullopt;
}
#endif

}  // namespace points_in_meshes_bench
