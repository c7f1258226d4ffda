#include "graze/base/simd.h"

#include <fmt/format.h>
#include <hwy/highway.h>

#include <string>

#include "graze/base/error.h"

namespace graze {
namespace {

std::string_view name_of_target(std::int64_t target) {
  const std::string_view name = hwy::TargetName(target);
  // Highway counts AVX generations.
  if (name == "AVX3") return "AVX-512";
  if (name == "AVX3_DL") return "AVX-512-DL";
  if (name == "EMU128" || name == "SCALAR") return "scalar";
  return name;
}

// What the CPU can run, whatever is forced at the moment.
std::vector<std::int64_t> targets_of_machine() {
  const std::int64_t forced = hwy::SupportedTargets();
  hwy::SetSupportedTargetsForTest(0);
  std::vector<std::int64_t> targets = hwy::SupportedAndGeneratedTargets();
  hwy::SetSupportedTargetsForTest(forced);
  return targets;
}

}  // namespace

std::vector<std::string_view> simd_targets() {
  std::vector<std::string_view> names;
  for (const std::int64_t target : targets_of_machine()) names.push_back(name_of_target(target));
  return names;
}

std::string_view simd_target() { return name_of_target(hwy::SupportedAndGeneratedTargets().front()); }

ForcedSimdTarget::ForcedSimdTarget(std::string_view name) : previous_(hwy::SupportedTargets()) {
  std::string known;
  for (const std::int64_t target : targets_of_machine()) {
    if (name_of_target(target) == name) {
      hwy::SetSupportedTargetsForTest(target);
      return;
    }
    known += fmt::format("{}{}", known.empty() ? "" : ", ", name_of_target(target));
  }
  throw Error("SIMD target", fmt::format("this build on this machine has {}, got \"{}\"", known, name));
}

ForcedSimdTarget::~ForcedSimdTarget() { hwy::SetSupportedTargetsForTest(previous_); }

}  // namespace graze
