// The members of a JSON object, read with their types checked and their paths named in errors.
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graze/base/error.h"
#include "graze/base/vec.h"
#include "io/json_line.h"

namespace graze::io {

/// A view of a JSON object that stands at `path` in the question. Every function throws Error naming the path of what
/// it refuses.
class Fields {
 public:
  /// Throws unless `value` is an object. Keeps a reference to it.
  Fields(const Json& value, std::string path);

  const std::string& path() const { return path_; }
  std::string path_of(std::string_view name) const { return path_to(path_, name); }
  bool has(std::string_view name) const { return find(name) != nullptr; }

  /// Throws if there is a member whose name is not among `names`; `owner` ("a sphere") stands in the message.
  void allow_only(std::string_view owner, std::initializer_list<std::string_view> names) const;

  /// The members themselves; a missing one throws, as does one of another type.
  const Json& required(std::string_view name) const;
  double number(std::string_view name) const;
  double number_or(std::string_view name, double fallback) const;
  std::size_t count_or(std::string_view name, std::size_t fallback) const;
  const std::string& text(std::string_view name) const;
  Vec3 vector(std::string_view name) const;
  std::vector<Vec3> points(std::string_view name) const;
  /// As many numbers as `values` has room for.
  void numbers(std::string_view name, std::span<double> values) const;

  /// A length whose type checks it: checked<decltype(Capsule::radius)>("radius").
  template <typename Size>
  Size checked(std::string_view name) const {
    const double value = number(name);
    return naming(path_of(name), [&] { return Size(value); });
  }

  /// What `make()` makes; an Error of its own is thrown anew with `path` instead of where it thought it was.
  template <typename Make>
  static auto naming(const std::string& path, Make make) {
    try {
      return make();
    } catch (const Error& error) {
      throw Error(path, std::string(error.what()).substr(error.where().size() + 2));
    }
  }

 private:
  const Json* find(std::string_view name) const;

  const Json& object_;
  std::string path_;
};

}  // namespace graze::io
