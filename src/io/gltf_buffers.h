// The buffers of a glTF file and the numbers in them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "graze/base/vec.h"
#include "io/bytes.h"
#include "io/gltf_json.h"
#include "io/mesh_source.h"

namespace graze::io {

/// Some bytes in a file.
struct ByteRange {
  std::shared_ptr<const Bytes> bytes;
  std::uint64_t offset = 0, size = 0;
};

/// Reads what accessors name. Buffers are fetched when they are first asked for.
class GltfBuffers {
 public:
  /// `binary`: what a GLB file holds behind its JSON, without bytes if it is none. `folder` as in read_gltf.
  GltfBuffers(MeshReading& reading, const GltfValue& root, ByteRange binary, const std::string* folder);

  std::uint64_t count(std::uint64_t accessor) const;
  /// Appends all points of an accessor to the vertices. Throws Error unless they are finite.
  void append_points(std::uint64_t accessor, TriangleList& to);
  /// Appends all indices of an accessor.
  void append_indices(std::uint64_t accessor, std::vector<std::uint32_t>& to);
  /// All vectors of an accessor, of `width` (at most 4) numbers each. Throws Error unless they are finite.
  std::vector<double> vectors(std::uint64_t accessor, std::size_t width);

 private:
  struct Layout;
  Layout layout_of(const GltfValue& accessor, const GltfValue& view_owner, std::uint64_t view, std::uint64_t offset,
                   std::uint64_t count, int component, int width);
  const ByteRange& buffer(std::uint64_t index);
  ByteRange fetch(const GltfValue& buffer, const std::string& uri);
  ByteRange open_beside(const GltfValue& buffer, const std::string& uri);
  void append_sparse(const GltfValue& accessor, std::size_t first, int component, bool normalized, TriangleList& to);
  void read_vectors(const Layout& layout, bool normalized, std::size_t width, double* to);
  void read_integers(const Layout& layout, std::vector<std::uint32_t>& to);

  MeshReading& reading_;
  GltfValue root_;
  ByteRange binary_;
  const std::string* folder_;
  std::vector<ByteRange> buffers_;
  std::vector<std::unique_ptr<std::string>> decoded_;
};

}  // namespace graze::io
