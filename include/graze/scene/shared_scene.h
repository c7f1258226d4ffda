// Hands versions of a scene from one writer to any number of readers.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "graze/scene/scene.h"

namespace graze {

/// The version of a scene that readers are to see. One writer publishes; any number of threads take the current
/// version, without locks, and keep it as long as they like: what they ask then belongs to exactly that version.
///
/// std::atomic<std::shared_ptr> would do, but in libstdc++ 12 it holds a spin lock while it counts, so that a thread
/// that is descheduled in the middle stops all others, writer included. Here a reader makes one atomic addition to
/// announce itself, one to count its copy, and one exchange to leave: some 20 ns alone, and never waits for anybody. It
/// tries the exchange again only where other readers came between.
///
///     SharedScene shared;
///     // writer                                    // readers
///     editor.move("arm", pose);                    const Scene scene = shared.current();
///     shared.publish(editor.scene());              if (collide(scene, at(tool, pose))) …
class SharedScene {
 public:
  /// An empty scene.
  SharedScene() : SharedScene(Scene()) {}
  /// A first version.
  explicit SharedScene(Scene first) { slots_[0].scene = std::move(first); }
  SharedScene(const SharedScene&) = delete;
  SharedScene& operator=(const SharedScene&) = delete;

  /// What is current now: the version that was published last.
  Scene current() const;
  /// Makes a version current. For one thread at a time. Lets go of versions before the last, as soon as no reader is
  /// about to take them; waits only where more than 60 readers stopped while taking as many different versions.
  void publish(Scene next);

 private:
  // A word has the number of the current slot, and how many readers have announced themselves since it became current.
  static constexpr std::uint64_t kReader = std::uint64_t{1} << 32U;
  static constexpr std::uint64_t kSlot = kReader - 1;
  struct Slot {
    Scene scene;
    // Readers that announced themselves and have not left: counted down by those who leave after the slot was replaced,
    // up by the writer who replaces it.
    std::atomic<std::int64_t> visitors{0};
    bool waiting = false;  // replaced, and its scene is not let go of yet; the writer's alone
  };
  void let_go();

  mutable std::array<Slot, 64> slots_;
  mutable std::atomic<std::uint64_t> word_{0};
};

}  // namespace graze
