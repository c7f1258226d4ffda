// JSON values as one flat list that points into the text: made in one pass, with one allocation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/json_line.h"

namespace graze::io {

/// A value of a Document, which must outlive it. Members of an object keep the order of the text.
class Value {
 public:
  enum class Kind : std::uint8_t { null, boolean, integer, whole, real, string, array, object };

  Kind kind() const { return node_->kind; }
  bool is_object() const { return kind() == Kind::object; }
  bool is_array() const { return kind() == Kind::array; }
  bool is_string() const { return kind() == Kind::string; }
  bool is_boolean() const { return kind() == Kind::boolean; }
  bool is_number() const { return is_whole() || kind() == Kind::integer || kind() == Kind::real; }
  /// A number without sign, point and exponent.
  bool is_whole() const { return kind() == Kind::whole; }

  bool boolean() const { return node_->whole != 0; }
  std::uint64_t whole() const { return node_->whole; }
  double number() const {
    if (kind() == Kind::real) return node_->real;
    return is_whole() ? static_cast<double>(node_->whole) : static_cast<double>(node_->integer);
  }
  std::string_view text() const { return {node_->text, node_->size}; }

  /// Elements or members.
  std::size_t size() const { return node_->size; }
  /// The name of a member of an object.
  std::string_view key() const { return {node_->key, node_->key_size}; }
  /// The member of this name.
  std::optional<Value> find(std::string_view name) const;

  class Iterator;
  Iterator begin() const;
  Iterator end() const;

 private:
  friend class Document;
  struct Node {
    const char* key = nullptr;
    std::uint32_t key_size = 0;
    Kind kind = Kind::null;
    std::uint32_t size = 0;  // bytes of a text, or elements
    std::uint32_t span = 1;  // nodes of the value with all of its parts
    union {
      std::uint64_t whole = 0;
      std::int64_t integer;
      double real;
      const char* text;
    };
  };
  explicit Value(const Node* node) : node_(node) {}

  const Node* node_;
};

class Value::Iterator {
 public:
  explicit Iterator(const Node* node) : node_(node) {}
  Value operator*() const { return Value(node_); }
  Iterator& operator++() {
    node_ += node_->span;
    return *this;
  }
  bool operator!=(const Iterator& other) const { return node_ != other.node_; }

 private:
  const Node* node_;
};

inline Value::Iterator Value::begin() const { return Iterator(node_ + 1); }
inline Value::Iterator Value::end() const { return Iterator(node_ + node_->span); }

inline std::optional<Value> Value::find(std::string_view name) const {
  for (const Value member : *this) {
    if (member.key() == name) return member;
  }
  return std::nullopt;
}

/// A text of JSON that was read as strictly as `read_json_line` does.
class Document {
 public:
  /// Keeps pointers into `text`. Throws nothing but bad_alloc.
  explicit Document(std::string_view text);
  Document(const Document&) = delete;
  Document& operator=(const Document&) = delete;

  /// Where and why the text was refused; empty if it was not.
  const std::string& error() const { return error_; }
  /// The outermost value; only if there was no error.
  Value root() const { return Value(nodes_.data()); }
  /// The member "id" of the outermost object as JSON; also with an error, if it was read to its end before.
  const std::optional<std::string>& id() const { return id_; }

 private:
  using Node = Value::Node;
  class Parser;

  void copy(const Json& value, std::string_view key);
  bool take_id();

  std::vector<Node> nodes_;
  std::deque<std::string> texts_;  // of values that do not stand in the text as they are
  std::string error_;
  std::optional<std::string> id_;
};

}  // namespace graze::io
