// Questions that every structure can answer which finds the boxes that overlap a box.
#include "index/broad_structure.h"

#include <tuple>

namespace graze::broad {
namespace {

constexpr double kMaxPieces = 256;

template <int N>
bool covers(const AabbOf<N>& outer, const AabbOf<N>& inner) {
  for (int k = 0; k < N; ++k) {
    if (!(outer.min[k] <= inner.min[k] && outer.max[k] >= inner.max[k])) return false;
  }
  return true;
}

// The path of a moving box cut into pieces, each with a box that holds all that it overlaps there.
template <int N>
class Pieces {
 public:
  Pieces(const MovingBox<N>& moving, const Store<N>& store) : moving_(moving) {
    if (store.indexed == 0) return;
    // A little more, so that what MovingBox::entry counts by rounding lies in a piece.
    double size = 0, step = 0, typical = 0;
    for (int k = 0; k < N; ++k) {
      for (const double x : {store.all.min[k], store.all.max[k], moving.box.min[k], moving.box.max[k]}) {
        if (std::isfinite(x)) size = std::max(size, std::abs(x));
      }
      typical = std::max(typical, (store.all.max[k] - store.all.min[k]) / 16 + (moving.box.max[k] - moving.box.min[k]));
    }
    rounding_ = 64 * kEpsilon * size;
    std::tie(first_, last_) = moving.times(store.all.grown(2 * rounding_));
    if (!(first_ <= last_)) return;
    if (!std::isfinite(last_) || !std::isfinite(first_)) {  // it does not move, or not so that it could be computed
      count_ = 1, whole_ = true;
      return;
    }
    for (int k = 0; k < N; ++k) step = std::max(step, std::abs(moving.direction[k]) * (last_ - first_));
    const double wanted = step / typical;
    const bool exact = last_ - first_ > 1e-6 * first_;  // else times cannot be told apart well enough
    count_ = exact && wanted > 1 ? static_cast<std::size_t>(std::min(wanted, kMaxPieces)) + 1 : 1;
  }

  std::size_t count() const { return count_; }
  AabbOf<N> box(std::size_t piece) const {
    if (whole_) return everything();
    const double width = (last_ - first_) / static_cast<double>(count_);
    const double from = first_ + width * (static_cast<double>(piece) - 0.01);
    const double to = first_ + width * (static_cast<double>(piece) + 1.01);
    AabbOf<N> box;
    for (int k = 0; k < N; ++k) {
      const double a = from * moving_.direction[k], b = to * moving_.direction[k];
      const double more = rounding_ + 64 * kEpsilon * (std::abs(a) + std::abs(b));
      box.min[k] = moving_.box.min[k] + std::min(a, b) - more;
      box.max[k] = moving_.box.max[k] + std::max(a, b) + more;
    }
    // A direction that is not a number leads anywhere, and structures look up cells of numbers only.
    return box.min.hasNaN() || box.max.hasNaN() ? everything() : box;
  }
  // The piece that reports what is first overlapped at this time.
  std::size_t piece_of(double time) const {
    if (whole_ || count_ == 1) return 0;
    const double last = static_cast<double>(count_ - 1);
    const double at = (time - first_) / (last_ - first_) * static_cast<double>(count_);
    return at > 0 ? static_cast<std::size_t>(std::min(at, last)) : 0;
  }

 private:
  static AabbOf<N> everything() {
    AabbOf<N> box;
    std::swap(box.min, box.max);
    return box;
  }

  const MovingBox<N>& moving_;
  std::size_t count_ = 0;
  bool whole_ = false;
  double first_ = 0, last_ = 0, rounding_ = 0;
};

}  // namespace

// What is within r lies in the box grown by r. Grows until the nearest so far is within what was looked at.
template <int N>
void Structure<N>::nearest_by_growing(const Box& box, NearestBox& best) const {
  if (store_.indexed == 0) return;
  const auto look = [&](double reach) {
    const Box grown = box.grown(reach * (1 + 8 * kEpsilon));
    const auto see = [&](BoxId id) {
      take(id, box, best);
      return true;
    };
    visit(grown, {detail::erased(see), &detail::call_visitor<decltype(see), BoxId>});
    return covers<N>(grown, store_.all);
  };
  const double lowest = distance<N>(box, store_.all) * (1 - 8 * kEpsilon);
  if (lowest > best.distance) return;
  double step = 0, side = 1;
  for (int k = 0; k < N; ++k) step = std::max(step, store_.all.max[k] - store_.all.min[k]);
  for (std::size_t cells = 1; cells < store_.indexed; cells <<= N) side *= 2;
  step /= side;
  for (double reach = lowest;;) {
    const double within = std::min(reach, best.distance);
    if (look(within) || best.distance <= within) return;
    reach = lowest + step;
    step *= 2;
    if (!(step > 0) || reach > 1e300) reach = kInfinity;
  }
}

template <int N>
void Structure<N>::first_hit_by_pieces(const MovingBox<N>& moving, BoxHit& best) const {
  const Pieces<N> pieces(moving, store_);
  for (std::size_t i = 0; i < pieces.count(); ++i) {
    const auto see = [&](BoxId id) {
      take(id, moving, best);
      return true;
    };
    visit(pieces.box(i), {detail::erased(see), &detail::call_visitor<decltype(see), BoxId>});
    if (best.id != kNoBox && pieces.piece_of(best.time) <= i) return;
  }
}

template <int N>
bool Structure<N>::visit_by_pieces(const MovingBox<N>& moving, const HitSink& sink) const {
  const Pieces<N> pieces(moving, store_);
  for (std::size_t i = 0; i < pieces.count(); ++i) {
    const auto see = [&](BoxId id) {
      const double time = moving.entry(store_.boxes[id]);
      return !(time < kInfinity) || pieces.piece_of(time) != i || sink({id, time});
    };
    if (!visit(pieces.box(i), {detail::erased(see), &detail::call_visitor<decltype(see), BoxId>})) return false;
  }
  return true;
}

template class Structure<2>;
template class Structure<3>;

}  // namespace graze::broad
