#include "graze/geometry/deforming_mesh.h"

#include <atomic>

#include "geometry/mesh_data.h"

namespace graze {

using mesh::Data;

// A state of the mesh, and how many meshes outside show it. Only the owner adds readers, so that none seen means none
// there will be; the last one's release makes its reads come before the next writes.
struct DeformingMesh::Version {
  Data data;
  mesh::Scratch scratch;
  std::atomic<std::size_t> readers{0};

  bool is_read() const { return readers.load(std::memory_order_acquire) != 0; }
};

DeformingMesh::DeformingMesh(const Mesh& start) : current_(start) {}

DeformingMesh::DeformingMesh(std::span<const Vec3> vertices, std::span<const MeshTriangle> triangles,
                             const MeshOptions& options)
    : current_(vertices, triangles, options) {}

DeformingMesh::DeformingMesh(const DeformingMesh& other) : current_(other.mesh()) {}

DeformingMesh& DeformingMesh::operator=(const DeformingMesh& other) {
  if (this == &other) return *this;
  current_ = other.mesh();
  version_.reset();
  return *this;
}

DeformingMesh::~DeformingMesh() = default;

void DeformingMesh::replace_vertices(std::span<const Vec3> vertices, const ThreadOptions& options) {
  if (version_ != nullptr && !version_->is_read()) {
    version_->data.move(vertices, version_->scratch, options.threads);
    return;
  }
  mesh::check_vertices(current_.vertices().size(), vertices);  // before the work
  auto next = std::make_shared<Version>();
  next->data.divide_as(data_of(current_));
  next->data.move(vertices, next->scratch, options.threads);
  current_ = detail::Access::made_of<Mesh>(std::shared_ptr<const Data>(next, &next->data));
  version_ = std::move(next);
}

void DeformingMesh::rebuild(const ThreadOptions& options) {
  auto next = std::make_shared<Version>();
  const Data& now = data_of(current_);
  static_cast<mesh::Connection&>(next->data) = static_cast<const mesh::Connection&>(now);
  next->data.vertices = now.vertices, next->data.triangles = now.triangles;
  next->data.solid = now.solid, next->data.all_used = now.all_used;
  next->data.build_connected(options.threads);
  current_ = detail::Access::made_of<Mesh>(std::shared_ptr<const Data>(next, &next->data));
  version_ = std::move(next);
}

Mesh DeformingMesh::mesh() const {
  if (version_ == nullptr) return current_;
  version_->readers.fetch_add(1, std::memory_order_relaxed);
  const auto leave = [version = version_](const Data*) { version->readers.fetch_sub(1, std::memory_order_release); };
  return detail::Access::made_of<Mesh>(std::shared_ptr<const Data>(&version_->data, leave));
}

std::size_t DeformingMesh::memory_bytes() const {
  return current_.memory_bytes() + (version_ == nullptr ? 0 : sizeof(Version) + version_->scratch.bytes());
}

}  // namespace graze
