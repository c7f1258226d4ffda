// Bytes → a sequence of changes to a set of boxes in the plane or in space, in every kind of broad phase at once. All
// must keep their invariants and give the answers of a loop, whatever the boxes are.
#include <cmath>
#include <string>

#include "fuzz/fuzz.h"
#include "graze/base/error.h"
#include "graze/index/broad_phase.h"
#include "index/broad_phase_model.h"

namespace {

using namespace graze_test::broad_phase_model;

class Choices : public graze_fuzz::Bytes {
 public:
  using Bytes::Bytes;
  // Mostly small lattice numbers, which touch each other; also any bits at all, specials included.
  double number() {
    const std::uint8_t how = byte();
    if (how < 200) return small() / 8.0;
    if (how < 240) return small() * std::ldexp(1.0, small());
    return any_double();
  }
  template <int N>
  graze::VecOf<N> vector() {
    graze::VecOf<N> v;
    for (int k = 0; k < N; ++k) v[k] = number();
    return v;
  }
  // Mostly small boxes, some that are unbounded, empty or not boxes.
  template <int N>
  graze::AabbOf<N> box() {
    const std::uint8_t how = byte();
    graze::AabbOf<N> b;
    b.min = vector<N>();
    b.max = how < 220 ? graze::VecOf<N>(b.min + vector<N>().cwiseAbs()) : vector<N>();
    if (how % 16 == 15) b.min[how / 16 % N] = -graze::kInfinity;
    if (how % 16 >= 14) b.max[how / 16 % N] = graze::kInfinity;
    return b;
  }
};

template <int N>
bool is_number(const graze::AabbOf<N>& box) {
  return !box.min.hasNaN() && !box.max.hasNaN();
}

template <int N>
void live(Choices& bytes) {
  std::vector<BroadPhase<N>> all;
  for (const BroadPhaseKind kind : kKinds) all.emplace_back(graze::BroadPhaseOptions{.kind = kind});
  const BroadPhase<N>& oracle = all[2];
  graze_fuzz::expect(oracle.kind() == BroadPhaseKind::scalar_list, "the third kind is the oracle");
  Model<N> model;
  const auto check = [&] {
    const auto box = bytes.box<N>();
    const auto move = bytes.vector<N>();
    const double limit = bytes.number();
    if (!is_number<N>(box)) return;
    for (const auto& broad : all) {
      std::string flaw = broad.validate();
      if (flaw.empty()) flaw = pair_difference<N>(broad, model);
      if (flaw.empty()) flaw = difference<N>(broad, oracle, model, box, move, limit);
      graze_fuzz::expect(flaw.empty(), name_of(broad.kind()), flaw.c_str());
    }
  };
  for (int step = 0; bytes.left() > 0 && step < 400; ++step) {
    const std::uint8_t what = bytes.byte();
    const auto limit = static_cast<unsigned>(oracle.id_limit()) + 1;
    const BoxId id = bytes.byte() % limit;
    const auto box = what % 8 < 6 ? bytes.box<N>() : graze::AabbOf<N>();
    int refused = 0;
    for (auto& broad : all) {
      try {
        if (what % 8 < 3) {
          const std::size_t copies = what >= 224 ? 20 : 1;  // so that few bytes make several nodes
          for (std::size_t i = 0; i < copies; ++i) model.boxes[broad.add(box)] = box;
        } else if (what % 8 < 6) {
          broad.move(id, box);
          model.boxes[id] = box;
        } else if (what % 8 == 6) {
          broad.remove(id);
          model.boxes.erase(id);
        } else {
          broad.update();
        }
      } catch (const graze::Error&) {
        ++refused;
      }
    }
    graze_fuzz::expect(refused == 0 || refused == static_cast<int>(all.size()), "all reject the same input");
    if (what >= 128 && step % 4 == 0) check();
  }
  check();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Choices bytes(data, size);
  if (bytes.byte() % 2 == 0) {
    live<2>(bytes);
  } else {
    live<3>(bytes);
  }
  return 0;
}
