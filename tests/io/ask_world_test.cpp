// The questions about worlds in the plane: sweep with a world, nearest, tangents.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "graze/io/ask.h"
#include "graze/scene/planar_world.h"

namespace graze {
namespace ask_world_test {

using Json = nlohmann::json;

Json asked(const std::string& question) { return Json::parse(answer_question(question).text); }
std::string error_of(const std::string& question) {
  const AskAnswer given = answer_question(question);
  EXPECT_EQ(given.verdict, AskVerdict::refused) << question;
  return Json::parse(given.text).value("error", "no error: " + given.text);
}
std::string sweep_through(const std::string& obstacles) {
  return R"({"ask":"sweep","world":{"plane":[)" + obstacles + R"(]},"from":[0,0],"to":[10,0],"radius":0.5})";
}

TEST(AskWorld, AnswersAsTheLibraryDoes) {
  const std::string world =
      R"({"plane":[{"circle":{"center":[4,0.25],"radius":0.5}},{"rectangle":{"center":[2,3],"half":[1,0.5],"angle":0.4}},)"
      R"({"polygon":{"points":[[6,-1],[8,-1],[7,2]]}},{"grid":{"origin":[-4,-4],"cell":[0.5,0.25],"rows":["#.#",".#."]}}]})";
  std::vector<planar::Obstacle> obstacles;
  obstacles.emplace_back(planar::Circle({4, 0.25}, 0.5));
  obstacles.emplace_back(planar::Rectangle({2, 3}, {1, 0.5}, 0.4));
  obstacles.emplace_back(planar::Polygon(std::vector<Vec2>{{6, -1}, {8, -1}, {7, 2}}));
  const std::vector<std::string_view> rows{"#.#", ".#."};
  obstacles.emplace_back(planar::Grid::from_text({-4, -4}, {0.5, 0.25}, rows));
  const planar::World same(obstacles);
  for (int i = 0; i < 50; ++i) {
    const double x = -5 + 0.3 * i, y = -4.1 + 0.2 * i;
    const Json near = asked(R"({"ask":"nearest","world":)" + world + R"(,"point":)" + Json({x, y}).dump() + "}");
    const planar::WorldNearest truth = nearest(same, {x, y});
    EXPECT_EQ(near["distance"], truth.distance);
    EXPECT_EQ(near["point"], Json({truth.point.x(), truth.point.y()}));
    EXPECT_EQ(near["obstacle"], truth.obstacle);
    const auto expect = [&](const Json& answer, const planar::WorldHit& hit) {
      EXPECT_EQ(answer["hit"], hit.found());
      if (hit.found()) {
        EXPECT_EQ(answer["fraction"], hit.fraction);
        EXPECT_EQ(answer["obstacle"], hit.obstacle);
      }
    };
    const std::string sweep_of = R"({"ask":"sweep","world":)" + world + R"(,"radius":0.1,)";
    expect(asked(sweep_of + R"("from":[-5,-5],"to":)" + Json({x, y}).dump() + "}"),
           sweep(same, planar::Path::line({-5, -5}, {x, y}), 0.1));
    expect(asked(sweep_of + R"("arc":{"center":[1,1],"from":)" + Json({x, y}).dump() + R"(,"angle":-4}})"),
           sweep(same, planar::Path::arc({1, 1}, {x, y}, -4), 0.1));
  }
}

TEST(AskWorld, SaysWhatTouches) {
  const std::string inside =
      R"({"ask":"nearest","world":{"plane":[{"circle":{"center":[0,0],"radius":2}}]},"point":[1,0]})";
  EXPECT_EQ(answer_question(inside).text, R"({"distance":-1,"point":[2,0],"obstacle":0})");
  EXPECT_EQ(answer_question(inside).verdict, AskVerdict::touching);
  const std::string empty = R"({"ask":"nearest","world":{"plane":[]},"point":[1,0]})";
  EXPECT_EQ(answer_question(empty).text, R"({"distance":null,"beyond":null})");
  EXPECT_EQ(answer_question(empty).verdict, AskVerdict::clear);
  EXPECT_EQ(answer_question(sweep_through("")).text, R"({"hit":false})");
  EXPECT_EQ(answer_question(sweep_through(R"({"circle":{"center":[0,0],"radius":1}})")).text,
            R"({"hit":true,"fraction":0,"obstacle":0})");
  // Row 0 is the lowest.
  EXPECT_EQ(
      asked(R"({"ask":"nearest","world":{"plane":[{"grid":{"origin":[0,0],"cell":1,"rows":["#.","..","..",".."]}}]},)"
            R"("point":[0.5,2]})")["distance"],
      1);
}

TEST(AskWorld, RefusalsNameTheField) {
  const auto refused = [](const std::string& obstacle) { return error_of(sweep_through(obstacle)); };
  EXPECT_EQ(refused(R"({"circle":{"center":[0,0],"radius":-1}})"),
            "world.plane[0].circle.radius: must be 0 or between 1e-50 and 1e50, got -1");
  EXPECT_EQ(refused(R"({"circle":{"center":[0],"radius":1}})"),
            "world.plane[0].circle.center: must be an array of 2 numbers, got 1");
  EXPECT_EQ(refused(R"({"circle":{"center":[0,0],"raduis":1}})").find("world.plane[0].circle.raduis: unknown field"),
            0U);
  EXPECT_EQ(refused(R"({"polygon":{"points":[[0,0],[0,1],[1,0]]}})"),
            "world.plane[0].polygon.points: must be counter-clockwise, these are clockwise");
  EXPECT_EQ(
      refused(R"({"polygon":{"points":[[0,0],[4,0],[4,4],[2,1],[0,4]]}})").find("world.plane[0].polygon.points[3]: "),
      0U);
  EXPECT_EQ(refused(R"({"grid":{"origin":[0,0],"cell":1,"rows":[]}})"),
            "world.plane[0].grid.rows: a grid needs at least one cell");
  EXPECT_EQ(refused(R"({"grid":{"origin":[0,0],"cell":1,"rows":["#.","#"]}})").find("world.plane[0].grid.rows[1]: "),
            0U);
  EXPECT_EQ(refused(R"({"grid":{"origin":[0,0],"cell":0,"rows":["#"]}})").find("world.plane[0].grid.cell: "), 0U);
  EXPECT_EQ(refused(R"({"grid":{"origin":[0,0],"cell":1,"rows":["#",3]}})"),
            "world.plane[0].grid.rows[1]: must be a string");
  EXPECT_EQ(refused(R"({})"), "world.plane[0]: needs one of circle, rectangle, polygon and grid");
  EXPECT_EQ(refused(R"({"triangle":{}})").find("world.plane[0].triangle: unknown field"), 0U);
  const std::string world = R"("world":{"plane":[{"circle":{"center":[5,0],"radius":1}}]})";
  EXPECT_EQ(error_of(R"({"ask":"sweep",)" + world + R"(,"from":[0,0],"to":[1,0]})"), "radius: missing");
  EXPECT_EQ(error_of(R"({"ask":"sweep",)" + world + R"(,"from":[0,0],"radius":1})"), "to: missing");
  EXPECT_EQ(error_of(R"({"ask":"sweep",)" + world + R"(,"from":[0,0],"to":[1,0],"radius":-1})"),
            "radius: must not be negative, got -1");
  EXPECT_EQ(error_of(R"({"ask":"sweep",)" + world + R"(,"from":[1e60,0],"to":[1,0],"radius":1})").find("from: "), 0U);
  EXPECT_EQ(error_of(R"({"ask":"sweep",)" + world +
                     R"(,"arc":{"center":[0,0],"from":[1,0],"angle":1},"to":[0,0],"radius":1})")
                .find("to: belongs to a straight path"),
            0U);
  EXPECT_EQ(error_of(R"({"ask":"sweep",)" + world + R"(,"arc":{"center":[0,0],"from":[1,0]},"radius":1})"),
            "arc.angle: missing");
  EXPECT_EQ(error_of(R"({"ask":"nearest",)" + world + R"(,"point":[0,0,0]})"),
            "point: must be an array of 2 numbers, got 3");
  EXPECT_EQ(error_of(R"({"ask":"nearest","world":{"space":[]},"point":[0,0]})").find("world.space: unknown field"), 0U);
  EXPECT_EQ(error_of(R"({"ask":"tangents","obstacle":{"grid":{"origin":[0,0],"cell":1,"rows":["#"]}},"point":[5,5]})")
                .find("obstacle.grid: has no tangents"),
            0U);
}

}  // namespace ask_world_test
}  // namespace graze
