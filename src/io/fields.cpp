#include "io/fields.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace graze::io {
namespace {

std::string_view kind_of(const Json& value) {
  switch (value.type()) {
    case Json::value_t::null:
      return "null";
    case Json::value_t::boolean:
      return "true or false";
    case Json::value_t::string:
      return "a string";
    case Json::value_t::array:
      return "an array";
    case Json::value_t::object:
      return "an object";
    default:
      return "a number";
  }
}

[[noreturn]] void refuse(const std::string& path, std::string_view demand, const Json& value) {
  throw Error(path, fmt::format("must be {}, got {}", demand, kind_of(value)));
}

double number_at(const Json& value, const std::string& path) {
  if (!value.is_number()) refuse(path, "a number", value);
  return value.get<double>();
}

// The path is made only when it is needed: a hull may have millions of points.
void numbers_at(const Json& value, const std::string& path, std::span<double> into) {
  const std::string demand = fmt::format("an array of {} numbers", into.size());
  if (!value.is_array()) refuse(path, demand, value);
  if (value.size() != into.size()) throw Error(path, fmt::format("must be {}, got {}", demand, value.size()));
  for (std::size_t i = 0; i < into.size(); ++i) {
    into[i] = value[i].is_number() ? value[i].get<double>() : number_at(value[i], fmt::format("{}[{}]", path, i));
  }
}

}  // namespace

Fields::Fields(const Json& value, std::string path) : object_(value), path_(std::move(path)) {
  if (!value.is_object()) refuse(path_.empty() ? "question" : path_, "an object", value);
}

const Json* Fields::find(std::string_view name) const {
  const auto found = object_.find(name);
  return found == object_.end() ? nullptr : &*found;
}

void Fields::allow_only(std::string_view owner, std::initializer_list<std::string_view> names) const {
  for (const auto& [key, value] : object_.items()) {
    if (std::find(names.begin(), names.end(), key) != names.end()) continue;
    throw Error(path_of(key), fmt::format("unknown field; {} has {}", owner, fmt::join(names, ", ")));
  }
}

const Json& Fields::required(std::string_view name) const {
  const Json* value = find(name);
  if (value == nullptr) throw Error(path_of(name), "missing");
  return *value;
}

double Fields::number(std::string_view name) const { return number_at(required(name), path_of(name)); }

double Fields::number_or(std::string_view name, double fallback) const { return has(name) ? number(name) : fallback; }

std::size_t Fields::count_or(std::string_view name, std::size_t fallback) const {
  if (!has(name)) return fallback;
  const Json& value = required(name);
  if (!value.is_number()) refuse(path_of(name), "a whole number of at least 1", value);
  // 1e3 and 8.0 are whole numbers too.
  const double count = value.get<double>();
  if (!(count >= 1) || count != std::floor(count)) {
    throw Error(path_of(name), fmt::format("must be a whole number of at least 1, got {}", count));
  }
  constexpr double kMost = 1e15;
  return static_cast<std::size_t>(std::min(count, kMost));
}

const std::string& Fields::text(std::string_view name) const {
  const Json& value = required(name);
  if (!value.is_string()) refuse(path_of(name), "a string", value);
  return value.get_ref<const std::string&>();
}

void Fields::numbers(std::string_view name, std::span<double> values) const {
  numbers_at(required(name), path_of(name), values);
}

Vec3 Fields::vector(std::string_view name) const {
  Vec3 v;
  numbers(name, {v.data(), 3});
  return v;
}

std::vector<Vec3> Fields::points(std::string_view name) const {
  const Json& value = required(name);
  if (!value.is_array()) refuse(path_of(name), "an array of points", value);
  std::vector<Vec3> points(value.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    numbers_at(value[i], fmt::format("{}[{}]", path_of(name), i), {points[i].data(), 3});
  }
  return points;
}

}  // namespace graze::io
