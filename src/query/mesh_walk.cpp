#include "query/mesh_walk.h"

namespace graze::walk {
namespace {

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
  slack = kFloatSlack * reach_ +
          32 * kEpsilon * (size_of(a.tree.origin) + size_of(b.tree.origin) + size_of(relative.translation));
}

bool MeshPair::fits() const { return reach_ < kLargestReach; }

MeshAndBox::MeshAndBox(const mesh::Data& mesh_, const Vec3& center, const Vec3& size, const Relative& relative)
    : mesh(mesh_) {
  const Vec3 at = relative.to_a(center) - mesh.tree.origin;
  box_to_mesh = frame_of(relative.rotation, at);
  for (int i = 0; i < 3; ++i) half[i] = static_cast<float>(size[i]);
  reach_ = 2 * mesh.extent + size_of(size) + size_of(at);
  slack = kFloatSlack * reach_ +
          32 * kEpsilon * (size_of(mesh.tree.origin) + size_of(center) + size_of(relative.translation));
}

bool MeshAndBox::fits() const { return reach_ < kLargestReach; }

MeshAndPoint::MeshAndPoint(const mesh::Data& mesh_, const Vec3& p) : mesh(mesh_) {
  const Vec3 off = p - mesh.tree.origin;
  for (int i = 0; i < 3; ++i) at[i] = static_cast<float>(off[i]);
  at[3] = 0;
  reach_ = 2 * mesh.extent + size_of(off);
  slack = kFloatSlack * reach_ + 32 * kEpsilon * (size_of(mesh.tree.origin) + size_of(p));
}

MeshAndPoint::MeshAndPoint(const MeshAndBox& box) : mesh(box.mesh), slack(box.slack) {
  std::copy(box.box_to_mesh.t, box.box_to_mesh.t + 4, at);
}

bool MeshAndPoint::fits() const { return reach_ < kLargestReach; }

}  // namespace graze::walk
