// The members of a JSON object, read with their types checked and their paths named in errors.
#pragma once

#include <initializer_list>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graze/base/error.h"
#include "graze/base/vec.h"
#include "graze/geometry/geometry.h"
#include "io/json_value.h"

namespace graze::io {

/// What stands around the geometry of a JSON object.
struct Surroundings {
  std::vector<std::string_view> also = {};  ///< members that somebody else reads: the name of an object
  bool files = true;                        ///< whether geometry may be read from files
  std::string folder = {};                  ///< from which relative names of files count; empty: the working directory
  /// What was read from files already, by name and options: many objects are one mesh.
  std::map<std::string, Geometry> read = {};
};

/// A view of a JSON object that stands at `path` in the question. Every function throws Error naming the path of what
/// it refuses.
class Fields {
 public:
  /// Throws unless `value` is an object. Its document must outlive this.
  Fields(Value value, std::string path, Surroundings* around = nullptr);

  const std::string& path() const { return path_; }
  std::string path_of(std::string_view name) const { return path_to(path_, name); }
  bool has(std::string_view name) const { return object_.find(name).has_value(); }

  /// Throws if there is a member whose name is not among `names`; `owner` ("a sphere") stands in the message.
  void allow_only(std::string_view owner, std::initializer_list<std::string_view> names) const;

  /// The members themselves; a missing one throws, as does one of another type.
  Value required(std::string_view name) const;
  double number(std::string_view name) const;
  double number_or(std::string_view name, double fallback) const;
  /// The same for lengths, which are not negative.
  double length_or(std::string_view name, double fallback) const;
  std::size_t count_or(std::string_view name, std::size_t fallback) const;
  std::string text(std::string_view name) const;
  /// True or false; false if there is no such member.
  bool flag(std::string_view name) const;
  /// The file that the member names, as its surroundings understand that.
  std::string file(std::string_view name) const;
  /// read() of a file; once for all members with the same `key`, which names the file and how it is read.
  template <typename Read>
  Geometry read_once(const std::string& key, const Read& read) const {
    if (around_ == nullptr) return read();
    const auto known = around_->read.find(key);
    return known != around_->read.end() ? known->second : around_->read.emplace(key, read()).first->second;
  }
  Vec3 vector(std::string_view name) const;
  std::vector<Vec3> points(std::string_view name) const;
  /// As many numbers as `values` has room for.
  void numbers(std::string_view name, std::span<double> values) const;

  /// A length whose type checks it: checked<decltype(Capsule::radius)>("radius").
  template <typename Size>
  Size checked(std::string_view name) const {
    const double value = number(name);
    return at(name, [&] { return Size(value); });
  }

  /// What `make()` makes of a member; an Error of its own is thrown anew with the path of the member.
  template <typename Make>
  auto at(std::string_view name, Make make) const {
    try {
      return make();
    } catch (const Error& error) {
      throw Error(path_of(name), reason(error));
    }
  }

  /// What `make()` makes; an Error of its own is thrown anew with `path` instead of where it thought it was.
  template <typename Make>
  static auto naming(const std::string& path, Make make) {
    try {
      return make();
    } catch (const Error& error) {
      throw Error(path, reason(error));
    }
  }

 private:
  static std::string reason(const Error& error) { return std::string(error.what()).substr(error.where().size() + 2); }

  Value object_;
  std::string path_;
  Surroundings* around_;
};

/// As many numbers as `into` has room for, from an array that stands at `path`; throws Error naming what it refuses.
void read_numbers(Value value, const std::string& path, std::span<double> into);

}  // namespace graze::io
