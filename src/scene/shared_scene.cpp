#include "graze/scene/shared_scene.h"

#include <thread>
#include <utility>

namespace graze {

Scene SharedScene::current() const {
  std::uint64_t word = word_.fetch_add(kReader, std::memory_order_acquire) + kReader;
  Slot& slot = slots_[word & kSlot];
  Scene scene = slot.scene;
  const std::uint64_t own = word & kSlot;
  // As long as the slot is current, who leaves is struck off the word; after that, off the slot.
  while ((word & kSlot) == own && word >= kReader) {
    if (word_.compare_exchange_weak(word, word - kReader, std::memory_order_release, std::memory_order_relaxed))
      return scene;
  }
  slot.visitors.fetch_sub(1, std::memory_order_release);
  return scene;
}

void SharedScene::let_go() {
  for (Slot& slot : slots_) {
    if (!slot.waiting || slot.visitors.load(std::memory_order_acquire) != 0) continue;
    slot.scene = Scene();
    slot.waiting = false;
  }
}

void SharedScene::publish(Scene next) {
  const std::uint64_t before = word_.load(std::memory_order_relaxed) & kSlot;
  std::uint64_t free = 0;
  for (;; std::this_thread::yield()) {
    let_go();
    free = 0;
    while (free < slots_.size() && (slots_[free].waiting || free == before)) ++free;
    if (free < slots_.size()) break;
  }
  slots_[free].scene = std::move(next);
  const std::uint64_t old = word_.exchange(free, std::memory_order_acq_rel);
  Slot& replaced = slots_[before];
  replaced.waiting = true;
  replaced.visitors.fetch_add(static_cast<std::int64_t>(old / kReader), std::memory_order_relaxed);
  let_go();
}

}  // namespace graze
