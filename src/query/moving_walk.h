// A walk through the trees of two meshes whose vertices move over a step, or of one with itself: which triangles have
// boxes over the step that overlap.
#pragma once

#include <span>
#include <vector>

#include "geometry/mesh_data.h"
#include "geometry/moving_data.h"
#include "query/relative.h"

namespace graze::moving {

/// A mesh over a step: one that moves, or one that does not.
struct StepMesh {
  const mesh::Data& data;    // where it starts
  std::span<const Vec3> to;  // where the vertices end
  const bvh::Tree& tree;     // bounds over the step
  const bvh::Node* leaves;   // the boxes of the triangles over the step, eight to a leaf; null: they stay, see blocks

  explicit StepMesh(const MovingMesh& mesh)
      : data(data_of(mesh.from())),
        to(sweep_of(mesh).to),
        tree(sweep_of(mesh).tree),
        leaves(sweep_of(mesh).leaves.data()) {}
  explicit StepMesh(const Mesh& mesh) : data(data_of(mesh)), to(data.vertices), tree(data.tree), leaves(nullptr) {}
};

/// What stays the same during a walk.
struct StepPair {
  const StepMesh &a, &b;
  Relative relative;           // of b's frame to a's at the start
  double margin = 0;           // metres; what is not a number is near everything
  bool within = false;         // a and b are one mesh, each pair of which is wanted once
  Vec3 travel = Vec3::Zero();  // of b's frame over the step, in a's
};

/// A part of a walk: a child of each tree.
struct Part {
  std::uint32_t a, b;
};

/// Called with triangles of a and b, by the caller's indices; of one mesh the lower comes first. False ends the walk.
struct StepVisitor {
  void* self;
  bool (*call)(void* self, std::uint32_t a, std::uint32_t b);
};

/// Visits every pair once, in an order that depends on the input alone. No allocation.
void visit(const StepPair& pair, const StepVisitor& visitor);
/// Divides a walk: visited one after the other, the parts are the whole. At least `wanted`, if there are as many.
std::vector<Part> divide(const StepPair& pair, std::size_t wanted);
/// False if the visitor ended it.
bool visit(const StepPair& pair, std::span<const Part> parts, const StepVisitor& visitor);

}  // namespace graze::moving
