// Memory for plain values that is not cleared before use.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace graze {

/// An array of plain values on its own cache lines. Growing keeps what was there; what is new holds no particular
/// value. Keeps its memory when it shrinks, so that the next frame finds it warm.
template <class T>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Buffer() = default;
  Buffer(Buffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 0)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    return *this;
  }
  ~Buffer() { release(); }

  void resize(std::size_t size) {
    if (size > capacity_) grow(size);
    size_ = size;
  }
  void assign(std::size_t size, T value) {
    resize(size);
    for (std::size_t i = 0; i < size; ++i) data_[i] = value;
  }
  /// The value must not lie in this buffer.
  void push_back(const T& value) {
    if (size_ == capacity_) grow(size_ + size_ / 2 + 16);
    data_[size_++] = value;
  }
  /// Room for so many, and for half as many again as there are.
  void reserve(std::size_t size) {
    if (size > capacity_) grow(std::max(size, size_ + size_ / 2));
  }
  void clear() { size_ = 0; }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::size_t bytes() const { return capacity_ * sizeof(T); }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }

 private:
  // Large arrays lie on huge pages where the system has them: fewer page faults while they are filled for the first
  // time, fewer misses of the address cache in queries.
  static constexpr std::size_t kHuge = std::size_t{1} << 21U;
  static std::align_val_t alignment(std::size_t bytes) { return std::align_val_t{bytes >= kHuge ? kHuge : 64}; }
  static T* allocate(std::size_t bytes) {
    void* data = ::operator new(bytes, alignment(bytes));
#ifdef __linux__
    if (bytes >= kHuge) (void)madvise(data, bytes, MADV_HUGEPAGE);  // only a hint
#endif
    return static_cast<T*>(data);
  }
  void release() { ::operator delete(static_cast<void*>(data_), alignment(bytes())); }

  void grow(std::size_t capacity) {
    T* data = allocate(capacity * sizeof(T));
    if (size_ > 0) std::memcpy(static_cast<void*>(data), data_, size_ * sizeof(T));
    release();
    data_ = data;
    capacity_ = capacity;
  }

  T* data_ = nullptr;
  std::size_t size_ = 0, capacity_ = 0;
};

}  // namespace graze
