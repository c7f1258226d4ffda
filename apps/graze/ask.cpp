// graze ask: JSON questions in, JSON answers out.
#include "graze/io/ask.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <string>

#include "command.h"
#include "graze/base/error.h"
#include "graze/io/line_reader.h"
#include "interrupt.h"
#include "streams.h"

namespace graze::app {
namespace {

constexpr const char* kFooter =
    R"(A question is {"ask": QUESTION, "a": GEOMETRY, "b": GEOMETRY, …options}, possibly with an "id", which is echoed.
  collide      "margin"
  distance     "limit"
  contacts     "max", "margin"
  penetration
  raycast      "ray": {"from", "direction"} instead of "a", "limit"; "scene" instead of "b"
  pairs        "scene": {"objects": […], "allowed": […]} instead of "a" and "b", "margin"
  search       "in": a cloud and "volume" instead of "a" and "b", "want", "k"
  probability  "sigma_a", "sigma_b", "meeting" of two clouds

A geometry is {"shape": KIND, …fields, "pose": POSE, "local": POSE}.
  sphere             "radius"
  box                "half": [x,y,z]
  capsule, cylinder  "radius", "half_length"      (along z)
  cone               "radius", "half_length"      (base at -z, apex at +z)
  ellipsoid          "radii": [x,y,z]
  convex             "points": [[x,y,z],…]
  triangle           "points": three of them
  halfspace, plane   "normal": [x,y,z], "offset"
  cloud              "points": [[x,y,z],…] or "file", "radius" of each (0)
  mesh               "vertices", "triangles" or "file", "solid" (false)

A pose is {"xyz": [x,y,z]} with "wxyz" or "xyzw" (a quaternion) or "rpy" (radians, fixed axes). Metres everywhere.

A bad line is answered by {"error": "where: why"}, the rest goes on, and the exit code is 3 in the end. Example:

  echo '{"ask":"collide","a":{"shape":"sphere","radius":1},"b":{"shape":"box","half":[1,1,1]}}' | graze ask)";

/// Standard input, or a file that is closed in the end.
class Input {
 public:
  explicit Input(const std::string& file) {
    if (file.empty() || file == "-") return;
    descriptor_ = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor_ < 0) throw Error(file, std::string("cannot be read: ") + std::strerror(errno));
    name_ = file;
  }
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;
  ~Input() {
    if (descriptor_ != STDIN_FILENO) ::close(descriptor_);
  }

  int descriptor() const { return descriptor_; }
  const std::string& name() const { return name_; }

 private:
  int descriptor_ = STDIN_FILENO;
  std::string name_ = "standard input";
};

bool is_blank(std::string_view line) { return line.find_first_not_of(" \t\r") == std::string_view::npos; }

/// How many lines were not answered, and the first of them.
struct Refusals {
  std::size_t count = 0, first_line = 0;
  bool any_failed = false;

  void add(std::size_t line, AskVerdict verdict) {
    if (count++ == 0) first_line = line;
    any_failed = any_failed || verdict == AskVerdict::failed;
  }
};

AskAnswer answer_line(LineReader::Got got, const std::string& line) {
  if (got == LineReader::Got::line) return answer_question(line);
  return {fmt::format(R"({{"error":"line: longer than {} MiB"}})", LineReader::kLongest >> 20), AskVerdict::refused};
}

int ask(const std::string& file, bool quiet) {
  say_when_interrupted("");
  const Input input(file);
  if (::isatty(input.descriptor()) != 0) {
    remark(quiet, "Reading questions from the terminal, one JSON object per line; Ctrl-D ends.");
  }
  const bool watched = output_is_watched();
  LineReader reader(input.descriptor(), input.name());
  Refusals refusals;
  std::string line;
  std::size_t questions = 0;
  for (LineReader::Got got; (got = reader.next(line)) != LineReader::Got::end;) {
    if (got == LineReader::Got::line && is_blank(line)) continue;
    ++questions;
    const AskAnswer given = answer_line(got, line);
    if (given.verdict == AskVerdict::refused || given.verdict == AskVerdict::failed) {
      refusals.add(reader.number(), given.verdict);
    }
    print(given.text);
    print("\n");
    if (watched) flush_output();
  }
  flush_output();  // before the message that sums it up
  if (refusals.count == 0) return kClear;
  remark(quiet, fmt::format("graze: {} of {} questions got an error for an answer; the first is line {} of {}",
                            refusals.count, questions, refusals.first_line, input.name()));
  return refusals.any_failed ? kInternal : kInput;
}

}  // namespace

Command ask_command() {
  const auto file = std::make_shared<std::string>();
  return {.name = "ask",
          .help = "Answer JSON questions, one per line",
          .options = {{"FILE",
                       file.get(),
                       "Questions, one JSON object per line; standard input if absent or -",
                       {.file = true}}},
          .footer = kFooter,
          .run = [file](const Session& session) { return ask(*file, session.quiet); }};
}

}  // namespace graze::app
