// A mesh as a hierarchy: its tree, with the triangles as facets.
#pragma once

#include "geometry/mesh_data.h"
#include "query/box_tree.h"
#include "query/facet.h"

namespace graze {

class MeshTree : public BoxTree {
 public:
  explicit MeshTree(const Mesh& mesh) : BoxTree(data_of(mesh).tree), data_(data_of(mesh)) {}

  Facet primitive(std::size_t slot) const { return facet(feature(slot)); }
  Facet facet(std::size_t triangle) const {
    return {
        Triangle(Triangle::Known{}, data_.corner(triangle, 0), data_.corner(triangle, 1), data_.corner(triangle, 2)),
        data_.solid, data_.facing};
  }
  const mesh::Data& data() const { return data_; }

 private:
  const mesh::Data& data_;
};

/// The triangles themselves, by the caller's indices, for those who know which ones they want.
class MeshParts {
 public:
  explicit MeshParts(const MeshTree& tree) : tree_(tree) {}
  Facet primitive(std::size_t triangle) const { return tree_.facet(triangle); }

 private:
  const MeshTree& tree_;
};

inline MeshTree hierarchy_of(const Mesh& mesh) { return MeshTree(mesh); }

}  // namespace graze
