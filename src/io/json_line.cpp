#include "io/json_line.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <utility>
#include <vector>

namespace graze::io {
namespace {

// The parser stops at a number that its float type cannot hold. Parsing as long double lets reading go on to the id
// after most numbers that only a double cannot hold; the values themselves are read as doubles from the digits.
using Parser = nlohmann::basic_json<std::map, std::vector, std::string, bool, std::int64_t, std::uint64_t, long double>;

/// Builds the value while the parser walks the text; remembers the first fault and goes on where it can, so that an id
/// behind the fault is still found.
class Builder {
 public:
  explicit Builder(JsonLine& result) : result_(result) {}

  bool null() { return scalar(nullptr); }
  bool boolean(bool value) { return scalar(value); }
  bool number_integer(std::int64_t value) { return scalar(value); }
  bool number_unsigned(std::uint64_t value) { return scalar(value); }
  bool number_float(long double, const std::string& digits) {
    const double value = std::strtod(digits.c_str(), nullptr);
    if (!std::isfinite(value)) fault(fmt::format("the number {} is beyond the range of a double", shortened(digits)));
    return scalar(value);
  }
  bool string(std::string& value) { return scalar(std::move(value)); }
  bool binary(Parser::binary_t&) { return true; }  // does not occur in JSON texts

  bool start_object(std::size_t) { return open(Json::object()); }
  bool start_array(std::size_t) { return open(Json::array()); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }

  bool key(std::string& name) {
    if (too_deep_ > 0) return true;
    Level& top = levels_.back();
    top.key = std::move(name);
    top.repeated = top.value != nullptr && top.value->contains(top.key);
    if (top.repeated) fault("the key is given twice");
    return true;
  }

  bool parse_error(std::size_t position, const std::string& last_token, const nlohmann::json::exception& error) {
    if (dynamic_cast<const nlohmann::json::out_of_range*>(&error) != nullptr) {
      fault(fmt::format("the number {} is beyond the range of a double", shortened(last_token)));
    } else if (result_.error.empty()) {
      result_.error = fmt::format("not JSON at column {}: {}", position, reason(error.what()));
    }
    return false;
  }

 private:
  struct Level {
    Json* value;  // null below a fault: walked, not built
    std::string key;
    std::size_t index = 0;
    bool repeated = false;
  };

  // "…: syntax error while parsing value - invalid literal; last read: 'nul'; expected …" without its head, and with
  // the text that was last read, which may be the whole line, cut short.
  static std::string reason(std::string_view what) {
    if (const auto head = what.find("syntax error "); head != std::string_view::npos) what.remove_prefix(head + 13);
    static constexpr std::string_view kLastRead = "; last read: '";
    const auto read = what.find(kLastRead);
    if (read == std::string_view::npos) return shortened(what, 160);
    return fmt::format("{}, near '{}", what.substr(0, read), shortened(what.substr(read + kLastRead.size()), 80));
  }

  std::string path() const {
    std::string path;
    for (const Level& level : levels_) {
      if (level.value != nullptr && level.value->is_array()) {
        path += fmt::format("[{}]", level.index);
      } else if (!level.key.empty()) {
        path = path_to(path, level.key);
      }
      if (path.size() > 200) return path + "…";
    }
    return path;
  }

  void fault(const std::string& why) {
    if (in_id()) id_sound_ = false;
    if (!result_.error.empty()) return;
    const std::string where = path();
    result_.error = where.empty() ? why : where + ": " + why;
  }

  bool in_id() const { return !levels_.empty() && levels_.front().key == "id" && !levels_.front().repeated; }

  Json* add(Json&& value) {
    if (levels_.empty()) return &(result_.value = std::move(value));
    Level& top = levels_.back();
    if (top.value == nullptr || top.repeated) return nullptr;
    if (top.value->is_array()) {
      top.value->push_back(std::move(value));
      return &top.value->back();
    }
    return &((*top.value)[top.key] = std::move(value));
  }

  bool scalar(Json value) {
    if (too_deep_ > 0) return true;
    add(std::move(value));
    finish_value();
    return true;
  }

  bool open(Json container) {
    if (levels_.size() < kMaxDepth) {
      levels_.push_back({.value = add(std::move(container)), .key = {}});
      return true;
    }
    if (too_deep_++ == 0) fault(fmt::format("nested deeper than {} levels", kMaxDepth));
    return true;
  }

  bool close() {
    if (too_deep_ > 0) {
      --too_deep_;
    } else {
      levels_.pop_back();
    }
    finish_value();
    return true;
  }

  void finish_value() {
    if (too_deep_ > 0 || levels_.empty()) return;
    Level& top = levels_.back();
    ++top.index;
    if (levels_.size() == 1 && top.value->is_object() && in_id() && id_sound_) {
      result_.id = std::move((*top.value)["id"]);
    }
  }

  JsonLine& result_;
  std::vector<Level> levels_;
  std::size_t too_deep_ = 0;  // levels open beyond kMaxDepth
  bool id_sound_ = true;
};

}  // namespace

void dismantle(Json& value) noexcept {
  if (value.is_array()) {
    auto& items = value.get_ref<Json::array_t&>();
    for (Json& item : items) dismantle(item);
    items.clear();
  } else if (value.is_object()) {
    auto& members = value.get_ref<Json::object_t&>();
    for (auto& member : members) dismantle(member.second);
    members.clear();
  }
}

JsonLine read_json_line(std::string_view text) {
  JsonLine result;
  Builder builder(result);
  Parser::sax_parse(text.begin(), text.end(), &builder);
  // The parser takes a NUL for the end of the text and does not see what follows.
  if (const auto nul = text.find('\0'); nul != std::string_view::npos) {
    result.error = fmt::format("not JSON at column {}: a NUL byte", nul + 1);
  }
  return result;
}

std::string shortened(std::string_view text, std::size_t max_bytes) {
  if (text.size() <= max_bytes) return std::string(text);
  std::size_t end = max_bytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return std::string(text.substr(0, end)) + "…";
}

std::string path_to(const std::string& path, std::string_view member) {
  return path.empty() ? shortened(member) : path + "." + shortened(member);
}

}  // namespace graze::io
