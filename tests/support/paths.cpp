#include "support/paths.h"

// The only file compiled with absolute paths: the rest can share a compiler cache between clones.
namespace graze_test {

std::string project_file(const std::string& name) { return GRAZE_SOURCE_DIR "/" + name; }

std::string cli_path() { return GRAZE_CLI_PATH; }

}  // namespace graze_test
