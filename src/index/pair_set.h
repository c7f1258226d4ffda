// A set of pairs of boxes: open addressing, no tombstones.
#pragma once

#include <cstdint>
#include <vector>

#include "graze/index/broad_phase.h"

namespace graze::broad {

class PairSet {
 public:
  std::size_t size() const { return size_; }
  void clear() noexcept { keys_.clear(), size_ = 0; }
  void insert(BoxId a, BoxId b) {
    if (2 * (size_ + 1) > keys_.size()) grow();
    const std::uint64_t key = key_of(a, b);
    std::size_t at = home(key);
    for (; keys_[at] != kFree; at = next(at)) {
      if (keys_[at] == key) return;
    }
    keys_[at] = key;
    ++size_;
  }
  void erase(BoxId a, BoxId b) {
    if (keys_.empty()) return;
    const std::uint64_t key = key_of(a, b);
    std::size_t at = home(key);
    for (; keys_[at] != key; at = next(at)) {
      if (keys_[at] == kFree) return;
    }
    --size_;
    // What comes behind it and belongs here or before moves up.
    for (std::size_t from = next(at); keys_[from] != kFree; from = next(from)) {
      const std::size_t away = (from - home(keys_[from])) & (keys_.size() - 1);
      if (away >= ((from - at) & (keys_.size() - 1))) keys_[at] = keys_[from], at = from;
    }
    keys_[at] = kFree;
  }
  bool contains(BoxId a, BoxId b) const {
    if (keys_.empty()) return false;
    const std::uint64_t key = key_of(a, b);
    for (std::size_t at = home(key); keys_[at] != kFree; at = next(at)) {
      if (keys_[at] == key) return true;
    }
    return false;
  }
  /// Calls see(a, b) until it gives false, which is returned.
  template <class See>
  bool visit(const See& see) const {
    for (const std::uint64_t key : keys_) {
      if (key != kFree && !see(static_cast<BoxId>(key >> 32U), static_cast<BoxId>(key))) return false;
    }
    return true;
  }
  std::size_t memory_bytes() const { return keys_.capacity() * sizeof(std::uint64_t); }

 private:
  static constexpr std::uint64_t kFree = ~std::uint64_t{0};
  static std::uint64_t key_of(BoxId a, BoxId b) {
    return a < b ? std::uint64_t{a} << 32U | b : std::uint64_t{b} << 32U | a;
  }
  std::size_t home(std::uint64_t key) const {
    key *= 0x9E3779B97F4A7C15U;
    return static_cast<std::size_t>(key ^ key >> 32U) & (keys_.size() - 1);
  }
  std::size_t next(std::size_t at) const { return (at + 1) & (keys_.size() - 1); }
  void grow() {
    std::vector<std::uint64_t> old(keys_.empty() ? 64 : 2 * keys_.size(), kFree);
    old.swap(keys_);
    size_ = 0;
    for (const std::uint64_t key : old) {
      if (key != kFree) insert(static_cast<BoxId>(key >> 32U), static_cast<BoxId>(key));
    }
  }

  std::vector<std::uint64_t> keys_;  // a power of two, at most half of it in use
  std::size_t size_ = 0;
};

}  // namespace graze::broad
