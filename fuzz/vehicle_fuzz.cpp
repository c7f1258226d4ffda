// Any bytes as a vehicle in JSON: one that can be driven, or an Error that names the file.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "graze/base/error.h"
#include "graze/io/vehicle_file.h"

namespace {

void expect(bool holds, const char* claim) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", claim);
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace graze;
  graze::clearance::Vehicle vehicle;
  try {
    vehicle = parse_vehicle({reinterpret_cast<const char*>(data), size}, "v.json");
  } catch (const Error& error) {
    expect(std::string_view(error.what()).starts_with("v.json"), "errors start with the name of the file");
    return 0;
  }
  vehicle.check();
  expect(!vehicle.body.empty(), "there is a body");
  for (const Placed& part : vehicle.body) expect(bounds(part.geometry, part.pose).bounded(), "the body is bounded");
  const double length = 3 * (vehicle.front_bogie() - vehicle.rear_bogie()).norm();
  const graze::clearance::Trajectory straight{{}, {Pose::at({0, 0, 0}), Pose::at({length, 0, 0})}};
  try {
    expect(follow(graze::clearance::Track(straight), vehicle, {.step = length / 10, .threads = 1}).size() > 1,
           "it can be driven");
  } catch (const Error& error) {
    // Lengths that are too large or too small for a pose.
    expect(!(length > 1e-9 && length < 1e9) || !(vehicle.rear_bogie().norm() < 1e9), error.what());
  }
  return 0;
}
