#include "graze/query/contacts.h"

#include <algorithm>

#include "query/cloud_tree.h"
#include "query/contact_query.h"

namespace graze {
namespace {

using Found = ContactQuery::Found;

bool comes_before(const Found& x, const Found& y) {
  if (x.depth != y.depth) return x.depth > y.depth;
  return x.a != y.a ? x.a < y.a : x.b < y.b;
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

// Number by number: what was just written so cannot be read at once in larger pieces.
bool same(const Vec3& a, const Vec3& b) { return a.x() == b.x() && a.y() == b.y() && a.z() == b.z(); }

}  // namespace

void ContactQuery::add(const Found& contact) {
  for (std::size_t i = 0; i < count_; ++i) {
    if (same(found_[i].on_a, contact.on_a) && same(found_[i].normal, contact.normal)) return;
  }
  if (count_ == kCapacity) {
    sort({found_.data(), count_});
    if (!comes_before(contact, found_[count_ - 1])) return;
    --count_;
  }
  found_[count_++] = contact;
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
  ContactQuery query(relative, std::isnan(options.margin) ? kInfinity : options.margin, options.cache);
  with_kinds<void>(pair.first.geometry, pair.second.geometry,
                   [&](const auto& first, const auto& second) { ask(first, second, query); });

  std::size_t count = 0;
  for (const Found& f : query.result(room)) {
    const Vec3 middle = std::isfinite(f.depth) ? along(f.on_a, -f.depth / 2, f.normal) : f.on_a;
    const Vec3 normal = turned(pair.frame, f.normal);
    Contact& c = buffer[count++];
    c = {pair.to_world(middle), normal, f.depth, f.a, f.b};
    if (pair.swapped) {
      c.normal = -normal;
      std::swap(c.a, c.b);
    }
  }
  return buffer.first(count);
}

Contacts contacts(const Placed& a, const Placed& b, const ContactOptions& options) {
  Contacts r;
  r.size_ = contacts(a, b, std::span<Contact>(r.items_), options).size();
  return r;
}

}  // namespace graze
