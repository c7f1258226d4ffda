// What the readers of point clouds share: each turns bytes into chunks of columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "graze/io/cloud_file.h"
#include "io/bytes.h"

namespace graze::io {

/// More columns than this are refused: each costs memory before there is a point.
inline constexpr std::size_t kMaxColumns = 1024;

/// Where a value of a record goes: x, y, z, the attribute kAttribute + k, or nowhere.
enum Target : int { kNowhere = -1, kX = 0, kY = 1, kZ = 2, kAttribute = 3 };

/// A buffer of rows of points and attributes, as many as fit in about a mebibyte, but not more than there may be.
class ChunkBuffer {
 public:
  explicit ChunkBuffer(const std::vector<AttributeType>& attributes, std::uint64_t max_rows = kMaxRows);

  std::size_t capacity() const { return capacity_; }
  std::size_t size() const { return size_; }
  std::size_t room() const { return capacity_ - size_; }
  void clear() { size_ = 0; }
  /// Makes `count` more rows, to be filled by the caller.
  void extend(std::size_t count) { size_ += count; }
  double* point(std::size_t row) { return points_.data() + 3 * row; }
  std::byte* value(std::size_t attribute, std::size_t row) {
    return columns_[attribute].data() + row * size_of(types_[attribute]);
  }
  /// Removes the rows that are not points and returns how many they were.
  std::size_t drop_skipped();
  CloudChunk chunk(std::uint64_t first);

 private:
  static constexpr std::size_t kMaxRows = 4096;

  std::vector<NumberType> types_;
  std::size_t capacity_, size_ = 0;
  std::vector<double> points_;
  std::vector<std::vector<std::byte>> columns_;
  std::vector<ColumnView> views_;
};

/// One value in a record of bytes.
struct RecordField {
  int target = kNowhere;
  NumberType type = NumberType::float32;
  std::size_t offset = 0;
};

/// Copies `count` records of `stride` bytes to the rows of the buffer from `row` on; `swap` where their bytes are in
/// the other order than the machine's.
void decode_records(const char* records, std::size_t count, std::size_t stride, const std::vector<RecordField>& fields,
                    bool swap, ChunkBuffer& buffer, std::size_t row);

/// Reads a decimal number in any locale, as the declared type, into `to`. Returns null, or why it was refused: a phrase
/// that follows the value.
const char* parse_number(std::string_view token, NumberType type, void* to);
/// parse_number into the place of a row.
const char* parse_into(std::string_view token, NumberType type, int target, ChunkBuffer& buffer, std::size_t row);
/// Reads a count of at most 2^63; false if it is none.
bool parse_count(std::string_view token, std::uint64_t& count);

/// The words of a line, apart by blanks and tabs.
void split_blanks(std::string_view line, std::vector<std::string_view>& words);

class CloudSource {
 public:
  virtual ~CloudSource() = default;
  const CloudHeader& header() const { return header_; }
  /// The name of the file.
  const std::string& name() const { return name_; }
  void set_name(std::string name) { name_ = std::move(name); }
  /// Appends rows until the buffer is full or there are no more; nothing is appended at the end of the file.
  virtual void fill(ChunkBuffer& buffer) = 0;
  /// How many bytes were read.
  virtual std::uint64_t position() const = 0;

 protected:
  /// The target of a new attribute; a name that is taken gets _2, _3, …
  int add_attribute(std::string name, NumberType type, const std::string& file);
  CloudHeader header_;

 private:
  std::string name_;
};

/// The value as it stands in a file, for messages: short, printable, in quotes.
std::string in_quotes(std::string_view text);

/// Detects the format by the bytes, or where they are ambiguous by the extension of the name; throws Error if it is
/// none.
std::unique_ptr<CloudSource> open_cloud(std::shared_ptr<const Bytes> bytes);

std::unique_ptr<CloudSource> open_ply(std::shared_ptr<const Bytes> bytes);
std::unique_ptr<CloudSource> open_pcd(std::shared_ptr<const Bytes> bytes);
std::unique_ptr<CloudSource> open_las(std::shared_ptr<const Bytes> bytes);
std::unique_ptr<CloudSource> open_e57(std::shared_ptr<const Bytes> bytes);
std::unique_ptr<CloudSource> open_text(std::shared_ptr<const Bytes> bytes);
std::unique_ptr<CloudSource> open_ptx(std::shared_ptr<const Bytes> bytes);
bool looks_like_ptx(const std::shared_ptr<const Bytes>& bytes);

/// The lower-case letters behind the last dot of the file's name; empty if there is none.
std::string extension_of(const std::string& path);

}  // namespace graze::io
