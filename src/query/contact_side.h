// One of two bodies at a contact: what of it lies there, as seen along the contact's normal.
#pragma once

#include "query/parts_pair.h"

namespace graze {

class ContactSide {
 public:
  /// In the frame of `g`: `p` on its surface, `n` unit, toward the other body. `slack`: how far from p counts as at p;
  /// `beside`: how far off a surface it is safe to ask what is inside. `part`: what the contact is of.
  ContactSide(const PartsBody& g, Feature part, const Vec3& p, const Vec3& n, double slack, double beside)
      : g_(g), part_(part), p_(p), n_(n), slack_(slack), beside_(beside) {}

  /// Whether everything of it at p lies below the plane through p across n, and outside is above. Of a cloud: of the
  /// ball.
  bool below_plane() const;
  /// Whether the part is a triangle across n that p lies on, of the surface if the body is solid, with the outside
  /// above: shown by a point of the triangle.
  bool is_face_at(const Vec3& q) const;
  bool is_face() const { return is_face_at(toward_middle()); }
  /// The same of one that `other`, a point, lies over as seen from p, and not beside.
  bool is_face_below(const Vec3& other) const;
  /// Whether p lies on the part, and this shows itself to the other body: turned off n by less than kIncident.
  bool is_turned_to_other() const;
  /// A point of the middle of the part, to look at from the other body.
  Vec3 middle() const;

 private:
  const Mesh* mesh() const { return g_.get_if<Mesh>(); }
  bool is_on_part(const Vec3& q) const;
  Vec3 toward_middle() const;
  bool divides(const Vec3& q, const Vec3& up) const;

  const PartsBody& g_;
  Feature part_;
  Vec3 p_, n_;
  double slack_, beside_;
};

}  // namespace graze
