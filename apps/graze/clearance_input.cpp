// What a clearance run reads before it measures.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>

#include "clearance_job.h"
#include "graze/base/error.h"
#include "graze/clearance/track.h"
#include "graze/clearance/trajectory.h"
#include "graze/clearance/vehicle.h"
#include "graze/io/cloud_file.h"
#include "graze/io/mesh_file.h"
#include "graze/io/trajectory_file.h"
#include "numbers.h"

namespace graze::app {
namespace {

constexpr double kFollowStep = 0.1;  // metres: in a bend of 100 m the chord is 0.01 mm off

InputFile input(const std::string& role, const std::string& path) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  return {role, path, error ? 0 : static_cast<std::uint64_t>(size), ""};
}

Mesh placed_mesh(const Mesh& mesh, const Pose& pose) {
  if (pose == Pose()) return mesh;
  std::vector<Vec3> vertices;
  for (const Vec3& v : mesh.vertices()) vertices.push_back(pose * v);
  return Mesh(vertices, mesh.triangles(), {.solid = mesh.solid()});
}

Cloud placed_cloud(const Cloud& cloud, const Pose& pose) {
  if (pose == Pose()) return cloud;
  std::vector<Vec3> points(cloud.size());
  for (std::size_t i = 0; i < points.size(); ++i) points[i] = pose * cloud.point(i);
  return Cloud(PointView(std::span<const Vec3>(points)), {.radius = cloud.radius()});
}

// How far a part may be from where a mesh or a cloud at its pose has it: vertices and points are rounded there.
double rounding_of(const Placed& part, const Aabb& bounds) {
  if (part.pose == Pose() || bounds.empty()) return part.uncertainty;
  constexpr double kRounded = 16 * kEpsilon;
  const double size = bounds.min.cwiseAbs().cwiseMax(bounds.max.cwiseAbs()).maxCoeff();
  return part.uncertainty + kRounded * (part.pose.translation().cwiseAbs().maxCoeff() + size);
}

// One model per mesh and per cloud, one for all shapes together.
std::vector<clearance::Model> models_of(std::span<const Placed> parts, int threads) {
  std::vector<clearance::Model> models;
  std::vector<Placed> shapes;
  for (const Placed& part : parts) {
    if (const Mesh* mesh = std::get_if<Mesh>(&part.geometry)) {
      models.emplace_back(placed_mesh(*mesh, part.pose),
                          clearance::ModelOptions{.uncertainty = rounding_of(part, mesh->bounds())});
    } else if (const Cloud* cloud = std::get_if<Cloud>(&part.geometry)) {
      const clearance::ModelOptions options{.uncertainty = rounding_of(part, cloud->bounds()), .threads = threads};
      models.emplace_back(placed_cloud(*cloud, part.pose), options);
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
    std::vector<clearance::Model> shapes;
    for (std::size_t i = 0; i < model.frames.size(); ++i) {
      shapes.push_back(models_of(model.frames[i], threads).at(0));
      // At this pose nothing could be hit.
      if (shapes.back().bounds().empty()) throw Error(model.files[i].path, "is an empty shape");
    }
    model.models.push_back(clearance::Model::deforming(std::move(shapes)));
  }
  for (const clearance::Model& m : model.models) {
    if (m.size() > 0) model.box.extend(m.bounds());
  }
  if (model.box.empty()) throw Error(model.name, "the model is empty");
}

// Solid where that makes sense: inside of a closed body there is no clearance.
Mesh read_moving_mesh(const ClearanceArguments& a, const std::string& path, std::vector<std::string>& notes) {
  ReadMeshOptions options;
  if (!a.model_units.empty()) options.unit = unit_of(a.model_units);
  options.believe_unit = a.model_units.empty();
  options.mesh.solid = !a.shell;  // as which it is counted against the memory that its file may take
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
  ReadCloudOptions options{.radius = a.radius, .attributes = false};
  if (!a.model_units.empty()) {
    options.unit = unit_of(a.model_units);
    if (*options.unit != 1) notes.push_back(fmt::format("{}: units of {} m", path, *options.unit));
  } else if (const CloudUnits units = read_cloud_header(path).units; units.metres != Vec3::Ones()) {
    notes.push_back(fmt::format("{}: converted to metres; the file is in {}", path, describe(units)));
  }
  return at(read_cloud(path, options));
}

// Natural order of names: shape_9 before shape_10.
bool natural_less(const std::string& a, const std::string& b) {
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
  std::sort(names.begin(), names.end(), natural_less);
  for (std::string& name : names) name = (fs::path(model) / name).string();
  return names;
}

MovingModel model_of(const VehicleFile& file, const ClearanceArguments& a) {
  const clearance::Vehicle& vehicle = file.vehicle;
  MovingModel model;
  model.name = vehicle.name.empty() ? std::filesystem::path(a.vehicle).stem().string() : vehicle.name;
  model.files.push_back(input("vehicle", a.vehicle));
  for (const std::string& path : file.files) model.files.push_back(input("model", path));
  model.frames = {vehicle.body};
  if (vehicle.body.empty()) throw Error(a.vehicle, "the vehicle has no body");
  for (Placed& part : model.frames[0]) {
    if (const Cloud* cloud = std::get_if<Cloud>(&part.geometry); cloud != nullptr && a.radius > 0) {
      part.geometry = cloud->with_radius(a.radius);
    }
  }
  return model;
}

// How far a model may be from the origin of its frame, in metres. Farther off nothing of it is where its poses are.
constexpr double kFarFrame = 1e5;

// Models that were cut out of a scan often keep its coordinates.
void check_frame(const ClearanceArguments& a, const MovingModel& model) {
  const Aabb& box = model.box;
  const Vec3 middle = (box.min + box.max) / 2;
  if (!(middle.norm() > kFarFrame)) return;
  const std::string where =
      fmt::format("({}, {}, {})", fixed(middle.x(), 1), fixed(middle.y(), 1), fixed(middle.z(), 1));
  const std::string why = fmt::format(
      "the model lies far from the origin of its own frame, at {}. Poses of the path move that origin, so "
      "that the model must lie around it, x forward, y left, z up.",
      where);
  if (!a.vehicle.empty()) {
    throw Error(a.vehicle, why + " Give the part a \"pose\" that brings it there, or the right \"unit\".");
  }
  throw Error(a.model, why + fmt::format(" Move it, such as by: graze convert {} moved.ply --translate {} {} {}; or "
                                         "state its units with --model-units.",
                                         a.model, fixed(-middle.x(), 3), fixed(-middle.y(), 3), fixed(-middle.z(), 3)));
}

}  // namespace

double unit_of(const std::string& name) {
  static const std::map<std::string, double> kUnits = {
      {"m", 1},     {"dm", 0.1},    {"cm", 0.01},   {"mm", 0.001},
      {"km", 1000}, {"in", 0.0254}, {"ft", 0.3048}, {"us-ft", 1200.0 / 3937}};
  const auto found = kUnits.find(name);
  if (found == kUnits.end()) throw Error(name, "unknown unit; use m, dm, cm, mm, km, in, ft or us-ft");
  return found->second;
}

MovingModel read_model(const ClearanceArguments& a, const std::optional<VehicleFile>& vehicle) {
  MovingModel model;
  if (vehicle) {
    model = model_of(*vehicle, a);
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
  check_frame(a, model);
  return model;
}

Route read_route(const ClearanceArguments& a, const std::optional<VehicleFile>& file_of_vehicle) {
  Route route;
  TrajectoryFile file =
      read_trajectory_file(a.path, {.unit = unit_of(a.path_units), .axes = a.axes, .repair = a.repair});
  for (const std::string& note : file.notes) route.notes.push_back(fmt::format("{}: {}", a.path, note));
  clearance::Trajectory track = std::move(file.trajectory);
  if (a.smooth > 0) {
    clearance::SmoothedTrajectory smooth = track.smoothed({.tolerance = a.smooth, .step = a.step});
    route.notes.push_back(
        fmt::format("{}: smoothed, poses moved by at most {:.4f} m ({:.4f} m on average) and turned by "
                    "at most {:.3g} rad",
                    a.path, smooth.residual, smooth.mean_residual, smooth.turn_residual));
    track = std::move(smooth.trajectory);
  }
  route.chainage_start = a.chainage_start;
  if (file_of_vehicle) {
    const clearance::Vehicle& vehicle = file_of_vehicle->vehicle;
    const clearance::Track line(track);
    route.track = std::move(track);
    clearance::VehicleRun run =
        run_along(line, vehicle, {.step = a.step > 0 ? a.step : kFollowStep, .threads = a.threads});
    // Of the body's origin, which need not be half-way between the bogies.
    for (std::size_t i = 0; i < run.body.size(); ++i) {
      route.chainage.push_back((run.rear[i] + run.front[i]) / 2 - vehicle.bogie_middle);
    }
    route.poses = std::move(run.body.poses);
    // Rounding may make two equal ones decrease.
    for (std::size_t i = 1; i < route.chainage.size(); ++i) {
      route.chainage[i] = std::max(route.chainage[i], route.chainage[i - 1]);
    }
  } else {
    if (a.step > 0 && a.smooth == 0) track = track.resampled(a.step);
    route.chainage = track.chainage();
    route.poses = track.poses;
    route.track = std::move(track);
  }
  if (route.poses.empty()) throw Error(a.path, "has no poses");
  for (double& s : route.chainage) s += a.chainage_start;
  return route;
}

ScanReader::ScanReader(const ClearanceArguments& arguments, std::span<const Spot> drop) : arguments_(arguments) {
  for (const Spot& spot : drop) drop_.insert(spot.at);
  const std::vector<double>& r = arguments.roi;
  if (r.size() == 6) roi_ = Aabb{{r[0], r[1], r[2]}, {r[3], r[4], r[5]}};
}

void ScanReader::for_each_point(const Progress& progress, const std::function<void(std::span<const Vec3>)>& visit,
                                ScanFacts* facts) const {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  std::vector<Vec3> points;
  const auto files = static_cast<double>(arguments_.scans.size());
  for (std::size_t f = 0; f < arguments_.scans.size(); ++f) {
    const auto k = static_cast<double>(f);
    ReadCloudOptions options{.attributes = false, .progress = progress.part(k / files, (k + 1) / files)};
    if (!arguments_.units.empty()) options.unit = unit_of(arguments_.units);
    const CloudHeader header = for_each_chunk(
        arguments_.scans[f],
        [&](const CloudChunk& chunk) {
          points.resize(chunk.points.size());
          for (std::size_t i = 0; i < points.size(); ++i) {
            points[i] = chunk.points[i];
            if (!is_finite(points[i])) continue;
            const bool dropped = !drop_.empty() && drop_.contains(points[i]);
            if (!dropped && (!roi_ || roi_->contains(points[i]))) continue;
            if (facts != nullptr) ++(dropped ? facts->dropped : facts->outside);
            points[i].setConstant(kNaN);
          }
          visit(points);
          return true;
        },
        options);
    if (facts == nullptr) continue;
    for (const std::string& note : header.notes)
      facts->notes.push_back(fmt::format("{}: {}", arguments_.scans[f], note));
  }
}

ScanFacts ScanReader::survey(const Progress& progress) const {
  ScanFacts facts;
  SpotCounter counter;
  for_each_point(
      progress,
      [&](std::span<const Vec3> points) {
        facts.points += points.size();
        for (const Vec3& p : points) {
          if (is_finite(p)) {
            facts.bounds.extend(p);
            counter.add(p);
          } else {
            ++facts.skipped;
          }
        }
      },
      &facts);
  facts.skipped -= facts.outside + facts.dropped;
  facts.spots = counter.spots();
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
