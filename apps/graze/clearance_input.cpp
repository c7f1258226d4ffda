// What a clearance run reads before it measures.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "clearance_job.h"
#include "graze/base/error.h"
#include "graze/clearance/track.h"
#include "graze/clearance/trajectory.h"
#include "graze/clearance/vehicle.h"
#include "graze/io/cloud_file.h"
#include "graze/io/mesh_file.h"
#include "graze/io/trajectory_file.h"
#include "graze/io/vehicle_file.h"

namespace graze::app {
namespace {

constexpr double kFollowStep = 0.1;  // metres: in a bend of 100 m the chord is 0.01 mm off

InputFile input(const std::string& role, const std::string& path) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  return {role, path, error ? 0 : static_cast<std::uint64_t>(size), ""};
}

// The files that the JSON of a vehicle names: what they hold is part of the input.
void add_named_files(const nlohmann::json& json, const std::filesystem::path& folder, std::vector<InputFile>& files) {
  for (const auto& [key, value] : json.items()) {
    if (value.is_structured()) add_named_files(value, folder, files);
    if (!value.is_string() || key != "file") continue;
    const std::filesystem::path path(value.get<std::string>());
    files.push_back(input("model", (path.is_absolute() ? path : folder / path).string()));
  }
}

Mesh placed_mesh(const Mesh& mesh, const Pose& pose) {
  if (pose == Pose()) return mesh;
  std::vector<Vec3> vertices;
  for (const Vec3& v : mesh.vertices()) vertices.push_back(pose * v);
  return Mesh(vertices, mesh.triangles(), {.solid = mesh.solid()});
}

Cloud placed_cloud(const Cloud& cloud, const Pose& pose, double unit = 1) {
  if (pose == Pose() && unit == 1) return cloud;
  std::vector<Vec3> points(cloud.size());
  for (std::size_t i = 0; i < points.size(); ++i) points[i] = pose * (unit * cloud.point(i));
  return Cloud(PointView(std::span<const Vec3>(points)), {.radius = cloud.radius()});
}

// One model per mesh and per cloud, one for all shapes together.
std::vector<ClearanceModel> models_of(std::span<const Placed> parts, int threads) {
  std::vector<ClearanceModel> models;
  std::vector<Placed> shapes;
  for (const Placed& part : parts) {
    if (const Mesh* mesh = std::get_if<Mesh>(&part.geometry)) {
      models.emplace_back(placed_mesh(*mesh, part.pose));
    } else if (const Cloud* cloud = std::get_if<Cloud>(&part.geometry)) {
      models.emplace_back(placed_cloud(*cloud, part.pose), threads);
    } else {
      shapes.push_back(part);
    }
  }
  if (!shapes.empty()) models.emplace_back(std::span<const Placed>(shapes));
  return models;
}

void make_models(MovingModel& model, int threads) {
  if (model.frames.size() == 1) {
    model.models = models_of(model.frames[0], threads);
  } else {
    std::vector<ClearanceModel> shapes;
    for (std::size_t i = 0; i < model.frames.size(); ++i) {
      shapes.push_back(models_of(model.frames[i], threads).at(0));
      // At this pose nothing would be in the way of anything.
      if (shapes.back().bounds().empty()) throw Error(model.files[i].path, "is a shape with nothing in it");
    }
    model.models.push_back(ClearanceModel::deforming(std::move(shapes)));
  }
  for (const ClearanceModel& m : model.models) {
    if (m.size() > 0) model.box.extend(m.bounds());
  }
  if (model.box.empty()) throw Error(model.name, "the model is empty");
}

// Solid where that makes sense: inside of a closed body there is no clearance.
Mesh read_moving_mesh(const ClearanceArguments& a, const std::string& path, std::vector<std::string>& notes) {
  ReadMeshOptions options;
  options.unit = unit_of(a.model_units);
  options.believe_unit = a.model_units == "m";
  const MeshFile file = read_mesh_file(path, options);
  if (file.header.unit != 1) notes.push_back(fmt::format("{}: units of {} m", path, file.header.unit));
  if (!a.shell) {
    try {
      return Mesh(file.vertices, file.triangles, {.solid = true});
    } catch (const Error& error) {
      notes.push_back(fmt::format("{}: is not closed, so that only its surface counts ({})", path, error.what()));
    }
  }
  return Mesh(file.vertices, file.triangles);
}

Placed read_shape(const ClearanceArguments& a, const std::string& path, std::vector<std::string>& notes) {
  if (is_mesh_file(path)) return at(read_moving_mesh(a, path, notes));
  const Cloud cloud = read_cloud(path, {.radius = a.radius, .attributes = false});
  return at(placed_cloud(cloud, Pose(), unit_of(a.model_units)));
}

// Names in the order in which people count: shape_9 before shape_10.
bool counts_before(const std::string& a, const std::string& b) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto number = [&](const std::string& text, std::size_t& i) {
    while (i + 1 < text.size() && text[i] == '0' && is_digit(text[i + 1])) ++i;
    const std::size_t begin = i;
    while (i < text.size() && is_digit(text[i])) ++i;
    return text.substr(begin, i - begin);
  };
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (is_digit(a[i]) && is_digit(b[j])) {
      const std::string x = number(a, i), y = number(b, j);
      if (x.size() != y.size()) return x.size() < y.size();
      if (x != y) return x < y;
    } else if (a[i] != b[j]) {
      return a[i] < b[j];
    } else {
      ++i, ++j;
    }
  }
  if ((i < a.size()) != (j < b.size())) return j < b.size();
  return a < b;
}

// The file, or the files of a folder: a model that changes its shape.
std::vector<std::string> shapes_in(const std::string& model) {
  namespace fs = std::filesystem;
  if (!fs::is_directory(model)) return {model};
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(model)) {
    const std::string name = entry.path().filename().string();
    if (entry.is_regular_file() && name.front() != '.') names.push_back(name);
  }
  if (names.empty()) throw Error(model, "is an empty folder; a model that changes has a mesh or a cloud for each pose");
  std::sort(names.begin(), names.end(), counts_before);
  for (std::string& name : names) name = (fs::path(model) / name).string();
  return names;
}

MovingModel model_of_vehicle(const ClearanceArguments& a) {
  const Vehicle vehicle = read_vehicle(a.vehicle);
  MovingModel model;
  model.name = vehicle.name.empty() ? std::filesystem::path(a.vehicle).stem().string() : vehicle.name;
  model.files.push_back(input("vehicle", a.vehicle));
  model.frames = {vehicle.body};
  if (vehicle.body.empty()) throw Error(a.vehicle, "the vehicle has no body");
  std::ifstream file(a.vehicle, std::ios::binary);
  const nlohmann::json json = nlohmann::json::parse(file, nullptr, false);  // which was read before
  if (json.is_object() && json.contains("body")) {
    const nlohmann::json body = nlohmann::json::array({json["body"]});
    add_named_files(body, std::filesystem::path(a.vehicle).parent_path(), model.files);
  }
  for (Placed& part : model.frames[0]) {
    if (const Cloud* cloud = std::get_if<Cloud>(&part.geometry); cloud != nullptr && a.radius > 0) {
      part.geometry = cloud->with_radius(a.radius);
    }
  }
  return model;
}

}  // namespace

double unit_of(const std::string& name) {
  static const std::map<std::string, double> kUnits = {
      {"m", 1},     {"dm", 0.1},    {"cm", 0.01},   {"mm", 0.001},
      {"km", 1000}, {"in", 0.0254}, {"ft", 0.3048}, {"us-ft", 1200.0 / 3937}};
  const auto found = kUnits.find(name);
  if (found == kUnits.end()) throw Error(name, "is no unit; m, dm, cm, mm, km, in, ft or us-ft");
  return found->second;
}

MovingModel read_model(const ClearanceArguments& a) {
  MovingModel model;
  if (!a.vehicle.empty()) {
    model = model_of_vehicle(a);
  } else {
    model.name = std::filesystem::path(a.model).stem().string();
    for (const std::string& path : shapes_in(a.model)) {
      model.files.push_back(input("model", path));
      model.frames.push_back({read_shape(a, path, model.notes)});
    }
    if (model.frames.size() > 1) {
      model.notes.push_back(
          fmt::format("{}: {} shapes, one for each pose of the path; between two poses it counts as both", a.model,
                      model.frames.size()));
    }
  }
  make_models(model, a.threads);
  return model;
}

Way read_way(const ClearanceArguments& a) {
  Way way;
  TrajectoryFile file =
      read_trajectory_file(a.path, {.unit = unit_of(a.path_units), .axes = a.axes, .repair = a.repair});
  for (const std::string& note : file.notes) way.notes.push_back(fmt::format("{}: {}", a.path, note));
  Trajectory track = std::move(file.trajectory);
  if (a.smooth > 0) {
    SmoothedTrajectory smooth = track.smoothed({.tolerance = a.smooth, .step = a.step});
    way.notes.push_back(
        fmt::format("{}: smoothed, poses moved by at most {:.4f} m ({:.4f} m on average) and turned by "
                    "at most {:.3g} rad",
                    a.path, smooth.residual, smooth.mean_residual, smooth.turn_residual));
    track = std::move(smooth.trajectory);
  }
  way.chainage_start = a.chainage_start;
  if (!a.vehicle.empty()) {
    const Vehicle vehicle = read_vehicle(a.vehicle, {.body = false});
    const Track line(track);
    way.track = std::move(track);
    VehicleRun run = run_along(line, vehicle, {.step = a.step > 0 ? a.step : kFollowStep, .threads = a.threads});
    // Of the body's origin, which need not be half-way between the bogies.
    for (std::size_t i = 0; i < run.body.size(); ++i) {
      way.chainage.push_back((run.rear[i] + run.front[i]) / 2 - vehicle.bogie_middle);
    }
    way.poses = std::move(run.body.poses);
    // Rounding may make two that stand side by side fall.
    for (std::size_t i = 1; i < way.chainage.size(); ++i) {
      way.chainage[i] = std::max(way.chainage[i], way.chainage[i - 1]);
    }
  } else {
    if (a.step > 0 && a.smooth == 0) track = track.resampled(a.step);
    way.chainage = track.chainage();
    way.poses = track.poses;
    way.track = std::move(track);
  }
  if (way.poses.empty()) throw Error(a.path, "has no poses");
  for (double& s : way.chainage) s += a.chainage_start;
  return way;
}

ScanReader::ScanReader(const ClearanceArguments& arguments) : arguments_(arguments), unit_(unit_of(arguments.units)) {
  const std::vector<double>& r = arguments.roi;
  if (r.size() == 6) roi_ = Aabb{{r[0], r[1], r[2]}, {r[3], r[4], r[5]}};
}

void ScanReader::for_each_point(const Progress& progress, const std::function<void(std::span<const Vec3>)>& visit,
                                std::uint64_t* outside) const {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  std::vector<Vec3> points;
  const auto files = static_cast<double>(arguments_.scans.size());
  for (std::size_t f = 0; f < arguments_.scans.size(); ++f) {
    const auto k = static_cast<double>(f);
    for_each_chunk(arguments_.scans[f],
                   [&](const CloudChunk& chunk) {
                     points.resize(chunk.points.size());
                     for (std::size_t i = 0; i < points.size(); ++i) {
                       points[i] = unit_ * chunk.points[i];
                       if (roi_ && is_finite(points[i]) && !roi_->contains(points[i])) {
                         points[i].setConstant(kNaN);
                         if (outside != nullptr) ++*outside;
                       }
                     }
                     visit(points);
                     return true;
                   },
                   {.attributes = false, .progress = progress.part(k / files, (k + 1) / files)});
  }
}

ScanFacts ScanReader::survey(const Progress& progress) const {
  ScanFacts facts;
  for_each_point(
      progress,
      [&](std::span<const Vec3> points) {
        facts.points += points.size();
        for (const Vec3& p : points) {
          if (is_finite(p)) {
            facts.bounds.extend(p);
          } else {
            ++facts.skipped;
          }
        }
      },
      &facts.outside);
  facts.skipped -= facts.outside;
  return facts;
}

void ScanReader::for_each_block(
    std::uint64_t points, const Progress& progress,
    const std::function<void(std::size_t, std::uint64_t, std::span<const Vec3>, const Progress&)>& visit) const {
  const auto size = static_cast<std::size_t>(std::min(arguments_.block, std::max<std::uint64_t>(points, 1)));
  std::vector<Vec3> block;
  block.reserve(size);
  std::size_t number = 0;
  std::uint64_t first = 0;
  const auto share = [&](std::uint64_t n) {
    return std::min(1.0, static_cast<double>(n) / static_cast<double>(std::max<std::uint64_t>(points, 1)));
  };
  const auto hand_over = [&] {
    visit(number++, first, block, progress.part(share(first), share(first + block.size())));
    first += block.size();
    block.clear();
  };
  for_each_point(Progress(), [&](std::span<const Vec3> part) {
    for (std::size_t done = 0; done < part.size();) {
      const std::size_t count = std::min(part.size() - done, size - block.size());
      block.insert(block.end(), part.begin() + static_cast<std::ptrdiff_t>(done),
                   part.begin() + static_cast<std::ptrdiff_t>(done + count));
      done += count;
      if (block.size() == size) hand_over();
    }
  });
  if (!block.empty()) hand_over();
  if (first != points) throw Error(arguments_.scans.front(), "the scan changed while it was read");
}

}  // namespace graze::app
