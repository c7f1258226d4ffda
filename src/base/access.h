// What public classes keep to themselves and the library reads. The headers of the data give it a name of its own:
// data_of(mesh), tree_of(bvh), …
#pragma once

#include <memory>
#include <utility>

namespace graze::detail {

struct Access {
  static const auto& data(const auto& owner) { return *owner.data_; }
  static const auto& tree(const auto& owner) { return *owner.tree_; }
  static const auto& sweep(const auto& owner) { return *owner.sweep_; }
  static const auto* floats(const auto& owner) { return owner.floats_.get(); }
  static const auto* doubles(const auto& owner) { return owner.doubles_.get(); }
  static auto& memory(auto& owner) { return owner.memory_; }

  /// A geometry of data that somebody has made; it must be complete.
  template <class Geometry, class Data>
  static Geometry made_of(std::shared_ptr<const Data> data) {
    return Geometry(std::move(data));
  }
};

}  // namespace graze::detail
