#include "bench/scenes_peer.h"

#if GRAZE_HAVE_BULLET
#include <btBulletCollisionCommon.h>

#include <algorithm>

namespace graze::bench {
namespace {

btVector3 to_bullet(const Vec3& v) { return {v.x(), v.y(), v.z()}; }

class Bullet final : public BroadPeer {
 public:
  explicit Bullet(std::span<const Aabb> boxes) : dispatcher_(&configuration_) {
    place(boxes);
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      proxies_.push_back(broad_.createProxy(to_bullet(boxes[i].min), to_bullet(boxes[i].max), 0,
                                            reinterpret_cast<void*>(i), 1, 1, &dispatcher_));
    }
  }
  ~Bullet() override {
    for (btBroadphaseProxy* proxy : proxies_) broad_.destroyProxy(proxy, &dispatcher_);
  }
  std::string name() const override { return "Bullet Dbvt"; }
  void place(std::span<const Aabb> boxes) override { boxes_.assign(boxes.begin(), boxes.end()); }
  std::size_t step() override {
    for (std::size_t i = 0; i < proxies_.size(); ++i) {
      broad_.setAabb(proxies_[i], to_bullet(boxes_[i].min), to_bullet(boxes_[i].max), &dispatcher_);
    }
    broad_.calculateOverlappingPairs(&dispatcher_);
    return static_cast<std::size_t>(broad_.getOverlappingPairCache()->getNumOverlappingPairs());
  }
  // Bullet keeps pairs a while after they have parted.
  Pairs pairs() override {
    step();
    Pairs found;
    const auto& kept = broad_.getOverlappingPairCache()->getOverlappingPairArray();
    for (int i = 0; i < kept.size(); ++i) {
      const auto a = reinterpret_cast<std::size_t>(kept[i].m_pProxy0->m_clientObject);
      const auto b = reinterpret_cast<std::size_t>(kept[i].m_pProxy1->m_clientObject);
      if (!overlap(boxes_[a], boxes_[b])) continue;
      found.emplace_back(std::minmax(static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b)));
    }
    std::sort(found.begin(), found.end());
    return found;
  }

 private:
  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_;
  btDbvtBroadphase broad_;
  std::vector<btBroadphaseProxy*> proxies_;
  std::vector<Aabb> boxes_;
};

}  // namespace

std::unique_ptr<BroadPeer> make_bullet(std::span<const Aabb> boxes) { return std::make_unique<Bullet>(boxes); }

}  // namespace graze::bench
#endif
