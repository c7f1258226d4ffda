// Meshes with everything: what the verbs ask. The pair is in canonical order, answers are in the first one's frame.
#pragma once

#include "query/pair_query.h"

namespace graze {

class ContactQuery;

bool mesh_collide(const Geometry& first, const Geometry& second, const Relative& relative, double margin,
                  PairCache* cache);

struct MeshDistance {
  PairDistance distance;
  Feature a = 0, b = 0;
};
MeshDistance mesh_distance(const Geometry& first, const Geometry& second, const Relative& relative,
                           const PairQuestion& question);

void mesh_contacts(const Geometry& first, const Geometry& second, const Relative& relative, int threads,
                   ContactQuery& query);

}  // namespace graze
