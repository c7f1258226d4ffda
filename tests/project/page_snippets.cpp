// The C++ of pages that is not an example of its own: compiled, run, and compared with the pages by documents_test.py.
// A page shows the text between `// [snippet NAME]` and `// [/snippet NAME]` after `<!-- from PATH#NAME -->`.

#include <graze/graze.h>
#include <graze/io/map_file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace graze;

void claim(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "page_snippets: not true: %s\n", what);
  std::exit(1);
}

// A tetrahedron of 1 m.
const std::vector<Vec3> vertices{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
const std::vector<MeshTriangle> triangles{{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
const Mesh mesh(vertices, triangles);

std::vector<Vec3> moved(const Vec3& by) {
  std::vector<Vec3> all = vertices;
  for (Vec3& v : all) v += by;
  return all;
}

void bounding_shapes() {
  const Pose pose = Pose::from_rpy({0, 0, 5}, 0.1, 0.2, 0.3);
  const Cloud cloud(PointView(std::vector<Vec3>{{0, 0, 0}, {1, 1, 1}}));
  // [snippet bounding]
  const BoundingCapsule link = bounding_capsule(mesh);
  const bool hit = collide(at(link.capsule, pose * link.pose), at(cloud));  // free of the capsule: free of the mesh
  const Convex hull = hull_of(mesh);                                        // of points: Convex::hull_of
  // [/snippet bounding]
  claim(!hit && !collide(at(mesh, pose), at(cloud)), "free of the capsule: free of the mesh");
  claim(hull.vertices().size() == 4, "the hull has four corners");
}

void bounds_of_any_kind() {
  const Pose pose_a, pose_b = Pose::at({1.005, 0, 0});
  // [snippet bounds]
  const BoundsTree<Obb> tree(vertices, triangles, {.split = split::median, .fit = fit::smallest});  // or over points
  const BoundedMesh<Rss> a(vertices, triangles), b(vertices, triangles);  // a tree with its triangles
  const bool near = collide(a, pose_a, b, pose_b, 0.01);                  // within 10 mm
  const double gap = distance(a, pose_a, b, pose_b).value;
  // [/snippet bounds]
  claim(tree.size() == 4, "a tree over four triangles");
  claim(near && std::abs(gap - 0.005) < 1e-12, "5 mm apart");
}

void bounds_over_a_move() {
  const std::vector<Vec3> next_vertices = moved({2, 0, 0}), vertices_after_that = moved({2, 2, 0});
  const Aabb box = Aabb::around({2.5, 0.5, 0.5}, {0.1, 0.1, 0.1});
  const MovingMesh body(mesh, vertices);
  const Pose pose = Pose::at({1.5, 0, 0});
  const double margin = 0.01;
  std::vector<std::size_t> in_box;
  std::vector<std::pair<std::size_t, std::size_t>> pairs, folds;
  double first = 1;
  // [snippet moving]
  MovingMesh cloth(mesh, next_vertices);

  // Triangles that may meet the box; `times` within [0, 1] is when.
  cloth.visit_near(box, [&](std::size_t i, const Interval& times) {
    in_box.push_back(i);
    first = std::min(first, times.lower);
  });

  // Triangles i of the cloth and j of the body, and pairs within the cloth, that may come within the margin.
  visit_near_pairs(cloth, {}, body, pose, margin, [&](std::size_t i, std::size_t j, const Interval&) {
    pairs.push_back({i, j});
  });
  visit_near_pairs(cloth, margin, [&](std::size_t i, std::size_t j, const Interval&) { folds.emplace_back(i, j); });

  cloth.advance(vertices_after_that);  // the next move starts where this one ended
  // [/snippet moving]
  claim(!in_box.empty() && first > 0.65 && first < 1, "the box is met late in the move");
  claim(!pairs.empty() && folds.size() == 6, "pairs are found");
  claim(cloth.from().vertices()[0] == Vec3(2, 0, 0), "the next move starts where this one ended");
}

void clearance_along_a_path() {
  const Cloud cloud(PointView(std::vector<Vec3>{{0, 0, 0}, {0, 1, 0}}));
  clearance::Trajectory trajectory;
  trajectory.poses = {Pose::at({0, 0, 0}), Pose::at({10, 0, 0})};
  const std::vector<Vec3> scan{{5, 1.21, 0}, {5, 3, 0}};
  // [snippet clearance]
  const clearance::Model wagon(cloud.with_radius(0.01));  // or a mesh, or placed shapes
  const clearance::SweptClearance swept(wagon, trajectory.poses, {.limit = 0.3});
  std::vector<clearance::PointClearance> results(scan.size());
  swept.measure(scan, results);  // block by block for big scans
  // results[i].clearance  .pose  .fraction  .element
  // [/snippet clearance]
  claim(std::abs(results[0].clearance - 0.2) < swept.tolerance() && !results[1].found(), "0.2 m, and beyond the limit");
  claim(results[0].pose == 0 && std::abs(results[0].fraction - 0.5F) < 1e-3F && results[0].element == 1, "halfway");
}

void noisy_clouds() {
  const Cloud held(PointView(std::vector<Vec3>{{0, 0, 0}}), {.radius = 0.002});
  const Cloud scan(PointView(std::vector<Vec3>{{0.01, 0, 0}}));
  const Pose gripper;
  bool planned_again = false;
  const auto replan = [&] { planned_again = true; };
  // [snippet probability]
  const Probability p = probability(at(held, gripper), at(scan), {.sigma_a = 0.002, .sigma_b = 0.005});
  if (p.high > 1e-3) replan();
  // [/snippet probability]
  claim(planned_again && p.low <= p.value && p.value <= p.high, "a chance, with bounds");
}

void broad_phases() {
  std::vector<Aabb> boxes;
  for (int i = 0; i < 1000; ++i) boxes.push_back(Aabb::around(Vec3(i, 0, 0), Vec3(0.5, 0.5, 0.5)));
  const Aabb query = Aabb::around(Vec3(7, 0, 0), Vec3(0.1, 0.1, 0.1));
  std::size_t found = 0, pairs = 0;
  // [snippet broad_phase]
  BroadPhase<3> scene(boxes);  // or BroadPhase<2>, with Aabb2
  const BoxId door = scene.add({{0, 5, 0}, {1, 5, 2}});
  scene.move(door, {{0, 6, 0}, {1, 6, 2}});
  scene.visit_overlapping(query, [&](BoxId) { ++found; });
  scene.visit_pairs([&](BoxPair) { ++pairs; });
  const NearestBox near = scene.nearest(query, 0.5);          // within 0.5 m
  const BoxHit hit = scene.raycast({0.5, 9, 1}, {0, -1, 0});  // hit.time in multiples of the direction
  // [/snippet broad_phase]
  claim(found == 1 && pairs == 999, "neighbours touch");
  claim(near.id == 7 && near.distance == 0, "the nearest");
  claim(hit.id == door && std::abs(hit.time - 3) < 1e-12, "the door");
}

void scenes() {
  // [snippet scene]
  SceneEditor editor;
  editor.add("table", at(Box{.half = {0.6, 0.4, 0.02}}, Pose::at({0, 0, 0.7})));
  editor.add("cup", at(Cylinder{.radius = 0.04, .half_length = 0.05}, Pose::at({0, 0, 0.78})), {.group = "dishes"});
  editor.add("gripper", at(Box{.half = {0.05, 0.05, 0.1}}, Pose::at({0, 0, 1})), {.padding = 0.005});
  editor.attach("cup", "gripper");     // from now on it moves with the gripper, and the two are never reported
  editor.allow("dishes", "table");     // names of objects or groups
  const Scene scene = editor.scene();  // immutable; a copy costs a reference count

  const bool hit = self_collide(scene, {.margin = 0.01});
  const SceneDistance near = distance(scene, at(Sphere{.radius = 0.1}, Pose::at({0, 0, 2})));
  const SceneSphereHit first = sweep_sphere(scene, SphereMove({-2, 0, 0.7}, {2, 0, 0.7}, 0.1));
  // [/snippet scene]
  claim(!hit && near.pair.name_a == "gripper" && std::abs(near.value - 0.795) < 1e-12, "the gripper is nearest");
  claim(first.name == "table" && std::abs(first.center.x() + 0.7) < 1e-9, "the sphere meets the table");
  // [snippet shared_scene]
  SharedScene shared(scene);
  editor.move("gripper", Pose::at({0.3, 0, 1}));
  shared.publish(editor.scene());      // the writer
  const Scene now = shared.current();  // any reader: this version, whatever is published meanwhile
  // [/snippet shared_scene]
  claim(now.object("cup").placed->pose.translation().x() == 0.3, "the cup moved with the gripper");
  const Pose start = Pose::at({-2, 0, 1.2}), goal = Pose::from_rpy({2, 0, 1.2}, 0, 1, 0);
  const auto report = [](std::string_view name, double time) {
    claim(name == "gripper" && time < 0.5, "the gripper is hit");
  };
  // [snippet scene_sweep]
  const Geometry tool = Capsule{.radius = 0.05, .half_length = 0.2};
  const SceneSweep bump = sweep(at(tool, Motion(start, goal)), scene, {.margin = 0.005});
  if (bump.hit) report(bump.pair.name_b, bump.time);  // the object, and when
  const SceneSweep lift = sweep(scene, "gripper", Motion(Pose::at({0, 0, 1}), Pose::at({0, 0, 0.75})));
  // [/snippet scene_sweep]
  claim(lift.hit && lift.pair.name_b == "table", "the gripper comes down on the table");
}

// [snippet custom_obstacle]
struct Fence {  // a circle from inside
  double radius;
  planar::NearestPoint nearest(const Vec2& q) const {
    const double far = q.norm();
    return {radius - far, far > 0 ? Vec2(radius / far * q) : Vec2(radius, 0), 1e-15 * (far + radius)};
  }
};
// [/snippet custom_obstacle]

// [snippet spatial_world]
struct Pipe {  // along x
  double radius;
  static constexpr bool kConvex = true;
  spatial::NearestPoint nearest(const Vec3& q) const {
    const double far = std::hypot(q.y(), q.z()), to = far > 0 ? radius / far : 0;
    return {far - radius, {q.x(), far > 0 ? to * q.y() : radius, to * q.z()}, 1e-15 * (far + radius)};
  }
};
// [/snippet spatial_world]
struct Spiral {
  Vec3 at(double f) const { return {3 * std::cos(9 * f), 3 * std::sin(9 * f), 1 + 4 * f}; }
  double length() const { return 28; }
};

void worlds_in_space() {
  const HeightField hill({.columns = 2, .rows = 2, .dx = 1, .dy = 1}, std::vector<double>{-1, -1, -1, -1});
  // [snippet spatial_paths]
  using spatial::Path;
  const spatial::World world({at(hill), at(Sphere{.radius = 0.5}, Pose::at({4, 0, 2})), spatial::Custom(Pipe{0.1})});
  const auto ahead = sweep(world, Path::line({0, 0, 5}, {4, 0, 1}), 0.25);
  const auto around = sweep(world, Path::arc({0, 0, 3}, {4, 0, 3}, Vec3::UnitZ(), 6.28), 0.25);
  const auto up = sweep(world, Path::curve(Spiral{}), 0.25);  // anything with at(fraction) and length()
  // [/snippet spatial_paths]
  claim(ahead.obstacle == 1 && !around.found() && !up.found(), "the ball is in the way of the line only");
}

void worlds() {
  const planar::World world({planar::Custom(Fence{5})});
  const planar::WorldHit hit = sweep(world, planar::Path::line({0, 0}, {0, 9}), 1);
  claim(hit.certain && std::abs(hit.center.y() - 4) < 1e-8, "the fence holds");
}

void terrain() {
  const Pose pose = Pose::at({1, 1, 0.5});
  // [snippet terrain]
  const std::vector<double> heights = {0, 0, 0, 0, 1, 0, 0, 0, 0};
  const HeightField hill({.columns = 3, .rows = 3, .dx = 1, .dy = 1}, heights);
  const bool stuck = collide(at(hill), at(Box{.half = {0.2, 0.2, 0.1}}, pose));
  const double above = distance(at(hill), at(Sphere{.radius = 0.5}, Pose::at({1, 1, 2}))).value;  // 0.5
  // [/snippet terrain]
  claim(stuck && std::abs(above - 0.5) < 1e-9, "a hill");
}

void map_as_obstacle() {
  OccupancyMapBuilder builder(0.5);
  builder.add({.key = {4, 0, 0}, .log_odds = log_odds_of(0.97)});
  const OccupancyMap map = std::move(builder).finish();
  const Box gripper{.half = {0.1, 0.1, 0.1}};
  const Pose pose = Pose::at({0, 0.25, 0.25});
  // [snippet map_view]
  const MapView walls(map, UnknownSpace::occupied);  // probability ≥ 0.5, and all that nobody has seen
  const MapView sure(map, UnknownSpace::free, 0.9);  // only what is almost certain
  const bool hit = collide(at(walls), at(gripper, pose));
  const Distance d = distance(at(sure), at(gripper, pose));
  const std::optional<Aabb> nearest = sure.cell(d.a);  // the box of the cell that is nearest
  // [/snippet map_view]
  claim(hit && nearest && nearest->min.x() == 2 && std::abs(d.value - 1.9) < 1e-9, "a map as an obstacle");
}

void maps() {
  const std::vector<Vec3> scan{{2, 0, 0}, {2, 0.1, 0}};
  const Pose sensor = Pose::at({0, 0, 0.5});
  // [snippet maps]
  OccupancyMapper mapper({.resolution = 0.05});
  mapper.insert({.points = scan, .pose = sensor, .time = 12.5, .max_range = 4});
  const OccupancyMap map = mapper.map();  // a version: immutable, for any thread
  const bool safe = map.state(Vec3(1, 0, 0.5)) == Occupancy::free;
  // [/snippet maps]
  claim(safe && map.newest() == 12.5, "a map of a frame");
}

void map_files() {
  OccupancyMapper mapper({.resolution = 0.05});
  const std::vector<Vec3> scan{{2, 0, 0}, {2, 0.1, 0}};
  mapper.insert({.points = scan, .time = 3});
  const std::string name = "page_" + std::to_string(::getpid()) + ".gmap";
  const std::string path = (std::filesystem::temp_directory_path() / name).string();
  // [snippet map_file]
  write_map(path, mapper.map(), {.sensor = mapper.options()});
  const MapFile file = read_map_file(path);
  OccupancyMapper next(file.map, file.sensor.value());  // log-odds and ages as they were
  // [/snippet map_file]
  std::filesystem::remove(path);
  claim(next.map().leaves() == mapper.map().leaves() && next.map().newest() == 3, "a map goes on from its file");
}

void unknown_space() {
  OccupancyMapper mapper({.resolution = 0.05});
  const std::vector<Vec3> scan{{2, 0, 0}, {2, 0.1, 0}};
  mapper.insert({.points = scan});
  const OccupancyMap map = mapper.map();
  const Capsule arm{.radius = 0.1, .half_length = 0.3};
  const Pose from = Pose::at({1, -1, 0}), to = Pose::at({1, 1, 0}), shelf = Pose::at({0, -1, 0}),
             door = Pose::at({1.8, 0, 0});
  // [snippet map_cost]
  std::array<CostBox, 16> worst;
  const OccupancyCostOptions options{.unknown_probability = 0.5};
  const OccupancyCost move = occupancy_cost(map, at(arm, Motion(from, to)), worst, options);
  for (const CostBox& box : move.boxes) {
    std::printf("%.0f cm³ at t = %.2f, probability %.2f\n", 1e6 * box.volume(), box.time, box.probability);
  }
  // [/snippet map_cost]
  claim(move.cost > 0 && move.boxes.size() == 16 && move.boxes[0].probability == 0.5, "the cost of a motion");
  // [snippet revealed]
  const MapView walls(map, UnknownSpace::free);
  const std::vector<Vec3> rays = camera_rays(80, 60, 65, 65, 39.5, 29.5);
  double best = 0;
  for (const Pose& pose : {shelf, door}) {
    best = std::max(best, revealed_space(walls, {.pose = pose, .directions = rays, .max_range = 2}).volume);
  }
  // [/snippet revealed]
  claim(best > 1, "what a pose would reveal");
  // [snippet map_boxes]
  MapBoxes boxes(map, {.kind = MapBoxesKind::morton});
  const bool hit = boxes.collide(at(arm, Pose::at({2, 0, 0})));
  boxes.improve(1000, map.bounds());  // between queries, as time allows
  // [/snippet map_boxes]
  claim(hit, "the cells of a map as boxes");
}

}  // namespace

int main() {
  bounding_shapes();
  bounds_of_any_kind();
  bounds_over_a_move();
  clearance_along_a_path();
  noisy_clouds();
  broad_phases();
  scenes();
  worlds_in_space();
  worlds();
  maps();
  map_files();
  unknown_space();
  terrain();
  map_as_obstacle();
}
