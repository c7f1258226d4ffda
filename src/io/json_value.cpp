#include "io/json_value.h"

#include <charconv>
#include <limits>

namespace graze::io {

/// Reads what needs no second look: ASCII without escapes, numbers within their types, no key twice. Everything else,
/// faults included, is left to `read_json_line`, which says what is wrong.
class Document::Parser {
 public:
  Parser(std::string_view text, std::vector<Node>& nodes)
      : at_(text.data()), end_(text.data() + text.size()), nodes_(nodes) {}

  bool document() {
    skip();
    if (!value(0)) return false;
    skip();
    return at_ == end_;
  }

 private:
  void skip() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\t' || *at_ == '\n' || *at_ == '\r')) ++at_;
  }
  bool take(char c) {
    if (at_ == end_ || *at_ != c) return false;
    ++at_;
    return true;
  }
  bool digits() {
    const char* const first = at_;
    while (at_ != end_ && *at_ >= '0' && *at_ <= '9') ++at_;
    return at_ != first;
  }

  // `depth` arrays and objects are open. The caller has made the node and set its key.
  bool value(std::size_t depth) {
    if (nodes_.empty()) nodes_.emplace_back();
    const std::size_t index = nodes_.size() - 1;
    if (at_ == end_) return false;
    switch (*at_) {
      case '{':
      case '[':
        return depth < kMaxDepth && container(index, depth, *at_ == '{');
      case '"': {
        std::string_view text;
        if (!string(text)) return false;
        nodes_[index].kind = Value::Kind::string;
        nodes_[index].text = text.data();
        nodes_[index].size = static_cast<std::uint32_t>(text.size());
        return true;
      }
      case 't':
        nodes_[index].whole = 1;
        return literal("true", index, Value::Kind::boolean);
      case 'f':
        return literal("false", index, Value::Kind::boolean);
      case 'n':
        return literal("null", index, Value::Kind::null);
      default:
        return number(nodes_[index]);
    }
  }

  bool literal(std::string_view word, std::size_t index, Value::Kind kind) {
    if (!std::string_view(at_, static_cast<std::size_t>(end_ - at_)).starts_with(word)) return false;
    at_ += word.size();
    nodes_[index].kind = kind;
    return true;
  }

  bool string(std::string_view& text) {
    const char* const first = ++at_;
    while (at_ != end_ && *at_ != '"') {
      const auto byte = static_cast<unsigned char>(*at_);
      if (byte < 0x20 || byte >= 0x80 || byte == '\\') return false;
      ++at_;
    }
    text = {first, static_cast<std::size_t>(at_ - first)};
    return take('"');
  }

  bool number(Node& node) {
    const char* const first = at_;
    const bool negative = take('-');
    const char* const magnitude = at_;
    if (!digits() || (*magnitude == '0' && at_ - magnitude > 1)) return false;
    bool real = false;
    if (take('.')) {
      real = true;
      if (!digits()) return false;
    }
    if (at_ != end_ && (*at_ == 'e' || *at_ == 'E')) {
      real = true;
      ++at_;
      if (at_ != end_ && (*at_ == '+' || *at_ == '-')) ++at_;
      if (!digits()) return false;
    }
    node.kind = real ? Value::Kind::real : negative ? Value::Kind::integer : Value::Kind::whole;
    const std::from_chars_result read = real       ? std::from_chars(first, at_, node.real)
                                        : negative ? std::from_chars(first, at_, node.integer)
                                                   : std::from_chars(first, at_, node.whole);
    return read.ec == std::errc() && read.ptr == at_;
  }

  bool repeats(std::size_t object, std::string_view key) const {
    for (std::size_t i = object + 1; i + 1 < nodes_.size(); i += nodes_[i].span) {
      if (key == std::string_view(nodes_[i].key, nodes_[i].key_size)) return true;
    }
    return false;
  }

  bool container(std::size_t index, std::size_t depth, bool object) {
    constexpr std::uint32_t kFew = 32;  // members whose keys are compared with each other
    const char close = object ? '}' : ']';
    ++at_;
    skip();
    std::uint32_t size = 0;
    if (!take(close)) {
      do {
        skip();
        std::string_view key;
        if (object) {
          if (at_ == end_ || *at_ != '"' || size == kFew || !string(key)) return false;
          skip();
          if (!take(':')) return false;
          skip();
        }
        nodes_.emplace_back();
        if (object) {
          nodes_.back().key = key.data();
          nodes_.back().key_size = static_cast<std::uint32_t>(key.size());
          if (repeats(index, key)) return false;
        }
        if (!value(depth + 1)) return false;
        ++size;
        skip();
      } while (take(','));
      if (!take(close)) return false;
    }
    nodes_[index].kind = object ? Value::Kind::object : Value::Kind::array;
    nodes_[index].size = size;
    nodes_[index].span = static_cast<std::uint32_t>(nodes_.size() - index);
    return true;
  }

  const char* at_;
  const char* end_;
  std::vector<Node>& nodes_;
};

Document::Document(std::string_view text) {
  // A line of 64 MiB has fewer nodes than can be counted here; longer texts take the other reader.
  constexpr std::size_t kLongest = std::numeric_limits<std::uint32_t>::max() / 2, kNodes = 48;
  nodes_.reserve(kNodes);
  if (text.size() <= kLongest && Parser(text, nodes_).document() && take_id()) return;
  nodes_.clear();
  const JsonLine line = read_json_line(text);
  error_ = line.error;
  if (line.id) id_ = line.id->dump(-1, ' ', false, Json::error_handler_t::replace);
  if (error_.empty()) copy(line.value, {});
}

// The id as `dump` would write it; false if that takes more than copying it.
bool Document::take_id() {
  if (!root().is_object()) return true;
  const std::optional<Value> id = root().find("id");
  if (!id) return true;
  switch (id->kind()) {
    case Value::Kind::null:
      id_ = "null";
      return true;
    case Value::Kind::boolean:
      id_ = id->boolean() ? "true" : "false";
      return true;
    case Value::Kind::whole:
      id_ = std::to_string(id->whole());
      return true;
    case Value::Kind::string:
      id_ = std::string(id->text().data() - 1, id->size() + 2);  // with its quotes
      return true;
    default:
      return false;
  }
}

void Document::copy(const Json& value, std::string_view key) {
  const auto own = [&](std::string_view text) -> std::string_view { return texts_.emplace_back(text); };
  const std::size_t index = nodes_.size();
  nodes_.emplace_back();
  const std::string_view name = key.empty() ? std::string_view() : own(key);
  nodes_[index].key = name.data();
  nodes_[index].key_size = static_cast<std::uint32_t>(name.size());
  Value::Kind kind = Value::Kind::null;
  std::size_t size = 0;
  if (value.is_boolean()) {
    kind = Value::Kind::boolean;
    nodes_[index].whole = value.get<bool>() ? 1 : 0;
  } else if (value.is_number_unsigned()) {
    kind = Value::Kind::whole;
    nodes_[index].whole = value.get<std::uint64_t>();
  } else if (value.is_number_integer()) {
    kind = Value::Kind::integer;
    nodes_[index].integer = value.get<std::int64_t>();
  } else if (value.is_number()) {
    kind = Value::Kind::real;
    nodes_[index].real = value.get<double>();
  } else if (value.is_string()) {
    kind = Value::Kind::string;
    const std::string_view text = own(value.get_ref<const std::string&>());
    nodes_[index].text = text.data();
    size = text.size();
  } else if (value.is_array()) {
    kind = Value::Kind::array;
    size = value.size();
    for (const Json& part : value) copy(part, {});
  } else if (value.is_object()) {
    kind = Value::Kind::object;
    size = value.size();
    for (const auto& [member, part] : value.get_ref<const Json::object_t&>()) copy(part, member);
  }
  nodes_[index].kind = kind;
  nodes_[index].size = static_cast<std::uint32_t>(size);
  nodes_[index].span = static_cast<std::uint32_t>(nodes_.size() - index);
}

}  // namespace graze::io
