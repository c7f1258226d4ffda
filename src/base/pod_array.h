// A growing array of plain values that never holds two copies of itself for long.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

namespace graze {

/// Like std::vector for values that may be moved as bytes, but it grows by std::realloc, which the system does for big
/// arrays by moving pages instead of copying them: appending to an array of gigabytes needs no second gigabytes.
/// New values are not initialised. Growing throws std::bad_alloc where memory is short.
template <class T>
class PodArray {
  static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= alignof(std::max_align_t));

 public:
  PodArray() = default;
  PodArray(PodArray&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 0)) {}
  PodArray& operator=(PodArray&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    return *this;
  }
  ~PodArray() { std::free(data_); }

  std::size_t size() const { return size_; }
  /// For how many values there is room.
  std::size_t capacity() const { return capacity_; }
  T* data() { return data_; }
  const T* data() const { return data_; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  /// All values.
  std::span<const T> span() const { return {data_, size_}; }

  /// Makes room for so many values in all.
  void reserve(std::size_t capacity) {
    if (capacity > capacity_) reallocate(capacity);
  }
  /// Makes room for `count` more values at the end and returns the first of them.
  T* extend(std::size_t count) {
    if (count > capacity_ - size_) {
      if (count > std::numeric_limits<std::size_t>::max() / 2 - size_) throw std::bad_alloc();
      reallocate(std::max(size_ + count, size_ + size_ / 2));
    }
    size_ += count;
    return data_ + (size_ - count);
  }
  /// Gives back what was reserved and not used.
  void shrink() {
    if (size_ < capacity_) reallocate(size_);
  }

 private:
  void reallocate(std::size_t capacity) {
    if (capacity > std::numeric_limits<std::size_t>::max() / sizeof(T)) throw std::bad_alloc();
    if (capacity == 0) {
      std::free(std::exchange(data_, nullptr));
    } else {
      void* moved = std::realloc(static_cast<void*>(data_), capacity * sizeof(T));
      if (moved == nullptr) throw std::bad_alloc();
      data_ = static_cast<T*>(moved);
    }
    capacity_ = capacity;
  }

  T* data_ = nullptr;
  std::size_t size_ = 0, capacity_ = 0;
};

}  // namespace graze
