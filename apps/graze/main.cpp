// The command line: understands the arguments, runs one subcommand, and turns every outcome into an exit code.
#include <algorithm>
#include <exception>
#include <new>
#include <string>

#include "command.h"
#include "graze/base/error.h"
#include "graze/version.h"
#include "interrupt.h"
#include "streams.h"

namespace graze::app {
namespace {

constexpr const char* kShortHelp =
    R"(graze answers: do these touch, how far apart are they, where, and how deep?

  graze demo            show what it can do: a scene, its distances, a picture
  graze ask [FILE]      answer JSON questions, one per line
  graze collide A B     do two shapes touch? (exit code 1 if so)
  graze distance A B    how far apart are two shapes?
  graze check SCENE     which objects of a scene collide? (exit code 1 if any do)
  graze sweep A B       when do two moving shapes first touch? (exit code 1 if they do)
  graze info FILE…      what is in a file of points?
  graze convert IN OUT  a cloud in another format: PLY, PCD, LAS, XYZ, CSV
  graze clearance SCAN  does a vehicle fit through a scan? (with --path, --vehicle, --report)
  graze generate SCENE  a scan, a path and a model to try things on

Try:  graze demo
or:   graze distance '{"shape":"sphere","radius":1}' '{"shape":"box","half":[1,1,1],"pose":{"xyz":[3,0,0]}}'
More: graze --help
)";

int run(int argc, const char* const* argv) {
  Session session;
  session.arguments.assign(argv, argv + argc);
  const Command program = graze_command(session);
  const Request request = parse(program, std::string("graze ") + kVersion, {argv + std::min(argc, 1), argv + argc});
  if (!request.text.empty()) {
    print(request.text);
    flush_output();
    return kClear;
  }
  if (request.command == nullptr) {
    remark(false, kShortHelp);
    return kUsage;
  }
  const int status = request.command->run(session);
  flush_output();
  return status;
}

}  // namespace
}  // namespace graze::app

int main(int argc, char** argv) {
  using namespace graze::app;
  try {
    occupy_standard_streams();
    watch_for_interrupts();
    return run(argc, argv);
  } catch (const Interrupted&) {
    end_interrupted();
  } catch (const UsageError& error) {
    complain(error.what());
    return kUsage;
  } catch (const graze::Error& error) {
    if (interrupted()) end_interrupted();  // which is why it failed
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
