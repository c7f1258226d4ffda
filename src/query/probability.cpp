#include "graze/query/probability.h"

#include <fmt/format.h>

#include <numeric>

#include "graze/base/elementary.h"
#include "graze/base/error.h"
#include "graze/query/collide.h"
#include "graze/query/distance.h"
#include "query/each.h"
#include "query/noisy_pairs.h"
#include "query/pair_query.h"
#include "query/solvers.h"

namespace graze {

struct detail::ProbabilityMemory {
  std::vector<NoisyPair> pairs;
  CoverageMemory coverage;
  std::vector<std::uint32_t> root;                // of the groups: first those of a's points, then of b's
  std::vector<std::uint32_t> points_a, points_b;  // of one union
};

namespace {

using Memory = detail::ProbabilityMemory;

// Work is counted in checks of a pair; drawing the noise of a point takes as long as some of them.
constexpr std::size_t kMaxChecks = 200'000'000, kChecksPerPoint = 12, kFewestSamples = 64;

const Cloud& cloud_of(const Placed& placed, const char* name) {
  const auto* const cloud = std::get_if<Cloud>(&placed.geometry);
  if (cloud == nullptr) throw Error(name, fmt::format("must be a cloud, is a {}", name_of(placed.geometry)));
  return *cloud;
}

void check_if_given(std::span<const double> room, const Cloud& cloud, const char* name) {
  if (!room.empty()) check_room(name, cloud.size(), room.size());
}

double largest(const Cloud& cloud) { return std::max(size_of(cloud.bounds().min), size_of(cloud.bounds().max)); }

/// The question with the clouds in canonical order, so that both orders of the arguments give the same bits.
struct Question {
  bool swapped;
  const Placed &first, &second;
  const Cloud &cloud_a, &cloud_b;
  double sigma_a, sigma_b;
  std::span<double> of_a, of_b;
  Relative relative;
  NoisyMeeting meeting;
  NoiseShares shares;

  Question(const Placed& a, const Cloud& points_a, const Placed& b, const Cloud& points_b, const ProbabilityOptions& o,
           bool swap)
      : swapped(swap),
        first(swap ? b : a),
        second(swap ? a : b),
        cloud_a(swap ? points_b : points_a),
        cloud_b(swap ? points_a : points_b),
        sigma_a(swap ? o.sigma_b : o.sigma_a),
        sigma_b(swap ? o.sigma_a : o.sigma_b),
        of_a(swap ? o.of_b : o.of_a),
        of_b(swap ? o.of_a : o.of_b),
        relative(first.pose, second.pose),
        meeting{.relative = relative,
                .sigma = elementary::hypot(sigma_a, sigma_b),
                .radius = cloud_a.radius() + cloud_b.radius(),
                .sides = o.meeting == Meeting::sides ||
                         (o.meeting == Meeting::automatic && cloud_a.radius() + cloud_b.radius() == 0),
                .slack = relative.placing_error(largest(cloud_b)) + 2 * kEpsilon * largest(cloud_a) +
                         (a.uncertainty + b.uncertainty),
                .uncertainty = a.uncertainty + b.uncertainty},
        shares{(sigma_a / meeting.sigma) * (sigma_a / meeting.sigma),
               (sigma_b / meeting.sigma) * (sigma_b / meeting.sigma)} {}
  Question(const Question&) = delete;
};

bool swap_for_order(const Placed& a, const Placed& b, const ProbabilityOptions& options) {
  const bool ab = in_canonical_order(a, b), ba = in_canonical_order(b, a);
  if (ab != ba) return !ab;
  return options.sigma_a > options.sigma_b;  // one cloud at one pose, twice
}

/// Finds the pairs that matter: all but what is too little to be seen in the answer. Where there are too many of them,
/// the nearer ones.
void find_pairs(NoisyPairSearch& search, double nearest, double tolerance) {
  constexpr double kFirst = 2, kStep = 1, kLastStep = 0.5, kFarthest = 12, kShare = 1.0 / 16;
  double limit = nearest + kFirst, fits = nearest;
  search.run(limit);
  while (!search.overflow() && limit < nearest + kFarthest) {
    fits = limit;
    const double little = kShare * std::min(tolerance, search.sum());
    if (search.max_probability() > 1 - 1e-12) return;
    if (search.left_out() <= little) return search.trim(little);
    search.run(limit += search.left_out() > 8 * little ? kStep : kLastStep);
  }
  if (search.overflow() && fits > nearest) {
    search.run(fits);
    return search.trim(kShare * std::min(tolerance, search.sum()));
  }
  for (int i = 0; search.overflow() && i < 6 && search.sum() > tolerance; ++i) {
    search.run(limit = (limit + nearest) / 2);
  }
}

// Groups of points that share no pair with another group: their events are independent.
class Groups {
 public:
  Groups(std::vector<std::uint32_t>& root, std::size_t a, std::size_t b)
      : root_(root), b_(static_cast<std::uint32_t>(a)) {
    root.resize(a + b);
    std::iota(root.begin(), root.end(), 0U);
  }
  void join(const NoisyPair& pair) {
    const std::uint32_t x = root_of(pair.i), y = root_of(b_ + pair.j);
    root_[std::max(x, y)] = std::min(x, y);
  }
  /// When all are joined.
  void settle() {
    for (std::uint32_t& root : root_) root = root_[root];  // roots are never above what they are the root of
  }
  std::uint32_t of(const NoisyPair& pair) const { return root_[pair.i]; }

 private:
  std::uint32_t root_of(std::uint32_t k) {
    while (root_[k] != k) k = root_[k] = root_[root_[k]];
    return k;
  }

  std::vector<std::uint32_t>& root_;
  std::uint32_t b_;
};

/// Each index of the pairs once, in rising order.
template <class Get>
void collect(std::span<const NoisyPair> pairs, std::vector<std::uint32_t>& to, const Get& get) {
  to.clear();
  for (const NoisyPair& pair : pairs) to.push_back(get(pair));
  std::sort(to.begin(), to.end());
  to.erase(std::unique(to.begin(), to.end()), to.end());
}

class Unions {
 public:
  Unions(const Question& question, const ProbabilityOptions& options, Memory& memory)
      : q_(question), options_(options), m_(memory) {
    m_.coverage.noise_a.resize(q_.cloud_a.size());
    m_.coverage.noise_b.resize(q_.cloud_b.size());
  }

  /// Of all pairs: group by group.
  Enclosed of_all() {
    Groups groups(m_.root, q_.cloud_a.size(), q_.cloud_b.size());
    double sum = 0;
    for (const NoisyPair& pair : m_.pairs) groups.join(pair), sum += pair.probability;
    groups.settle();
    std::sort(m_.pairs.begin(), m_.pairs.end(), [&](const NoisyPair& x, const NoisyPair& y) {
      if (groups.of(x) != groups.of(y)) return groups.of(x) < groups.of(y);
      if (x.probability != y.probability) return x.probability > y.probability;
      return x.i != y.i ? x.i < y.i : x.j < y.j;
    });
    Enclosed none;  // logarithms of the probability that no group has a pair that meets
    for (std::size_t begin = 0, end = 0; begin < m_.pairs.size(); begin = end) {
      double of_group = 0;
      for (; end < m_.pairs.size() && groups.of(m_.pairs[end]) == groups.of(m_.pairs[begin]); ++end) {
        of_group += m_.pairs[end].probability;
      }
      const std::span<const NoisyPair> pairs(m_.pairs.data() + begin, end - begin);
      const Enclosed e = of(pairs, options_.tolerance * of_group / sum);
      none.value += elementary::log1p(-e.value), none.low += elementary::log1p(-e.low),
          none.high += elementary::log1p(-e.high);
    }
    return {-elementary::expm1(none.value), -elementary::expm1(none.low), -elementary::expm1(none.high)};
  }

  /// Of the pairs of every point; returns the largest error.
  template <class Tree>
  double of_points(bool of_a, const Tree& tree, std::span<double> room) {
    std::fill(room.begin(), room.end(), 0.0);
    const auto index = [of_a](const NoisyPair& p) { return of_a ? p.i : p.j; };
    const auto other = [of_a](const NoisyPair& p) { return of_a ? p.j : p.i; };
    std::sort(m_.pairs.begin(), m_.pairs.end(), [&](const NoisyPair& x, const NoisyPair& y) {
      return index(x) != index(y) ? index(x) < index(y) : other(x) < other(y);
    });
    double error = 0;
    for (std::size_t begin = 0, end = 0; begin < m_.pairs.size(); begin = end) {
      while (end < m_.pairs.size() && index(m_.pairs[end]) == index(m_.pairs[begin])) ++end;
      const Enclosed e = of({m_.pairs.data() + begin, end - begin}, options_.tolerance);
      room[tree.feature(index(m_.pairs[begin]))] = e.value;
      error = std::max({error, e.value - e.low, e.high - e.value});
    }
    return error;
  }

 private:
  Enclosed of(std::span<const NoisyPair> pairs, double tolerance) {
    if (pairs.size() == 1) return {pairs[0].probability, pairs[0].probability, pairs[0].probability};
    collect(pairs, m_.points_a, [](const NoisyPair& p) { return p.i; });
    collect(pairs, m_.points_b, [](const NoisyPair& p) { return p.j; });
    const std::size_t work = pairs.size() + kChecksPerPoint * (m_.points_a.size() + m_.points_b.size());
    const std::size_t share = kMaxChecks / m_.pairs.size() * pairs.size() / work;
    const CoverageQuestion question{.pairs = pairs,
                                    .points_a = m_.points_a,
                                    .points_b = m_.points_b,
                                    .shares = q_.shares,
                                    .sides = q_.meeting.sides,
                                    .tolerance = tolerance,
                                    .samples = std::min(options_.samples, std::max(share, kFewestSamples)),
                                    .seed = ++unions_};
    return coverage(question, enclose(pairs), m_.coverage);
  }

  // For sure: pairs that share no point are independent of each other, and no union is likelier than its parts in sum.
  Enclosed enclose(std::span<const NoisyPair> pairs) {
    std::vector<Vec3>&a = m_.coverage.noise_a, &b = m_.coverage.noise_b;  // not yet in use: marks
    for (const std::uint32_t i : m_.points_a) a[i].setZero();
    for (const std::uint32_t j : m_.points_b) b[j].setZero();
    double highest = 0, sum = 0, log_none = 0;
    for (const NoisyPair& pair : pairs) {
      highest = std::max(highest, pair.probability), sum += pair.probability;
      if (a[pair.i].x() != 0 || b[pair.j].x() != 0) continue;
      a[pair.i].x() = b[pair.j].x() = 1;
      log_none += elementary::log1p(-std::min(pair.probability, 1.0));
    }
    const double high = std::min(1.0, sum);
    return {high, std::min(high, std::max(highest, -elementary::expm1(log_none))), high};
  }

  const Question& q_;
  const ProbabilityOptions& options_;
  Memory& m_;
  std::uint64_t unions_ = 0;
};

// By how much less likely the pairs are, in sum, where what placing may be wrong by is in favour of the clouds: their
// probabilities count it against them. Nothing where it is lost in the rounding of the probabilities themselves.
double in_doubt(const NoisyMeeting& meeting, std::span<const NoisyPair> pairs) {
  constexpr double kNothing = 1e-10;
  const double less = 2 * meeting.slack / meeting.sigma;
  if (!(less > kNothing)) return 0;
  double sum = 0;
  for (const NoisyPair& pair : pairs) {
    const double reach = pair.reach - less;
    sum += pair.probability - (meeting.sides ? upper_tail(-reach) : ball_probability(pair.toward.norm(), reach));
  }
  return std::min(1.0, sum);
}

// Without noise every point collides or does not.
void of_points_at_rest(const Cloud& cloud, const Placed& a, const Placed& b, double margin, std::span<double> room) {
  for (std::size_t i = 0; i < room.size(); ++i) {
    room[i] = !cloud.is_skipped(i) && collide(at(Sphere{.radius = cloud.radius()}, Pose::at(a.pose * cloud.point(i))),
                                              b, {.margin = margin})
                  ? 1
                  : 0;
  }
}

Probability at_rest(const Question& question, double margin) {
  const Placed &a = question.first, &b = question.second;
  of_points_at_rest(question.cloud_a, a, b, margin, question.of_a);
  of_points_at_rest(question.cloud_b, b, a, margin, question.of_b);
  const double value = collide(a, b) ? 1 : 0;
  return {.value = value, .low = value, .high = value};
}

}  // namespace

ProbabilityScratch::ProbabilityScratch() : memory_(std::make_unique<Memory>()) {}
ProbabilityScratch::ProbabilityScratch(ProbabilityScratch&&) noexcept = default;
ProbabilityScratch& ProbabilityScratch::operator=(ProbabilityScratch&&) noexcept = default;
ProbabilityScratch::~ProbabilityScratch() = default;

Probability probability(const Placed& a, const Placed& b, const ProbabilityOptions& options,
                        ProbabilityScratch& scratch) {
  const Cloud &cloud_a = cloud_of(a, "a"), &cloud_b = cloud_of(b, "b");
  check_if_given(options.of_a, cloud_a, "of_a");
  check_if_given(options.of_b, cloud_b, "of_b");
  if (!(options.tolerance >= 0)) {
    throw Error("tolerance", fmt::format("must not be negative, got {}", options.tolerance));
  }
  std::fill(options.of_a.begin(), options.of_a.end(), 0.0);
  std::fill(options.of_b.begin(), options.of_b.end(), 0.0);

  const Question question(a, cloud_a, b, cloud_b, options, swap_for_order(a, b, options));
  const CloudTree tree_a(question.cloud_a), tree_b(question.cloud_b);
  if (tree_a.empty() || tree_b.empty()) return {};
  if (question.meeting.sigma == 0) return at_rest(question, question.meeting.slack);

  Memory& memory = *detail::Access::memory(scratch);
  NoisyPairSearch search(tree_a, tree_b, question.meeting, memory.pairs);
  const double nearest = distance(a, b, {.depth = false}).value / question.meeting.sigma;
  find_pairs(search, std::max(0.0, nearest), options.tolerance);

  Probability p;
  if (!memory.pairs.empty()) {
    const double doubt = in_doubt(question.meeting, memory.pairs);
    Unions unions(question, options, memory);
    const Enclosed e = unions.of_all();
    p = {.value = e.value, .low = std::max(0.0, e.low - doubt), .high = e.high};
    if (!question.of_a.empty()) p.points_error = unions.of_points(true, tree_a, question.of_a);
    if (!question.of_b.empty())
      p.points_error = std::max(p.points_error, unions.of_points(false, tree_b, question.of_b));
    if (!options.of_a.empty() || !options.of_b.empty()) p.points_error = std::min(1.0, p.points_error + doubt);
  }
  p.high = std::min(1.0, p.high + search.left_out());
  if (!options.of_a.empty() || !options.of_b.empty())
    p.points_error = std::min(1.0, p.points_error + search.left_out());
  return p;
}

Probability probability(const Placed& a, const Placed& b, const ProbabilityOptions& options) {
  ProbabilityScratch scratch;
  return probability(a, b, options, scratch);
}

}  // namespace graze
