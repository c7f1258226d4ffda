// An ordered map whose versions share everything that they have in common.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

namespace graze::scene {

/// A balanced tree (AVL) of immutable nodes. A copy is one reference; `set` and `erase` copy the path to the entry,
/// O(log n), and leave every other version as it is. Changes that throw change nothing.
template <class Key, class Value, class Less = std::less<>>
class PersistentMap {
 public:
  struct Node;
  using Link = std::shared_ptr<const Node>;
  struct Node {
    Key key;
    Value value;
    std::uint8_t height;
    Link left, right;
  };
  /// No tree is deeper: an AVL tree of this depth has more entries than there is memory for.
  static constexpr std::size_t kMaxDepth = 64;

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const Node* root() const { return root_.get(); }
  static bool less(const Key& a, const Key& b) { return Less()(a, b); }

  template <class K>
  const Value* find(const K& key) const {
    const Node* node = root_.get();
    while (node != nullptr) {
      if (Less()(key, node->key)) node = node->left.get();
      else if (Less()(node->key, key)) node = node->right.get();
      else return &node->value;
    }
    return nullptr;
  }

  /// Adds an entry, or replaces that of the same key.
  void set(Key key, Value value) {
    bool added = false;
    root_ = with(root_, std::move(key), std::move(value), added);
    size_ += added ? 1 : 0;
  }
  /// Removes the entry of a key, if there is one.
  template <class K>
  void erase(const K& key) {
    if (find(key) == nullptr) return;
    root_ = without(root_, key);
    --size_;
  }

  /// Calls visit(key, value) in the order of the keys, from the first that is not less than `from`; until it returns
  /// false.
  template <class K, class Visit>
  bool visit_from(const K& from, const Visit& visit) const {
    return visit_below(root_.get(), &from, visit);
  }
  template <class Visit>
  bool visit(const Visit& visit) const {
    return visit_below(root_.get(), static_cast<const Key*>(nullptr), visit);
  }

 private:
  static int height(const Link& node) { return node ? node->height : 0; }
  static Link make(Key key, Value value, Link left, Link right) {
    const auto high = static_cast<std::uint8_t>(1 + std::max(height(left), height(right)));
    return std::make_shared<const Node>(
        Node{std::move(key), std::move(value), high, std::move(left), std::move(right)});
  }
  // Of sides whose heights differ by two at most.
  static Link balanced(const Key& key, const Value& value, const Link& left, const Link& right) {
    if (height(left) > height(right) + 1) {
      if (height(left->left) >= height(left->right))
        return make(left->key, left->value, left->left, make(key, value, left->right, right));
      const Node& middle = *left->right;
      return make(middle.key, middle.value, make(left->key, left->value, left->left, middle.left),
                  make(key, value, middle.right, right));
    }
    if (height(right) > height(left) + 1) {
      if (height(right->right) >= height(right->left))
        return make(right->key, right->value, make(key, value, left, right->left), right->right);
      const Node& middle = *right->left;
      return make(middle.key, middle.value, make(key, value, left, middle.left),
                  make(right->key, right->value, middle.right, right->right));
    }
    return make(key, value, left, right);
  }
  static Link with(const Link& node, Key&& key, Value&& value, bool& added) {
    if (!node) {
      added = true;
      return make(std::move(key), std::move(value), nullptr, nullptr);
    }
    if (Less()(key, node->key))
      return balanced(node->key, node->value, with(node->left, std::move(key), std::move(value), added), node->right);
    if (Less()(node->key, key))
      return balanced(node->key, node->value, node->left, with(node->right, std::move(key), std::move(value), added));
    return make(std::move(key), std::move(value), node->left, node->right);
  }
  template <class K>
  static Link without(const Link& node, const K& key) {
    if (Less()(key, node->key)) return balanced(node->key, node->value, without(node->left, key), node->right);
    if (Less()(node->key, key)) return balanced(node->key, node->value, node->left, without(node->right, key));
    if (!node->left) return node->right;
    if (!node->right) return node->left;
    const Node* next = node->right.get();
    while (next->left) next = next->left.get();
    return balanced(next->key, next->value, node->left, without_first(node->right));
  }
  static Link without_first(const Link& node) {
    if (!node->left) return node->right;
    return balanced(node->key, node->value, without_first(node->left), node->right);
  }
  template <class K, class Visit>
  static bool visit_below(const Node* node, const K* from, const Visit& visit) {
    if (node == nullptr) return true;
    const bool before = from != nullptr && Less()(node->key, *from);
    if (!before) {
      if (!visit_below(node->left.get(), from, visit)) return false;
      if (!visit(node->key, node->value)) return false;
    }
    return visit_below(node->right.get(), from, visit);
  }

  Link root_;
  std::size_t size_ = 0;
};

}  // namespace graze::scene
