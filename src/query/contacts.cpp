#include "graze/query/contacts.h"

#include <algorithm>

#include "query/blocks.h"
#include "query/cloud_tree.h"
#include "query/contact_query.h"
#include "query/parts.h"
#include "query/solvers.h"

namespace graze {
namespace {

using Found = ContactQuery::Found;

template <class Contact>
bool comes_before(const Contact& x, const Contact& y) {
  if (x.depth != y.depth) return x.depth > y.depth;
  return x.a != y.a ? x.a < y.a : x.b < y.b;
}

// On both bodies, up to the rounding of depths: neighbouring triangles share corners. Points of a cloud that lie behind
// each other have one point on the other body and depths of their own.
bool same_place(const Found& x, const Found& y) {
  constexpr double kSame = kLevel * kLevel, kRounding = 4096 * kEpsilon;
  return same(x.on_a, y.on_a) && same(x.normal, y.normal) &&
         std::abs(x.depth - y.depth) <= kSame * std::abs(x.depth) + kRounding * size_of(x.on_a);
}

// Few and often nearly sorted: by insertion, stable and without allocation.
void sort(std::span<Found> found) {
  for (std::size_t i = 1; i < found.size(); ++i) {
    if (!comes_before(found[i], found[i - 1])) continue;
    const Found moving = found[i];
    std::size_t j = i;
    for (; j > 0 && comes_before(moving, found[j - 1]); --j) found[j] = found[j - 1];
    found[j] = moving;
  }
}

// Moves the deepest and then, one by one, those farthest from all before them to the front.
void spread(std::span<Found> found, std::size_t max) {
  std::array<double, ContactQuery::kCapacity> nearest;  // of each to those in front
  for (std::size_t i = 1; i < found.size(); ++i) nearest[i] = kInfinity;
  for (std::size_t kept = 1; kept < max; ++kept) {
    std::size_t best = kept;
    double farthest = -1;
    for (std::size_t i = kept; i < found.size(); ++i) {
      nearest[i] = std::min(nearest[i], norm_sq(minus(found[i].on_a, found[kept - 1].on_a)));
      if (nearest[i] > farthest) farthest = nearest[i], best = i;
    }
    std::swap(found[kept], found[best]);
    std::swap(nearest[kept], nearest[best]);
  }
}

}  // namespace

void ContactQuery::add(const Found& contact) {
  if (list_ != nullptr) {
    list_->push_back(contact);
    return;
  }
  if (!many_.empty()) {
    add_to_many(contact);
    return;
  }
  for (std::size_t i = 0; i < count_; ++i) {
    if (!same_place(found_[i], contact)) continue;
    if (contact.depth > found_[i].depth) found_[i] = contact;
    return;
  }
  if (count_ == kCapacity) {
    sort({found_.data(), count_});
    if (!comes_before(contact, found_[count_ - 1])) return;
    --count_;
  }
  found_[count_++] = contact;
}

// A heap once it is full: the one to go first on top.
void ContactQuery::add_to_many(const Found& contact) {
  const auto before = [](const Contact& x, const Contact& y) { return comes_before(x, y); };
  const Contact c{contact.on_a, contact.normal, contact.depth, contact.a, contact.b};
  if (count_ < many_.size()) {
    many_[count_++] = c;
    if (count_ == many_.size()) std::make_heap(many_.begin(), many_.end(), before);
  } else if (comes_before(c, many_[0])) {
    std::pop_heap(many_.begin(), many_.end(), before);
    many_[count_ - 1] = c;
    std::push_heap(many_.begin(), many_.end(), before);
  }
}

std::span<Contact> ContactQuery::result_of_many() {
  const std::span<Contact> found = many_.first(count_);
  std::sort(found.begin(), found.end(), [](const Contact& x, const Contact& y) { return comes_before(x, y); });
  return found;
}

std::span<const Found> ContactQuery::result(std::size_t max) {
  sort({found_.data(), count_});
  if (count_ > max) {
    spread({found_.data(), count_}, max);
    count_ = max;
    sort({found_.data(), count_});
  }
  return {found_.data(), count_};
}

std::span<Contact> contacts(const Placed& a, const Placed& b, std::span<Contact> buffer,
                            const ContactOptions& options) {
  const std::size_t room = std::min(options.max, buffer.size());
  if (room == 0) return buffer.first(0);
  const CanonicalPair pair(a, b);
  const Relative relative = pair.relative();
  const bool meshes = with_kinds<bool>(pair, []<class A, class B>(const A&, const B&) { return WithMesh<A, B>; });
  const bool many = meshes && room > ContactQuery::kCapacity;
  const double margin = options.margin + (a.uncertainty + b.uncertainty);
  ContactQuery query(relative, std::isnan(margin) ? kInfinity : margin, meshes ? nullptr : options.cache,
                     many ? buffer.first(room) : std::span<Contact>());
  with_kinds<void>(pair, [&]<class A, class B>(const A& first, const B& second) {
    if constexpr (BlockKind<B>) {
      blocks_contacts(pair.first.geometry, pair.second.geometry, relative, query);
    } else if constexpr (WithMesh<A, B>) {
      const PartsPair parts(pair.first.geometry, pair.second.geometry, first, second);
      parts_contacts(parts, relative, options.threads, query);
    } else {
      ask(first, second, relative, query);
    }
  });

  const auto to_world = [&](const auto& f, const Vec3& on_first) {
    const Vec3 middle = std::isfinite(f.depth) ? along(on_first, -f.depth / 2, f.normal) : on_first;
    const Vec3 normal = turned(pair.frame, f.normal);
    if (!pair.swapped) return Contact{pair.to_world(middle), normal, f.depth, f.a, f.b};
    return Contact{pair.to_world(middle), -normal, f.depth, f.b, f.a};
  };
  if (many) {
    const std::span<Contact> found = query.result_of_many();
    for (Contact& c : found) c = to_world(c, Vec3(c.point));
    return found;
  }
  std::size_t count = 0;
  for (const Found& f : query.result(room)) buffer[count++] = to_world(f, f.on_a);
  return buffer.first(count);
}

Contacts contacts(const Placed& a, const Placed& b, const ContactOptions& options) {
  Contacts r;
  r.size_ = contacts(a, b, std::span<Contact>(r.items_), options).size();
  return r;
}

}  // namespace graze
