// The command line: understands the arguments, runs one subcommand, and turns every outcome into an exit code.
#include <exception>
#include <new>
#include <sstream>
#include <string>

#include "command.h"
#include "graze/base/error.h"
#include "graze/version.h"
#include "streams.h"

namespace graze::app {
namespace {

constexpr const char* kShortHelp =
    R"(graze answers: do these touch, how far apart are they, where, and how deep?

  graze demo            show what it can do: a scene, its distances, a picture
  graze ask [FILE]      answer JSON questions, one per line
  graze collide A B     do two shapes touch? (exit code 1 if so)
  graze distance A B    how far apart are two shapes?
  graze info FILE…      what is in a file of points?
  graze convert IN OUT  a cloud in another format: PLY, PCD, LAS, XYZ, CSV
  graze clearance SCAN  does a vehicle fit through a scan? (with --path, --vehicle, --report)
  graze generate SCENE  a scan, a path and a model to try things on

Try:  graze demo
or:   graze distance '{"shape":"sphere","radius":1}' '{"shape":"box","half":[1,1,1],"pose":{"xyz":[3,0,0]}}'
More: graze --help
)";

void describe(CLI::App& app, Session& session) {
  app.set_version_flag("--version", std::string("graze ") + kVersion, "Print the version and exit");
  app.set_help_flag("-h,--help", "Print this help and exit");
  app.add_flag("-q,--quiet", session.quiet, "Print results and errors only");
  app.fallthrough();  // --quiet may stand before or after the subcommand
  app.require_subcommand(0, 1);
  app.get_formatter()->column_width(26);
  app.footer(
      "Results go to standard output, messages to standard error; NO_COLOR is respected.\n"
      "Exit codes: 0 clear, 1 collision or below the limit, 2 usage, 3 bad input or file, 4 internal error.");
  add_ask(app, session);
  add_collide(app, session);
  add_distance(app, session);
  add_info(app, session);
  add_convert(app, session);
  add_clearance(app, session);
  add_generate(app, session);
  add_demo(app, session);
}

// CLI11 has an exit code of its own for each kind of mistake; here they are all "usage", and help is a result.
int explain(const CLI::App& app, const CLI::ParseError& error) {
  std::ostringstream result, message;
  if (app.exit(error, result, message) == static_cast<int>(CLI::ExitCodes::Success)) {
    print(result.str());
    flush_output();
    return kClear;
  }
  complain(std::string(error.what()) + "\nRun 'graze --help' or 'graze COMMAND --help' for how to use it.");
  return kUsage;
}

int run(int argc, const char* const* argv) {
  Session session;
  CLI::App app("graze: collision, distance and contacts for things in space", "graze");
  describe(app, session);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return explain(app, error);
  }
  if (!session.run) {
    remark(false, kShortHelp);
    return kUsage;
  }
  const int status = session.run();
  flush_output();
  return status;
}

}  // namespace
}  // namespace graze::app

int main(int argc, char** argv) {
  using namespace graze::app;
  try {
    occupy_standard_streams();
    return run(argc, argv);
  } catch (const graze::Error& error) {
    complain(error.what());
    return kInput;
  } catch (const std::bad_alloc&) {
    complain("out of memory");
  } catch (const std::exception& error) {
    complain(std::string("internal error: ") + error.what());
  } catch (...) {
    complain("internal error");
  }
  return kInternal;
}
