// Where two things touch, with normals and depths.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "graze/query/distance.h"

namespace graze {

/// Where two things meet.
struct Contact {
  /// World; midway between the two surfaces.
  Vec3 point;
  /// Unit, world, from a to b; the same for all contacts of one pair of convex shapes.
  Vec3 normal;
  /// Metres along the normal; negative for near contacts admitted by the margin.
  double depth;
  Feature a, b;  ///< which primitives of a and b meet
};

/// Options of contacts().
struct ContactOptions {
  /// At most this many contacts (and at most the buffer's size); of a larger patch the deepest and those that span
  /// the largest area are kept.
  std::size_t max = 8;
  /// Metres. Also report spots where the surfaces are apart by up to this much.
  double margin = 0;
  PairCache* cache = nullptr;  ///< optional memory for coherent motion
  /// That look for contacts of two meshes, worth it for some hundred contacts and more; 0: as many as the machine has.
  /// The contacts do not depend on it: not their number, order or bits.
  int threads = 1;
};

/// Writes the contacts of a and b to `buffer`, deepest first, and returns the part that was filled: empty if the pair
/// is apart by more than the margin. Where two faces, a face and an edge, or two parallel edges meet, the corners of
/// the common patch are reported; elsewhere one point. Of meshes every touching pair of parts has contacts of its own,
/// with a depth of its own: how far these two must move. Of solid meshes, touching or overlapping: on the surfaces of
/// both, and once b has moved by the depth along the normal, the plane across the normal lies between the two near the
/// contact (docs/meshes.md has the rule for concave spots); the deepest is that of the translation that separates all;
/// every point of a cloud that is inside has its own. Up to 256 are spread and the same spot is reported once; with
/// a larger `max` the buffer gets all of them, or the deepest that fit. With one thread it never throws or allocates
/// (but see Cloud::prepare); more threads need memory for what they find, and throw std::bad_alloc if there is none.
std::span<Contact> contacts(const Placed& a, const Placed& b, std::span<Contact> buffer,
                            const ContactOptions& options = {});

/// A few contacts by value.
class Contacts {
 public:
  static constexpr std::size_t kCapacity = 16;  ///< of the buffer

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const Contact& operator[](std::size_t i) const { return items_[i]; }
  const Contact* begin() const { return items_.data(); }
  const Contact* end() const { return items_.data() + size_; }

 private:
  friend Contacts contacts(const Placed&, const Placed&, const ContactOptions&);
  std::array<Contact, kCapacity> items_;
  std::size_t size_ = 0;
};

/// The same by value, at most Contacts::kCapacity of them.
///
///     for (const Contact& c : contacts(at(crate, pose), at(floor))) push(c.point, c.normal, c.depth);
Contacts contacts(const Placed& a, const Placed& b, const ContactOptions& options = {});

}  // namespace graze
