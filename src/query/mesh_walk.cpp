#include "query/mesh_walk.h"

namespace graze::walk {
namespace {

// Lengths whose squares stay well within float32.
constexpr double kLargestReach = 1e17;
// Each bound takes fewer than 64 roundings of lengths up to the reach; the trees' own are far below that.
constexpr double kSlack = 64 * 0x1p-24;

Frame frame_of(const Mat3& rotation, const Vec3& translation) {
  Frame f{};
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 3; ++k) f.r[k][i] = static_cast<float>(rotation(i, k));
    f.t[i] = static_cast<float>(translation[i]);
  }
  return f;
}

}  // namespace

MeshPair::MeshPair(const mesh::Data& a_, const mesh::Data& b_, const Relative& relative) : a(a_), b(b_) {
  const Vec3 to_a = relative.to_a(b.tree.origin) - a.tree.origin;
  b_to_a = frame_of(relative.rotation, to_a);
  a_to_b = frame_of(relative.rotation.transpose(), -(relative.rotation.transpose() * to_a));
  reach_ = 2 * (a.extent + b.extent) + size_of(to_a);
  slack = kSlack * reach_ +
          32 * kEpsilon * (size_of(a.tree.origin) + size_of(b.tree.origin) + size_of(relative.translation));
}

bool MeshPair::fits() const { return reach_ < kLargestReach; }

MeshAndBox::MeshAndBox(const mesh::Data& mesh_, const Vec3& center, const Vec3& size, const Relative& relative)
    : mesh(mesh_) {
  const Vec3 at = relative.to_a(center) - mesh.tree.origin;
  box_to_mesh = frame_of(relative.rotation, at);
  for (int i = 0; i < 3; ++i) half[i] = static_cast<float>(size[i]);
  reach_ = 2 * mesh.extent + size_of(size) + size_of(at);
  slack =
      kSlack * reach_ + 32 * kEpsilon * (size_of(mesh.tree.origin) + size_of(center) + size_of(relative.translation));
}

bool MeshAndBox::fits() const { return reach_ < kLargestReach; }

}  // namespace graze::walk
