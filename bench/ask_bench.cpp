// `graze ask` at a million lines: simple questions per second on one core, and memory that does not grow with the
// lines. The peer does the same work with the JSON library and the verbs in a loop, as a user's own program would.
#include <fmt/format.h>
#include <malloc.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "bench/claims.h"
#include "bench/timing.h"
#include "graze/base/error.h"
#include "graze/io/ask.h"
#include "graze/io/line_reader.h"
#include "graze/query/collide.h"
#include "graze/query/distance.h"

namespace {

using namespace graze;
using namespace graze::bench;
using Json = nlohmann::json;

constexpr std::size_t kLines = 1'000'000, kKinds = 20'000;  // lines of a run; different ones among them
constexpr double kGoal = 300'000;                           // questions per second

std::string vector_text(const Vec3& v) { return fmt::format("[{:.4f},{:.4f},{:.4f}]", v.x(), v.y(), v.z()); }

class Questions {
 public:
  explicit Questions(const std::string& ask) {
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> position(-3, 3), size(0.1, 1);
    const auto vector = [&](auto& draw) {
      const double x = draw(random), y = draw(random), z = draw(random);
      return vector_text({x, y, z});
    };
    for (std::size_t i = 0; i < kKinds; ++i) {
      const std::string ball =
          fmt::format(R"({{"shape":"sphere","radius":{:.3f},"pose":{{"xyz":{}}}}})", size(random), vector(position));
      const std::string half = vector(size), xyz = vector(position), rpy = vector(position);
      const std::string box =
          fmt::format(R"({{"shape":"box","half":{},"pose":{{"xyz":{},"rpy":{}}}}})", half, xyz, rpy);
      lines_.push_back(fmt::format(R"({{"ask":"{}","a":{},"b":{}}})", ask, ball, box));
    }
  }
  const std::vector<std::string>& lines() const { return lines_; }

 private:
  std::vector<std::string> lines_;
};

Vec3 vec(const Json& json) { return {json[0].get<double>(), json[1].get<double>(), json[2].get<double>()}; }

// As a program that uses the library would do it, without checking anything.
std::string by_hand(const std::string& line) {
  const Json json = Json::parse(line);
  const Json &a = json["a"], &b = json["b"];
  const Vec3 rpy = vec(b["pose"]["rpy"]);
  const Placed ball = at(Sphere{.radius = a["radius"].get<double>()}, Pose::at(vec(a["pose"]["xyz"])));
  const Placed box = at(Box{.half = vec(b["half"])}, Pose::from_rpy(vec(b["pose"]["xyz"]), rpy.x(), rpy.y(), rpy.z()));
  if (json["ask"] == "collide") return Json{{"collide", collide(ball, box)}}.dump();
  return fmt::format(R"({{"distance":{})", distance(ball, box).value + 0.0);
}

// A whole run of `graze ask`, from a file to the answers, which are discarded.
struct Run {
  double seconds = 0;
  std::size_t max_memory = 0, min_memory = 0;  // bytes in use, measured after the first thousand lines
};

Run run(const std::vector<std::string>& lines) {
  std::string name = std::filesystem::temp_directory_path() / "graze-ask-bench-XXXXXX";
  const int file = ::mkstemp(name.data());
  if (file < 0) throw Error(name, "cannot be made");
  ::unlink(name.c_str());
  std::string block;
  for (std::size_t i = 0; i < kLines; ++i) {
    block += lines[i % lines.size()] + "\n";
    if (block.size() < (1U << 20U) && i + 1 < kLines) continue;
    if (::write(file, block.data(), block.size()) != static_cast<ssize_t>(block.size())) throw Error(name, "is full");
    block.clear();
  }
  block.shrink_to_fit();
  ::lseek(file, 0, SEEK_SET);
  Run out;
  const double start = thread_nanoseconds();
  LineReader reader(file, "questions");
  std::size_t bytes = 0, count = 0;
  for (std::string line; reader.next(line) != LineReader::Got::end;) {
    bytes += answer_question(line).text.size();
    if (++count % 1000 != 0) continue;
    const std::size_t used = ::mallinfo2().uordblks;
    out.max_memory = std::max(out.max_memory, used);
    out.min_memory = out.min_memory == 0 ? used : std::min(out.min_memory, used);
  }
  keep(bytes);
  out.seconds = 1e-9 * (thread_nanoseconds() - start);
  ::close(file);
  return out;
}

void measure(Claims& claims, const std::string& ask) {
  const Questions questions(ask);
  const std::vector<std::string>& lines = questions.lines();
  bool agree = true;
  for (const std::string& line : lines) {
    const std::string ours = answer_question(line).text, peer = by_hand(line);
    agree = agree && ours.starts_with(peer);
  }
  const Run ours = run(lines);
  const Times times = compare(
      lines.size(),
      [&] {
        for (const std::string& line : lines) keep(answer_question(line).text);
      },
      [&] {
        for (const std::string& line : lines) keep(by_hand(line));
      },
      3);
  const double rate = kLines / ours.seconds;
  claims.add({.id = "ask/" + ask + "/by hand",
              .ours = times.ours,
              .peer_name = "nlohmann::json",
              .peer = times.peer,
              .agree = agree});
  claims.add({.id = "ask/" + ask + "/lines per second",
              .ours = rate,
              .peer_name = "goal",
              .peer = kGoal,
              .unit = "1/s",
              .agree = agree,
              .rate = true});
  // Memory in use after the last line equals that after the first thousand lines.
  constexpr std::size_t kNoise = 64 << 10;
  claims.add({.id = "ask/" + ask + "/memory",
              .ours = static_cast<double>(ours.max_memory),
              .peer_name = "first 1000 lines",
              .peer = static_cast<double>(ours.min_memory),
              .unit = "bytes",
              .goal = 0.99,
              .agree = ours.max_memory - ours.min_memory <= kNoise});
}

}  // namespace

int main(int argc, char** argv) {
  Claims claims(argc, argv);
  measure(claims, "collide");
  measure(claims, "distance");
  return claims.finish();
}
