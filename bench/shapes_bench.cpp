// Every bounded convex shape against every other: graze beside FCL, Bullet and Coal.
//
//     bench_shapes [--verbose] [--json PATH]

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "bench/claims.h"
#include "bench/timing.h"
#include "shapes_check.h"
#include "shapes_peer.h"

namespace shapes_bench {

std::vector<Peer> peers() {
  std::vector<Peer> list;
#if GRAZE_HAVE_COAL
  list.push_back({"Coal 3", prepare_coal});
#endif
#if GRAZE_HAVE_FCL
  list.push_back({"FCL libccd", prepare_fcl_libccd});
  list.push_back({"FCL own", prepare_fcl_indep});
#endif
#if GRAZE_HAVE_BULLET
  list.push_back({"Bullet", prepare_bullet});
#endif
  return list;
}

namespace {

using graze::bench::Claims;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

std::string_view name_of(Question question) {
  switch (question) {
    case Question::boolean:
      return "boolean";
    case Question::contact:
      return "contact";
    case Question::distance:
      return "distance";
    case Question::signed_distance:
      return "signed";
    case Question::manifold:
      return "manifold";
  }
  return "";
}

double geometric_mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += std::log(value);
  return std::exp(sum / static_cast<double>(values.size()));
}

/// ns per query of each subject: in each round the first one alternates with each of the others, and the fastest round
/// counts. Slow subjects run less often. NaN for those that cannot answer.
std::vector<double> time_in_turn(const std::vector<std::unique_ptr<Subject>>& subjects, Question question,
                                 std::size_t queries, int rounds) {
  constexpr double kSlow = 6e6, kVerySlow = 25e6;  // ns per block
  constexpr int kSlowRounds = 2, kVerySlowRounds = 1;
  std::vector<double> out(queries), best(subjects.size(), kNone);
  const auto time = [&](std::size_t i) {
    const double ns = graze::bench::time_of([&] { subjects[i]->run(question, out); }) / static_cast<double>(queries);
    best[i] = std::fmin(best[i], ns);
  };
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 1; i < subjects.size(); ++i) {
      if (!subjects[i]->answers(question)) continue;
      const double block = best[i] * static_cast<double>(queries);
      if ((round >= kSlowRounds && block > kSlow) || (round >= kVerySlowRounds && block > kVerySlow)) continue;
      time(0);
      time(i);
    }
  }
  return best;
}

/// How many of the answers are wrong: the wrong side of contact, or off by more than a part in a thousand.
std::size_t count_wrong(Subject& subject, Question question, const PairSet& set, const std::vector<double>& truth) {
  constexpr double kRelative = 1e-3, kAbsolute = 1e-5;
  std::vector<double> out(set.cases.size());
  subject.run(question, out);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const bool colliding = set.cases[i].colliding;
    const auto close = [&](double value, double expected) {
      return std::abs(value - expected) <= kRelative * std::abs(expected) + kAbsolute;
    };
    bool right = false;
    switch (question) {
      case Question::boolean:
        right = (out[i] != 0) == colliding;
        break;
      case Question::contact:
        right = close(out[i], colliding ? -truth[i] : 0);
        break;
      case Question::distance:
        right = colliding ? out[i] <= 0 : close(out[i], truth[i]);
        break;
      case Question::signed_distance:
        right = close(out[i], truth[i]);
        break;
      case Question::manifold:
        right = (out[i] > 0) == colliding;
        break;
    }
    wrong += !right;
  }
  return wrong;
}

/// Times and wrong answers over the pairs, by subject (graze first) and question.
struct Column {
  std::vector<std::vector<double>> ns;  // by subject, then pair
  std::vector<std::size_t> wrong;       // by subject
};

class ShapesBench {
 public:
  explicit ShapesBench(bool verbose) : verbose_(verbose), peers_(peers()) {
    for (Column& column : columns_) {
      column.ns.resize(peers_.size() + 1);
      column.wrong.resize(peers_.size() + 1);
    }
  }

  void run(Claims& claims) {
    for (std::size_t i = 0; i < kKinds.size(); ++i) {
      for (std::size_t j = i; j < kKinds.size(); ++j) measure_pair(kKinds[i], kKinds[j]);
    }
    print_means();
    if (verbose_) print_pairs();
    add_claims(claims);
    add_growth(claims);
    add_manifold(claims);
    add_warm(claims);
  }

 private:
  static constexpr int kRounds = 5;

  std::vector<std::unique_ptr<Subject>> prepare(const PairSet& set) const {
    std::vector<std::unique_ptr<Subject>> subjects;
    subjects.push_back(prepare_graze(set));
    for (const Peer& peer : peers_) subjects.push_back(peer.prepare(set));
    return subjects;
  }

  std::string name(std::size_t subject) const { return subject == 0 ? "graze" : peers_[subject - 1].name; }

  void measure_pair(Kind a, Kind b) {
    const PairSet set = random_poses(a, b, {});
    pairs_.push_back(set.name);
    const Proof proof = prove(set);
    if (proof.unproven() + proof.hull > 0) {
      fmt::print("{}: unproven {} boolean, {} contact, {} distance, {} signed, {} hulls; first in case {}\n", set.name,
                 proof.boolean, proof.contact, proof.distance, proof.signed_distance, proof.hull, proof.first);
    }
    cases_ += set.cases.size();
    proof_ += proof;
    const auto subjects = prepare(set);
    for (std::size_t q = 0; q < kQuestions.size(); ++q) {
      const std::vector<double> ns = time_in_turn(subjects, kQuestions[q], set.cases.size(), kRounds);
      for (std::size_t s = 0; s < subjects.size(); ++s) {
        columns_[q].ns[s].push_back(ns[s]);
        if (!subjects[s]->answers(kQuestions[q])) continue;
        columns_[q].wrong[s] += count_wrong(*subjects[s], kQuestions[q], set, proof.truth);
      }
    }
  }

  double mean(std::size_t question, std::size_t subject) const {
    return geometric_mean(columns_[question].ns[subject]);
  }

  /// The peer with the lowest geometric mean; 0 if there is none.
  std::size_t best_peer(std::size_t question) const {
    std::size_t best = 0;
    for (std::size_t s = 1; s <= peers_.size(); ++s) {
      const double ns = mean(question, s);
      if (!std::isnan(ns) && (best == 0 || ns < mean(question, best))) best = s;
    }
    return best;
  }

  void print_means() const {
    fmt::print("ns per query, geometric mean over {} pairs of shapes (answers that are wrong, of {} each)\n",
               pairs_.size(), cases_);
    fmt::print("{:<12}", "");
    for (const Question question : kQuestions) fmt::print("{:>18}", name_of(question));
    fmt::print("\n");
    for (std::size_t s = 0; s <= peers_.size(); ++s) {
      fmt::print("{:<12}", name(s));
      for (std::size_t q = 0; q < kQuestions.size(); ++q) {
        const double ns = mean(q, s);
        fmt::print("{:>18}", std::isnan(ns) ? "–" : fmt::format("{:.0f} ({})", ns, columns_[q].wrong[s]));
      }
      fmt::print("\n");
    }
    fmt::print(
        "graze's answers that could not be proven: {} boolean, {} contact, {} distance, {} signed; hulls: {}\n\n",
        proof_.boolean, proof_.contact, proof_.distance, proof_.signed_distance, proof_.hull);
  }

  /// The fastest of the peers in one row of times by subject; 0 if there is none.
  template <class Times>
  std::size_t fastest_peer(const Times& ns) const {
    std::size_t best = 0;
    for (std::size_t s = 1; s <= peers_.size(); ++s) {
      if (!std::isnan(ns(s)) && (best == 0 || ns(s) < ns(best))) best = s;
    }
    return best;
  }

  /// graze and the fastest peer of each pair, worst ratio first.
  void print_pairs() const {
    for (std::size_t q = 0; q < kQuestions.size(); ++q) {
      const auto best = [&](std::size_t pair) { return fastest_of(q, pair); };
      const auto ratio = [&](std::size_t pair) { return ratio_of(q, pair); };
      std::vector<std::size_t> order(pairs_.size());
      std::iota(order.begin(), order.end(), std::size_t{0});
      std::sort(order.begin(), order.end(), [&](std::size_t l, std::size_t r) { return ratio(l) < ratio(r); });
      fmt::print("{:<22}{:>10}{:>10}{:>8}  {}\n", name_of(kQuestions[q]), "graze ns", "peer ns", "ratio",
                 "fastest peer");
      for (const std::size_t pair : order) {
        fmt::print("{:<22}{:>10.0f}{:>10.0f}{:>8.2f}  {}\n", pairs_[pair], columns_[q].ns[0][pair],
                   columns_[q].ns[best(pair)][pair], ratio(pair), name(best(pair)));
      }
      fmt::print("\n");
    }
  }

  std::size_t fastest_of(std::size_t question, std::size_t pair) const {
    return fastest_peer([&](std::size_t s) { return columns_[question].ns[s][pair]; });
  }
  double ratio_of(std::size_t question, std::size_t pair) const {
    return columns_[question].ns[fastest_of(question, pair)][pair] / columns_[question].ns[0][pair];
  }

  /// Means hide outliers: the pair with the worst ratio to the fastest peer.
  void add_worst_pair(Claims& claims, std::size_t question, bool agree) const {
    std::size_t worst = 0;
    for (std::size_t pair = 1; pair < pairs_.size(); ++pair) {
      if (ratio_of(question, pair) < ratio_of(question, worst)) worst = pair;
    }
    const std::size_t peer = fastest_of(question, worst);
    claims.add({.id = fmt::format("shapes/{}, worst pair", name_of(kQuestions[question])),
                .ours = columns_[question].ns[0][worst],
                .peer_name = fmt::format("{}, {}", name(peer), pairs_[worst]),
                .peer = columns_[question].ns[peer][worst],
                .goal = 1,
                .agree = agree && proof_.hull == 0});
  }

  void add_growth(Claims& claims) const {
    fmt::print("convex hull against convex hull, ns per boolean / distance\n{:<12}", "vertices");
    for (std::size_t s = 0; s <= peers_.size(); ++s) fmt::print("{:>18}", name(s));
    fmt::print("\n");
    for (const std::size_t vertices : {std::size_t{8}, std::size_t{64}, std::size_t{512}, std::size_t{4096}}) {
      const PairSet set = random_poses(Kind::convex, Kind::convex,
                                       {.sizes = 2, .poses_per_size = 100, .hull_vertices = vertices, .seed = 2});
      const auto subjects = prepare(set);
      const std::vector<double> boolean = time_in_turn(subjects, Question::boolean, set.cases.size(), kRounds);
      const std::vector<double> distance = time_in_turn(subjects, Question::distance, set.cases.size(), kRounds);
      fmt::print("{:<12}", vertices);
      for (std::size_t s = 0; s < subjects.size(); ++s) {
        fmt::print("{:>18}", fmt::format("{:.0f} / {:.0f}", boolean[s], distance[s]));
      }
      fmt::print("\n");
      if (peers_.empty()) continue;
      for (const bool measured : {false, true}) {
        const std::vector<double>& ns = measured ? distance : boolean;
        const std::size_t peer = fastest_peer([&](std::size_t s) { return ns[s]; });
        claims.add({.id = fmt::format("shapes/hulls of {}, {}", vertices, measured ? "distance" : "boolean"),
                    .ours = ns[0],
                    .peer_name = name(peer),
                    .peer = ns[peer],
                    .goal = 1,
                    .agree = count_wrong(*subjects[0], Question::boolean, set, {}) == 0});
      }
    }
    fmt::print("\n");
  }

  void add_claims(Claims& claims) const {
    if (peers_.empty()) {
      claims.missing("shapes", "no peer is installed");
      return;
    }
    const auto add = [&](std::size_t question, std::size_t peer, double goal, bool agree) {
      claims.add({.id = fmt::format("shapes/{}", name_of(kQuestions[question])),
                  .ours = mean(question, 0),
                  .peer_name = name(peer),
                  .peer = mean(question, peer),
                  .goal = goal,
                  .agree = agree && proof_.hull == 0});
    };
    // Coal is the peer if it is installed; otherwise the best of the others is, and is named.
    const bool have_coal = peers_[0].prepare == first_choice();
    if (!have_coal) claims.missing("shapes/distance, shapes/signed", "Coal is not installed: compared with another");
    add(0, best_peer(0), 4, proof_.boolean == 0);
    add_worst_pair(claims, 0, proof_.boolean == 0);
    add(1, best_peer(1), 1, proof_.contact == 0);
    add(2, have_coal ? 1 : best_peer(2), 2.5, proof_.distance == 0);
    add_worst_pair(claims, 2, proof_.distance == 0);
    add(3, have_coal ? 1 : best_peer(3), 2, proof_.signed_distance == 0);
  }

  static decltype(Peer::prepare) first_choice() {
#if GRAZE_HAVE_COAL
    return prepare_coal;
#else
    return nullptr;
#endif
  }

  void add_manifold(Claims& claims) const {
#if GRAZE_HAVE_BULLET
    const PairSet set = random_poses(Kind::box, Kind::box, {});
    std::vector<std::unique_ptr<Subject>> subjects;
    subjects.push_back(prepare_graze(set));
    subjects.push_back(prepare_bullet(set));
    const std::vector<double> ns = time_in_turn(subjects, Question::manifold, set.cases.size(), 3 * kRounds);
    claims.add({.id = "shapes/manifold of boxes",
                .ours = ns[0],
                .peer_name = "Bullet",
                .peer = ns[1],
                .goal = 1,
                .agree = count_wrong(*subjects[0], Question::manifold, set, {}) == 0});
#else
    claims.missing("shapes/manifold of boxes", "Bullet is not installed");
#endif
  }

  /// The same queries with and without a cache of the previous pose; the answers must not differ.
  void add_warm(Claims& claims) const {
    constexpr double kSame = 1e-9, kStep = 0.005, kTurn = 0.5 * 3.14159265358979 / 180;
    constexpr std::array kGeneral = {Kind::box, Kind::cylinder, Kind::cone, Kind::ellipsoid, Kind::convex};
    if (verbose_) fmt::print("{:<22}{:>20}{:>20}\n", "cold → warm, ns", "boolean", "distance");
    std::array<std::vector<double>, 2> cold, warm;
    bool agree = true;
    for (std::size_t i = 0; i < kGeneral.size(); ++i) {
      for (std::size_t j = std::max<std::size_t>(i, 1); j < kGeneral.size(); ++j) {
        const PairSet set = coherent_motion(kGeneral[i], kGeneral[j], kStep, kTurn, {});
        std::vector<std::unique_ptr<Subject>> subjects;
        subjects.push_back(prepare_graze(set));
        subjects.push_back(prepare_graze_warm(set));
        std::vector<double> a(set.cases.size()), b(set.cases.size());
        for (std::size_t q = 0; q < 2; ++q) {
          const Question question = q == 0 ? Question::boolean : Question::distance;
          const std::vector<double> ns = time_in_turn(subjects, question, set.cases.size(), kRounds);
          cold[q].push_back(ns[0]);
          warm[q].push_back(ns[1]);
          subjects[0]->run(question, a);
          subjects[1]->run(question, b);
          for (std::size_t k = 0; k < a.size(); ++k) {
            if (std::abs(a[k] - b[k]) <= kSame) continue;
            if (agree) fmt::print("{}: {} cold, {} warm in step {}\n", set.name, a[k], b[k], k);
            agree = false;
          }
        }
        if (verbose_) {
          fmt::print("{:<22}{:>9.0f} → {:>8.0f}{:>9.0f} → {:>8.0f}\n", set.name, cold[0].back(), warm[0].back(),
                     cold[1].back(), warm[1].back());
        }
      }
    }
    if (verbose_) fmt::print("\n");
    for (std::size_t q = 0; q < 2; ++q) {
      claims.add({.id = q == 0 ? "shapes/warm boolean" : "shapes/warm distance",
                  .ours = geometric_mean(warm[q]),
                  .peer_name = "graze, cold",
                  .peer = geometric_mean(cold[q]),
                  .goal = 1.5,
                  .agree = agree});
    }
  }

  bool verbose_;
  std::vector<Peer> peers_;
  std::vector<std::string> pairs_;
  std::size_t cases_ = 0;
  std::array<Column, kQuestions.size()> columns_;
  Proof proof_;
};

}  // namespace
}  // namespace shapes_bench

int main(int argc, char** argv) {
  std::vector<char*> arguments(argv, argv + argc);
  const auto verbose = std::find(arguments.begin() + 1, arguments.end(), std::string_view("--verbose"));
  const bool wants_pairs = verbose != arguments.end();
  if (wants_pairs) arguments.erase(verbose);
  graze::bench::Claims claims(static_cast<int>(arguments.size()), arguments.data());
  shapes_bench::ShapesBench(wants_pairs).run(claims);
  return claims.finish();
}
