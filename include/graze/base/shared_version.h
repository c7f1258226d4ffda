// Hands versions of a value from one writer to any number of readers.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <thread>
#include <utility>

namespace graze {

/// The version of a value (a Scene, an OccupancyMap: something with cheap copies) that readers are to see. One writer
/// publishes; any number of threads take the current version, without locks, and keep it as long as they like: what
/// they ask then belongs to exactly that version.
///
/// std::atomic<std::shared_ptr> would do, but in libstdc++ 12 it holds a spin lock while it counts, so that a thread
/// that is descheduled in the middle stops all others, writer included. Here a reader makes one atomic addition to
/// announce itself, one to count its copy, and one exchange to leave: some 20 ns alone, and never waits for anybody. It
/// tries the exchange again only where other readers came between.
///
///     SharedVersion<OccupancyMap> shared;
///     // writer                                    // readers
///     mapper.insert(frame);                        const OccupancyMap map = shared.current();
///     shared.publish(mapper.map());                if (map.state(p) != Occupancy::free) …
template <class Value>
class SharedVersion {
 public:
  /// An empty value.
  SharedVersion() : SharedVersion(Value()) {}
  /// A first version.
  explicit SharedVersion(Value first) { slots_[0].value = std::move(first); }
  SharedVersion(const SharedVersion&) = delete;
  SharedVersion& operator=(const SharedVersion&) = delete;

  /// What is current now: the version that was published last.
  Value current() const {
    std::uint64_t word = word_.fetch_add(kReader, std::memory_order_acquire) + kReader;
    Slot& slot = slots_[word & kSlot];
    Value value = slot.value;
    const std::uint64_t own = word & kSlot;
    // As long as the slot is current, who leaves is struck off the word; after that, off the slot.
    while ((word & kSlot) == own && word >= kReader) {
      if (word_.compare_exchange_weak(word, word - kReader, std::memory_order_release, std::memory_order_relaxed))
        return value;
    }
    slot.visitors.fetch_sub(1, std::memory_order_release);
    return value;
  }

  /// Makes a version current. For one thread at a time. Lets go of versions before the last, as soon as no reader is
  /// about to take them; waits only where more than 60 readers stopped while taking as many different versions.
  void publish(Value next) {
    const std::uint64_t before = word_.load(std::memory_order_relaxed) & kSlot;
    std::uint64_t free = 0;
    for (;; std::this_thread::yield()) {
      let_go();
      free = 0;
      while (free < slots_.size() && (slots_[free].waiting || free == before)) ++free;
      if (free < slots_.size()) break;
    }
    slots_[free].value = std::move(next);
    const std::uint64_t old = word_.exchange(free, std::memory_order_acq_rel);
    Slot& replaced = slots_[before];
    replaced.waiting = true;
    replaced.visitors.fetch_add(static_cast<std::int64_t>(old / kReader), std::memory_order_relaxed);
    let_go();
  }

 private:
  // A word has the number of the current slot, and how many readers have announced themselves since it became current.
  static constexpr std::uint64_t kReader = std::uint64_t{1} << 32U;
  static constexpr std::uint64_t kSlot = kReader - 1;
  struct Slot {
    Value value;
    // Readers that announced themselves and have not left: counted down by those who leave after the slot was replaced,
    // up by the writer who replaces it.
    std::atomic<std::int64_t> visitors{0};
    bool waiting = false;  // replaced, and its value is not let go of yet; the writer's alone
  };
  void let_go() {
    for (Slot& slot : slots_) {
      if (!slot.waiting || slot.visitors.load(std::memory_order_acquire) != 0) continue;
      slot.value = Value();
      slot.waiting = false;
    }
  }

  mutable std::array<Slot, 64> slots_;
  mutable std::atomic<std::uint64_t> word_{0};
};

}  // namespace graze
