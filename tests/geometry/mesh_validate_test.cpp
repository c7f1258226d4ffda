// validate() derives everything again and names what is stale.
#include <gtest/gtest.h>

#include "geometry/mesh_data.h"
#include "geometry/mesh_surface.h"
#include "support/meshes.h"

namespace graze_test {
namespace mesh_validate_test {

using graze::Mesh;

Mesh made_of(const std::shared_ptr<const graze::mesh::Data>& data) {
  return graze::detail::Access::made_of<Mesh>(data);
}

TEST(MeshValidate, NamesWhatIsStale) {
  const Soup soup = loosened(closed(2, false));
  const auto wrong = [&](const auto& spoil) {
    auto data = std::make_shared<graze::mesh::Data>();
    data->vertices = soup.vertices, data->triangles = soup.triangles, data->solid = true;
    data->build(1);
    EXPECT_EQ(made_of(data).validate(), "");
    spoil(*data);
    return made_of(data).validate();
  };
  using Data = graze::mesh::Data;
  EXPECT_NE(wrong([](Data& d) { d.pieces.push_back(3); }), "");
  EXPECT_NE(wrong([](Data& d) { d.facing = -1; }), "");
  EXPECT_NE(wrong([](Data& d) { d.weld[5] = 4; }), "");
  EXPECT_NE(wrong([](Data& d) { d.bounds.max.x() += 1e-9; }), "");
  EXPECT_NE(wrong([](Data& d) { d.stamp ^= 1; }), "");
  EXPECT_NE(wrong([](Data& d) { d.tree_stamp ^= 1; }), "");
  EXPECT_NE(wrong([](Data& d) { d.extent *= 1.01; }), "");
  EXPECT_NE(wrong([](Data& d) { d.radius *= 0.99; }), "");
  EXPECT_NE(wrong([](Data& d) { d.all_used = false; }), "");
  EXPECT_NE(wrong([](Data& d) { d.connected = true; }), "");
  EXPECT_NE(wrong([](Data& d) { d.closed = true; }), "");
  EXPECT_NE(wrong([](Data& d) { d.tree.root.max[0] += 1; }), "");
  EXPECT_NE(wrong([](Data& d) { d.tree.nodes[0].max[1][0] += 1; }), "");
  EXPECT_NE(wrong([](Data& d) { d.tree.rounding *= 2; }), "");
  EXPECT_NE(wrong([](Data& d) { d.tree.cost += 1; }), "");
  EXPECT_NE(wrong([](Data& d) { d.blocks[0].at[1][1][0] += 1; }), "");
  EXPECT_NE(wrong([](Data& d) { d.wide[0].half[0][0] += 1; }), "");
  EXPECT_NE(wrong([](Data& d) { d.whole.half[0][0] += 1; }), "");
  EXPECT_NE(wrong([](Data& d) { d.vertices[7].x() += 0.5; }), "");
  // The surface is derived, too.
  const auto other = [](const auto& change) {
    return [change](Data& d) {
      auto surface = std::make_shared<graze::mesh::Surface>(*d.surface);
      change(*surface);
      d.surface = surface;
    };
  };
  using graze::mesh::Surface;
  EXPECT_NE(wrong(other([](Surface& x) { x.convex = !x.convex; })), "");
  EXPECT_NE(wrong(other([](Surface& x) { x.certain = false; })), "");
  EXPECT_NE(wrong(other([](Surface& x) { x.whole = false; })), "");
  EXPECT_NE(wrong(other([](Surface& x) { x.blur = 1e-9; })), "");
}

}  // namespace mesh_validate_test
}  // namespace graze_test
