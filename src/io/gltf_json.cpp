#include "io/gltf_json.h"

#include <fmt/format.h>

#include "graze/base/error.h"

namespace graze::io {

void GltfValue::refuse(const std::string& why) const { throw Error(place(), why); }

std::optional<GltfValue> GltfValue::find(std::string_view name) const {
  if (!value_->is_object()) refuse("must be an object");
  const auto at = value_->find(name);
  if (at == value_->end()) return std::nullopt;
  return GltfValue(*at, file_, path_to(path_, name));
}

GltfValue GltfValue::required(std::string_view name) const {
  std::optional<GltfValue> member = find(name);
  if (!member) refuse(fmt::format("has no {}", name));
  return *std::move(member);
}

std::size_t GltfValue::count(std::string_view list) const {
  const std::optional<GltfValue> array = find(list);
  if (!array) return 0;
  if (!array->value_->is_array()) array->refuse("must be an array");
  return array->value_->size();
}

GltfValue GltfValue::entry(std::string_view list, std::uint64_t index) const {
  const std::size_t there = count(list);
  if (index >= there) refuse(fmt::format("refers to {}[{}], but there are {}", list, index, there));
  const Json& array = *value_->find(list);
  return {array[static_cast<std::size_t>(index)], file_, fmt::format("{}[{}]", path_to(path_, list), index)};
}

std::uint64_t GltfValue::as_integer() const {
  if (!value_->is_number_unsigned()) {
    // Some writers print whole numbers as 3.0.
    const double number = value_->is_number() ? value_->get<double>() : -1;
    constexpr double kMax = 9007199254740992;
    if (!(number >= 0 && number <= kMax) || number != static_cast<double>(static_cast<std::uint64_t>(number))) {
      refuse("must be a whole number that is not negative");
    }
    return static_cast<std::uint64_t>(number);
  }
  return value_->get<std::uint64_t>();
}

std::uint64_t GltfValue::integer(std::string_view name) const { return required(name).as_integer(); }

std::uint64_t GltfValue::integer_or(std::string_view name, std::uint64_t fallback) const {
  const std::optional<GltfValue> member = find(name);
  return member ? member->as_integer() : fallback;
}

std::string GltfValue::text_or(std::string_view name, std::string_view fallback) const {
  const std::optional<GltfValue> member = find(name);
  if (!member) return std::string(fallback);
  if (!member->value_->is_string()) member->refuse("must be a text");
  return member->value_->get<std::string>();
}

std::string GltfValue::text_of(std::string_view list, std::uint64_t index) const {
  const GltfValue value = entry(list, index);
  if (!value.value_->is_string()) value.refuse("must be a text");
  return value.value_->get<std::string>();
}

bool GltfValue::flag_or(std::string_view name, bool fallback) const {
  const std::optional<GltfValue> member = find(name);
  if (!member) return fallback;
  if (!member->value_->is_boolean()) member->refuse("must be true or false");
  return member->value_->get<bool>();
}

bool GltfValue::numbers(std::string_view name, double* values, std::size_t count) const {
  const std::optional<GltfValue> member = find(name);
  if (!member) return false;
  const Json& array = *member->value_;
  if (!array.is_array() || array.size() != count) member->refuse(fmt::format("must be an array of {} numbers", count));
  for (std::size_t i = 0; i < count; ++i) {
    if (!array[i].is_number()) member->refuse(fmt::format("must be an array of {} numbers", count));
    values[i] = array[i].get<double>();
  }
  return true;
}

}  // namespace graze::io
