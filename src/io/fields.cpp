#include "io/fields.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "graze/base/nearest_word.h"

namespace graze::io {
namespace {

std::string_view kind_of(Value value) {
  switch (value.kind()) {
    case Value::Kind::null:
      return "null";
    case Value::Kind::boolean:
      return "true or false";
    case Value::Kind::string:
      return "a string";
    case Value::Kind::array:
      return "an array";
    case Value::Kind::object:
      return "an object";
    case Value::Kind::integer:
    case Value::Kind::whole:
    case Value::Kind::real:
      break;
  }
  return "a number";
}

[[noreturn]] void refuse(const std::string& path, std::string_view demand, Value value) {
  throw Error(path, fmt::format("must be {}, got {}", demand, kind_of(value)));
}

// The path is made only when it is needed: a hull may have millions of points.
template <class Path>
void numbers_at(Value value, const Path& path, std::span<double> into) {
  const auto demand = [&] { return fmt::format("an array of {} numbers", into.size()); };
  if (!value.is_array()) refuse(path(), demand(), value);
  if (value.size() != into.size()) throw Error(path(), fmt::format("must be {}, got {}", demand(), value.size()));
  std::size_t i = 0;
  for (const Value part : value) {
    if (!part.is_number()) refuse(fmt::format("{}[{}]", path(), i), "a number", part);
    into[i++] = part.number();
  }
}

}  // namespace

void read_numbers(Value value, const std::string& path, std::span<double> into) {
  numbers_at(
      value, [&] { return path; }, into);
}

Fields::Fields(Value value, std::string path, Surroundings* around)
    : object_(value), path_(std::move(path)), around_(around) {
  if (!value.is_object()) refuse(path_.empty() ? "question" : path_, "an object", value);
}

void Fields::allow_only(std::string_view owner, std::initializer_list<std::string_view> names) const {
  std::optional<std::string_view> unknown;  // the first in alphabetical order
  const auto among = [](const auto& list, std::string_view key) {
    return std::find(list.begin(), list.end(), key) != list.end();
  };
  for (const Value member : object_) {
    if (among(names, member.key()) || (around_ != nullptr && among(around_->also, member.key()))) continue;
    if (!unknown || member.key() < *unknown) unknown = member.key();
  }
  if (!unknown) return;
  std::vector<std::string_view> all(names);
  if (around_ != nullptr) all.insert(all.end(), around_->also.begin(), around_->also.end());
  const auto meant = nearest_word(std::string(*unknown), {all.begin(), all.end()});
  throw Error(path_of(*unknown),
              fmt::format("unknown field;{} {} has {}", meant ? fmt::format(" did you mean \"{}\"?", *meant) : "",
                          owner, fmt::join(all, ", ")));
}

Value Fields::required(std::string_view name) const {
  const std::optional<Value> value = object_.find(name);
  if (!value) throw Error(path_of(name), "missing");
  return *value;
}

double Fields::number(std::string_view name) const {
  const Value value = required(name);
  if (!value.is_number()) refuse(path_of(name), "a number", value);
  return value.number();
}

double Fields::number_or(std::string_view name, double fallback) const { return has(name) ? number(name) : fallback; }

double Fields::length_or(std::string_view name, double fallback) const {
  const double length = number_or(name, fallback);
  if (!(length >= 0)) throw Error(path_of(name), fmt::format("must not be negative, got {}", length));
  return length;
}

std::size_t Fields::count_or(std::string_view name, std::size_t fallback) const {
  if (!has(name)) return fallback;
  const Value value = required(name);
  if (!value.is_number()) refuse(path_of(name), "a whole number of at least 1", value);
  // 1e3 and 8.0 are whole numbers too.
  const double count = value.number();
  if (!(count >= 1) || count != std::floor(count)) {
    throw Error(path_of(name), fmt::format("must be a whole number of at least 1, got {}", count));
  }
  constexpr double kMax = 1e15;
  return static_cast<std::size_t>(std::min(count, kMax));
}

std::string Fields::text(std::string_view name) const {
  const Value value = required(name);
  if (!value.is_string()) refuse(path_of(name), "a string", value);
  return std::string(value.text());
}

bool Fields::flag(std::string_view name) const {
  if (!has(name)) return false;
  const Value value = required(name);
  if (!value.is_boolean()) refuse(path_of(name), "true or false", value);
  return value.boolean();
}

std::string Fields::file(std::string_view name) const {
  const std::string named = text(name);
  if (around_ == nullptr) return named;
  if (!around_->files) throw Error(path_of(name), "files cannot be named here");
  return (std::filesystem::path(around_->folder) / named).string();
}

void Fields::numbers(std::string_view name, std::span<double> values) const {
  numbers_at(
      required(name), [&] { return path_of(name); }, values);
}

Vec3 Fields::vector(std::string_view name) const {
  Vec3 v;
  numbers(name, {v.data(), 3});
  return v;
}

std::vector<Vec3> Fields::points(std::string_view name) const {
  const Value value = required(name);
  if (!value.is_array()) refuse(path_of(name), "an array of points", value);
  std::vector<Vec3> points(value.size());
  std::size_t i = 0;
  for (const Value point : value) {
    numbers_at(point, [&] { return fmt::format("{}[{}]", path_of(name), i); }, {points[i].data(), 3});
    ++i;
  }
  return points;
}

}  // namespace graze::io
