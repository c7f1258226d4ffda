// Which contacts of a pair with a solid hold.
#pragma once

#include "query/contact_query.h"
#include "query/contact_side.h"
#include "query/parts.h"

namespace graze {

/// Parts that are apart by no more than this, in metres, touch: more than the points of contacts are off by rounding.
double contact_slack(const PartsPair& pair, const Relative& relative);

/// The rule of docs/meshes.md: on the surfaces of both; once b has moved by the depth along the normal, the
/// two touch at the contact, and the plane through it across the normal lies between them there. Where one of them is
/// bent inwards at that spot, so that there is no plane, the normal is that of a face of it, and the other one lies
/// beyond; where both are, they share a face. Of an overlap, also such as lie on a face of one of them that the other
/// one's surface is turned to, though less deep than what is beside.
class SolidContacts {
 public:
  /// `exit`: the translation that separates the two.
  SolidContacts(const PartsPair& pair, const Relative& relative, const PartsDistance& exit);

  bool holds(const ContactQuery::Found& c) const;
  /// A contact of the same parts that holds, in place of one that need not. False if there is none.
  bool correct(ContactQuery::Found& c) const;

 private:
  bool on_surface(const PartsBody& g, Feature part, const Vec3& p) const;
  bool share_face(const ContactQuery::Found& c, const ContactSide& a, const ContactSide& b) const;

  const PartsPair& pair_;
  const Relative& relative_;
  const PairDistance& exit_;
  bool unbounded_;
  double slack_;
};

}  // namespace graze
