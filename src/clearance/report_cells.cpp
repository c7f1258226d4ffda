#include "clearance/report_cells.h"

#include <algorithm>

namespace graze::clearance {
namespace {

constexpr std::size_t kFree = SIZE_MAX;

template <class Visit>
void for_each_neighbour(const CellKey& k, const Visit& visit) {
  for (std::int64_t x = -1; x <= 1; ++x) {
    for (std::int64_t y = -1; y <= 1; ++y) {
      for (std::int64_t z = -1; z <= 1; ++z) {
        if (x != 0 || y != 0 || z != 0) visit(CellKey{k.x + x, k.y + y, k.z + z});
      }
    }
  }
}

bool fails(const Cell& cell) { return cell.points[0] + cell.points[1] > 0; }

/// Labels over the sorted keys.
class Joiner {
 public:
  explicit Joiner(const Cells& cells) : cells_(cells) {
    for (const auto& entry : cells) keys_.push_back(entry.first);
    std::sort(keys_.begin(), keys_.end());
    labels_.assign(keys_.size(), kFree);
  }

  // Gives each connected part of the free cells that `wanted` admits a label of its own.
  template <class Wanted>
  void join(const Wanted& wanted) {
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      if (labels_[i] != kFree || !wanted(cells_.at(keys_[i]))) continue;
      const std::size_t label = count_++;
      labels_[i] = label;
      open.assign(1, i);
      while (!open.empty()) {
        const std::size_t at = open.back();
        open.pop_back();
        for_each_neighbour(keys_[at], [&](const CellKey& key) {
          const std::size_t n = find(key);
          if (n == kFree || labels_[n] != kFree || !wanted(cells_.at(key))) return;
          labels_[n] = label;
          open.push_back(n);
        });
      }
    }
  }

  // Free cells next to labelled ones take the lowest label beside them, `steps` times.
  void grow(int steps) {
    std::vector<std::size_t> rim, next;
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      if (labels_[i] != kFree) rim.push_back(i);
    }
    std::vector<std::size_t> claims = labels_;
    for (int step = 0; step < steps && !rim.empty(); ++step) {
      next.clear();
      for (const std::size_t at : rim) {
        for_each_neighbour(keys_[at], [&](const CellKey& key) {
          const std::size_t n = find(key);
          if (n == kFree || labels_[n] != kFree) return;
          if (claims[n] == kFree) next.push_back(n);
          claims[n] = std::min(claims[n], labels_[at]);
        });
      }
      for (const std::size_t n : next) labels_[n] = claims[n];
      rim.swap(next);
    }
  }

  std::vector<std::vector<CellKey>> lists() const {
    std::vector<std::vector<CellKey>> out(count_);
    for (std::size_t i = 0; i < keys_.size(); ++i) out[labels_[i]].push_back(keys_[i]);
    return out;
  }

 private:
  std::size_t find(const CellKey& key) const {
    if (!cells_.contains(key)) return kFree;
    return static_cast<std::size_t>(std::lower_bound(keys_.begin(), keys_.end(), key) - keys_.begin());
  }

  const Cells& cells_;
  std::vector<CellKey> keys_;
  std::vector<std::size_t> labels_;
  std::size_t count_ = 0;
};

}  // namespace

bool worse(double clearance_a, std::uint64_t index_a, double clearance_b, std::uint64_t index_b) {
  if (clearance_a < clearance_b) return true;
  return clearance_a == clearance_b && index_a < index_b;
}

void Cell::merge(const Cell& other) {
  if (!other.worst.none &&
      (worst.none || worse(other.worst.result.clearance, other.worst.index, worst.result.clearance, worst.index))) {
    worst = other.worst;
  }
  for (std::size_t k = 0; k < kLevels; ++k) points[k] += other.points[k];
  from = std::min(from, other.from);
  to = std::max(to, other.to);
  bounds.extend(other.bounds);
}

std::vector<std::vector<CellKey>> join_cells(const Cells& cells, int halo) {
  Joiner joiner(cells);
  joiner.join(fails);
  joiner.grow(halo);
  joiner.join([](const Cell&) { return true; });
  return joiner.lists();
}

}  // namespace graze::clearance
