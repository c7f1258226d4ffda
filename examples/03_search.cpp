// What is near here? Every volume and every kind of result of a k-d tree.

#include <graze/graze.h>

#include <array>
#include <cstdio>
#include <vector>

int main() {
  // [snippet]
  using namespace graze;

  // Posts along a track, every half a metre, 2 m beside it; x points along the track.
  std::vector<Vec3> posts;
  for (int i = 0; i <= 40; ++i) posts.emplace_back(0.5 * i, i % 2 == 0 ? 2 : -2, 1);
  const KdTree tree(posts);

  // The kinds of result, here of a ball.
  const PointSearch near = tree.search(region::Ball({5, 0, 1}, 2.5));
  const bool any = near.any();              // is there one at all? Stops at the first.
  const std::size_t count = near.count();   // how many?
  const Neighbor nearest = near.nearest();  // the nearest: .index of the caller's points, .distance
  std::array<Neighbor, 3> three;
  near.nearest(three);  // the three nearest, sorted
  std::vector<Neighbor> all(count);
  near.all(all);  // all, sorted; the nearest that fit if the buffer is too small
  near.visit([](const Neighbor& n) { return n.index != 12; });  // one by one, unsorted; false ends it

  // The volumes. Borders are inside.
  const Vec3 a(0, 0, 1), b(10, 0, 1), x(1, 0, 0);
  const std::size_t around_line = tree.search(region::Line(a, x, 2)).count();
  const std::size_t around_ray = tree.search(region::Ray(b, x, 2)).count();            // with a round end
  const std::size_t around_segment = tree.search(region::Segment(a, b, 2.1)).count();  // with round ends
  const std::size_t in_cylinder = tree.search(region::Cylinder(a, b, 2.1)).count();    // with flat ends
  const std::size_t in_box = tree.search(region::Box({1, 0, 0}, {4, 3, 2})).count();
  const std::size_t in_turned_box =
      tree.search(region::OrientedBox({3, 1, 1}, Pose::from_rpy({5, 2, 1}, 0, 0, 0.1))).count();
  const std::array<region::Side, 2> wedge{{{{-1, 0, 0}, -8}, {{1, 1, 0}, 12}}};  // x >= 8 and x + y <= 12
  const std::size_t in_polytope = tree.search(region::Polytope(wedge)).count();

  // Nearest to the start of the segment, or to the segment itself.
  const Neighbor first = tree.search(region::Segment(a, b, 3)).nearest();
  const Neighbor closest = tree.search(region::Segment(a, b, 3), {.to_axis = true}).nearest();

  // Many searches at once, on all cores: each writes to its own element.
  std::vector<region::Ball> stations;
  for (int i = 0; i < 20; ++i) stations.emplace_back(Vec3(i, 0, 1), 2.2);
  std::vector<std::size_t> counts(stations.size());
  tree.search_each(std::span<const region::Ball>(stations),
                   [&](std::size_t i, const PointSearch& search) { counts[i] = search.count(); });

  // A cloud brings its tree along.
  const Cloud cloud(posts);
  const Neighbor post = cloud.nearest({5, 0, 1});                        // of all points
  const Neighbor none = cloud.nearest({5, 0, 1}, 1.5);                   // within 1.5 m: none.found() is false
  const auto two = cloud.nearest({5, 0, 1}, std::span(three).first(2));  // the two nearest
  const std::size_t in_ball = cloud.search(region::Ball({5, 0, 1}, 2.5)).count();
  // [/snippet]

  std::printf("%zu posts in the ball, the nearest is %zu at %.3f m\n", count, nearest.index, nearest.distance);
  std::printf("line %zu, ray %zu, segment %zu, cylinder %zu, box %zu, turned box %zu, polytope %zu\n", around_line,
              around_ray, around_segment, in_cylinder, in_box, in_turned_box, in_polytope);
  std::printf("from the start %.3f m, from the axis %.3f m\n", first.distance, closest.distance);
  // All posts are equally near to the axis: the lowest index wins.
  const bool as_expected = any && count == 7 && nearest == Neighbor{10, 2} && three[0] == nearest &&
                           all[0] == nearest && three[1].index == 9 && three[2].index == 11 && around_line == 41 &&
                           around_ray == 21 && around_segment == 22 && in_cylinder == 21 && in_box == 4 &&
                           in_turned_box == 7 && in_polytope == 9 && first == Neighbor{0, 2} &&
                           closest == Neighbor{0, 2} && counts[5] == 3 && post == nearest && !none.found() &&
                           two.size() == 2 && two[0] == nearest && in_ball == count;
  return as_expected ? 0 : 1;
}
