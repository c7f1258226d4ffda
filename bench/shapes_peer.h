// One interface for graze and its peers in the shape benchmark.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "shapes_scene.h"

namespace shapes_bench {

enum class Question {
  /// 1 colliding, 0 free.
  boolean,
  /// The depth of the deepest contact, 0 if there is none: one contact per pair.
  contact,
  /// Metres; 0 or less where the shapes overlap, where the exact value does not matter.
  distance,
  /// Metres; minus the depth where they overlap.
  signed_distance,
  /// The number of contacts, of up to four: boxes only.
  manifold,
};
inline constexpr std::array kQuestions = {Question::boolean, Question::contact, Question::distance,
                                          Question::signed_distance};

/// Everything that one library needs for the cases of one PairSet, converted and allocated beforehand.
class Subject {
 public:
  virtual ~Subject() = default;
  virtual bool answers(Question question) const = 0;
  /// Queries all cases in order and writes one number for each (NaN if the library threw). This call is timed.
  virtual void run(Question question, std::span<double> out) = 0;
};

/// A library that takes part.
struct Peer {
  std::string name;
  std::unique_ptr<Subject> (*prepare)(const PairSet& set);
};

std::unique_ptr<Subject> prepare_graze(const PairSet& set);
/// The same, with a cache per pair of sizes that is kept from case to case and cleared when the sizes change.
std::unique_ptr<Subject> prepare_graze_warm(const PairSet& set);

// Compiled only if the library is installed.
std::unique_ptr<Subject> prepare_fcl_libccd(const PairSet& set);
std::unique_ptr<Subject> prepare_fcl_indep(const PairSet& set);
std::unique_ptr<Subject> prepare_bullet(const PairSet& set);
std::unique_ptr<Subject> prepare_coal(const PairSet& set);

/// The peers of this build.
std::vector<Peer> peers();

}  // namespace shapes_bench
