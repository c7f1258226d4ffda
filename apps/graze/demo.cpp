// graze demo: a scene of shapes, all its distances and contacts, and a page to look at.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <numbers>
#include <string>

#include "command.h"
#include "demo_page.h"
#include "demo_render.h"
#include "demo_scene.h"
#include "graze/io/write_file.h"
#include "interrupt.h"
#include "streams.h"

namespace graze::app {
namespace {

constexpr std::size_t kWidth = 800;  // pixels; five eighths of it high
constexpr std::size_t kRows = 14;    // of the table on the terminal

struct DemoArguments {
  std::string file = "graze-demo.html";
  std::uint64_t width = kWidth;
};

Camera make_camera(std::size_t width) {
  return Camera({2.6, -6.6, 3.3}, {-0.15, 0.1, 0.55}, 36 * std::numbers::pi / 180, width, width * 5 / 8);
}

std::string aligned(const Vec3& p) {
  return fmt::format("({:>6} {:>6} {:>6})", metres(p.x(), 3), metres(p.y(), 3), metres(p.z(), 3));
}

// Padded by characters: the dash of a name has three bytes.
std::string row(const Scene& scene, const PairReport& pair, bool color) {
  const std::string names = fmt::format("{} - {}", scene[pair.a].name, scene[pair.b].name);
  const bool hit = !pair.contacts.empty();
  const std::string value = fmt::format("{:>9}", metres(pair.distance.value, 4));
  return fmt::format("  {:<17} {}  {}  {}  {:>8}\n", names, hit && color ? "\033[31m" + value + "\033[0m" : value,
                     aligned(pair.distance.on_a), aligned(pair.distance.on_b),
                     hit ? fmt::format("{}", pair.contacts.size()) : "-");
}

void print_results(const DemoResults& r) {
  const bool color = use_color(stdout);
  print(fmt::format("{} objects, {} pairs; distances in metres, negative where two overlap:\n\n", r.scene.size(),
                    r.pairs.size()));
  print(fmt::format("  {:<17} {:>9}  {:<22}  {:<22}  {:>8}\n", "pair", "distance", "nearest on the first",
                    "nearest on the second", "contacts"));
  for (std::size_t i = 0; i < std::min(kRows, r.pairs.size()); ++i) print(row(r.scene, r.pairs[i], color));
  print(fmt::format("  … and {} more\n\n", r.pairs.size() - std::min(kRows, r.pairs.size())));
  print(fmt::format("queries per second, one thread: collide {}, distance {}, contacts {}\n",
                    rounded(r.throughput.collide), rounded(r.throughput.distance), rounded(r.throughput.contacts)));
  print(fmt::format("picture: {} distances in {:.1f} s\n", rounded(static_cast<double>(r.picture.queries)),
                    r.seconds_for_picture));
}

int demo(const DemoArguments& arguments, bool quiet) {
  check_writable(arguments.file);
  if (::isatty(STDERR_FILENO) != 0) remark(quiet, "Measuring and drawing a scene; this takes a few seconds.");
  DemoResults results{.scene = make_scene(), .pairs = {}, .picture = {}};
  results.pairs = report_pairs(results.scene);
  results.throughput = measure_throughput(results.scene);
  const Camera camera = make_camera(arguments.width);
  const auto start = std::chrono::steady_clock::now();
  results.picture = render(results.scene, camera);
  results.seconds_for_picture = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  write_file(arguments.file, page(results, camera));
  say_when_interrupted(arguments.file + " is complete");
  if (!quiet) print_results(results);
  print(fmt::format("{}{}\n", quiet ? "" : "page:    ", printable(arguments.file)));
  return kClear;
}

}  // namespace

Command demo_command() {
  const auto a = std::make_shared<DemoArguments>();
  return {.name = "demo",
          .help = "Measure a scene of all shapes and write a page with its picture",
          .options = {{"-o,--output", &a->file, "The page to write", {.value = "FILE [graze-demo.html]"}},
                      {"--width",
                       &a->width,
                       "Pixels of the picture, from 64 to 4096",
                       {.value = "N [800]", .range = {64, 4096}}}},
          .run = [a](const Session& session) { return demo(*a, session.quiet); }};
}

}  // namespace graze::app
