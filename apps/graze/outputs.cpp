#include "outputs.h"

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <vector>

#include "graze/base/error.h"

namespace graze::app {

void expect_no_input(const std::string& output, std::span<const std::string> inputs) {
  for (const std::string& input : inputs) {
    std::error_code error;
    if (std::filesystem::equivalent(input, output, error))
      throw Error(output, "is one of the inputs; name another file");
  }
}

void expect_no_input(const std::string& output, const std::string& json, const std::string& folder) {
  std::vector<std::string> files;
  constexpr int kDeepest = 64;  // what is deeper is refused where it is read
  const auto collect = [&](const auto& self, const nlohmann::json& value, int depth) -> void {
    if (!value.is_structured() || depth > kDeepest) return;
    if (value.is_object() && value.contains("file") && value["file"].is_string())
      files.push_back((std::filesystem::path(folder) / value["file"].get<std::string>()).string());
    for (const nlohmann::json& part : value) self(self, part, depth + 1);
  };
  collect(collect, nlohmann::json::parse(json, nullptr, false), 0);  // what is no JSON names no files
  expect_no_input(output, files);
}

void expect_no_scene(const std::string& output, const std::string& scene) {
  expect_no_input(output, std::array{scene});
  std::error_code error;
  if (!std::filesystem::is_regular_file(scene, error)) return;  // a pipe is read once, a device may have no end
  std::ifstream file(scene, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  expect_no_input(output, text, std::filesystem::path(scene).parent_path().string());
}

}  // namespace graze::app
