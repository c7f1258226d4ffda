// Runs the real program as a user's shell does.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "support/paths.h"

namespace graze_test {

/// A folder of its own for each test, in which commands run; removed afterwards. "$GRAZE" is the program.
class Shell : public testing::Test {
 protected:
  struct Outcome {
    int code;  ///< the exit code; 128 + n if terminated by signal n
    std::string out, err;
  };

  void SetUp() override {
    std::string pattern = testing::TempDir() + "graze apps XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    ::setenv("GRAZE", cli_path().c_str(), 1);
    ::unsetenv("NO_COLOR");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path path(const std::string& name) const { return folder_ / name; }

  void write(const std::string& name, const std::string& bytes) const {
    std::ofstream(path(name), std::ios::binary) << bytes;
  }
  std::string read(const std::string& name) const {
    std::ifstream file(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  /// Runs a shell command with `input` on standard input.
  Outcome run(const std::string& command, const std::string& input = "") const {
    write(".in", input);
    write(".command", command);
    const std::string whole = "cd '" + folder_.string() + "' && sh .command <.in >.out 2>.err";
    const int status = std::system(whole.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), read(".out"), read(".err")};
  }

  /// What a page holds for its viewer; null if graze was built without npm.
  static nlohmann::json page_data(const std::string& page) {
    const std::string start = "id=\"graze-data\">";
    const std::size_t begin = page.find(start);
    if (begin == std::string::npos) return nullptr;
    return nlohmann::json::parse(
        page.substr(begin + start.size(), page.find("</script>", begin) - begin - start.size()));
  }

  std::filesystem::path folder_;
};

}  // namespace graze_test
