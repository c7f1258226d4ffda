#include <gtest/gtest.h>

#include <cmath>

#include "apps/graze/demo_page.h"
#include "apps/graze/demo_render.h"
#include "apps/graze/demo_scene.h"
#include "apps/graze/image.h"
#include "apps/shell.h"

namespace graze::app {
namespace demo_test {

using graze_test::Shell;

TEST(Image, EncodesBase64) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("foob"), "Zm9vYg==");
  EXPECT_EQ(base64("\xff\xfe\xfd"), "//79");
}

TEST(Image, EncodesPngAsReadersExpect) {
  // Checksums of this red pixel as zlib computes them.
  const std::string expected(
      "\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\1\0\0\0\1\x08\x02\0\0\0\x90\x77\x53\xde"
      "\0\0\0\x0fIDAT\x78\x01\x01\x04\0\xfb\xff\0\xff\0\0\x03\x01\x01\0\x8d\x1d\xe5\x82"
      "\0\0\0\0IEND\xae\x42\x60\x82",
      8 + 25 + 27 + 12);
  EXPECT_EQ(png({.width = 1, .height = 1, .rgb = {255, 0, 0}}), expected);
}

TEST(DemoScene, HasEveryKindOfShape) {
  std::vector<bool> seen(std::variant_size_v<Shape>);
  for (const Object& object : make_scene()) seen[object.placed.geometry.index()] = true;
  for (std::size_t i = 0; i < seen.size(); ++i) EXPECT_TRUE(seen[i]) << i;
}

TEST(DemoScene, ReportsConsistentPairs) {
  const Scene scene = make_scene();
  const std::vector<PairReport> pairs = report_pairs(scene);
  EXPECT_EQ(pairs.size(), scene.size() * (scene.size() - 1) / 2 - 1);
  for (const PairReport& pair : pairs) {
    const Distance& d = pair.distance;
    ASSERT_TRUE(std::isfinite(d.value)) << pair_name(scene, pair);
    EXPECT_NEAR((d.on_b - d.on_a).norm(), std::abs(d.value), 1e-9) << pair_name(scene, pair);
    if (std::abs(d.value) > 1e-6) {
      EXPECT_EQ(pair.contacts.empty(), d.value > 0) << pair_name(scene, pair);
    }
  }
}

TEST(DemoRender, CameraProjectsWhatItsRaysHit) {
  const Camera camera({3, -4, 2}, {0, 0, 0}, 0.7, 320, 200);
  for (const auto& [x, y] : {std::pair{160.0, 100.0}, {3.0, 7.0}, {310.0, 150.0}}) {
    const auto [px, py] = camera.project(camera.eye() + 5 * camera.ray(x, y));
    EXPECT_NEAR(px, x, 1e-9);
    EXPECT_NEAR(py, y, 1e-9);
  }
}

TEST(DemoRender, DepthsAreThoseOfTheShapes) {
  const Camera camera({0, -6, 0}, {0, 0, 0}, 0.6, 31, 21);
  Scene scene;
  const auto add = [&](Geometry geometry) {
    const Aabb box = bounds(geometry);
    scene.push_back({"thing", at(std::move(geometry)), Vec3::Ones(), box});
  };
  add(HalfSpace({0, 0, 1}, -5));
  add(Sphere{.radius = 1});
  const Picture picture = render(scene, camera);
  EXPECT_NEAR(picture.depth[10 * 31 + 15], 5, 2e-3);  // the middle pixel sees the front of the ball
  EXPECT_GT(picture.depth.front(), 20);
  EXPECT_GT(picture.queries, 0U);
  EXPECT_EQ(render(scene, camera).image.rgb, picture.image.rgb) << "the same in every run";
}

TEST(DemoPage, RoundsForReaders) {
  EXPECT_EQ(rounded(3.14e6), "3.1 million");
  EXPECT_EQ(rounded(812e3), "812 thousand");
  EXPECT_EQ(rounded(12), "12");
  EXPECT_EQ(metres(-1e-17, 4), "0.0000");
  EXPECT_EQ(metres(-0.00004, 4), "0.0000");
  EXPECT_EQ(metres(-0.0395, 4), "-0.0395");
}

class DemoCommand : public Shell {};

TEST_F(DemoCommand, WritesOneSelfContainedPage) {
  const Outcome outcome = run("$GRAZE demo --width 160");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("queries per second"), std::string::npos);
  EXPECT_NE(outcome.out.find("graze-demo.html"), std::string::npos);
  EXPECT_EQ(outcome.err, "");
  const std::string page = read("graze-demo.html");
  EXPECT_TRUE(page.starts_with("<!doctype html>"));
  EXPECT_TRUE(page.ends_with("</html>\n"));
  EXPECT_EQ(page.find("http"), std::string::npos) << "nothing is loaded from elsewhere";
  for (const char* nonsense : {">nan", "\"nan", ">-inf", "\"inf", "\"-inf"}) {
    EXPECT_EQ(page.find(nonsense), std::string::npos) << nonsense;
  }
}

TEST_F(DemoCommand, SaysWhyThePageCannotBeWritten) {
  const Outcome folder = run("$GRAZE demo --quiet --width 64 -o no/where.html");
  EXPECT_EQ(folder.code, 3);
  EXPECT_EQ(folder.err, "graze: no/where.html: cannot be written: the folder no does not exist\n");
}

}  // namespace demo_test
}  // namespace graze::app
