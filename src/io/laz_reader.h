// The points of LAZ files, LAS that is compressed: as the records of a LAS file.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "io/bytes.h"
#include "io/laz_items.h"

namespace graze::io {

/// Unpacks point after point, in memory that does not grow with the file.
class LazReader {
 public:
  /// `description` is the record of a LAZ file that says how its points are packed. Throws Error for what it cannot
  /// unpack.
  LazReader(std::shared_ptr<const Bytes> bytes, const std::string& description, std::uint64_t point_offset,
            std::size_t point_size, std::uint64_t points);

  /// The next `count` records. Throws Error where the file is damaged; there must be as many left.
  void read(char* to, std::size_t count);
  /// How many bytes of the file were read.
  std::uint64_t position() const { return position_; }

 private:
  [[noreturn]] void refuse(const std::string& why) const;
  void read_description(const std::string& description, std::size_t point_size);
  void open_chunk_table(std::uint64_t point_offset, std::uint64_t points);
  void start_chunk(char* first);
  void start_layers(ByteStream& in, const char* first);
  void expect_end_of_chunk();
  void next_point(char* point);

  std::shared_ptr<const Bytes> bytes_;
  std::vector<laz::ItemKind> kinds_;
  bool layered_ = false, chunked_ = true;
  std::uint64_t chunk_size_ = 0;  // points; kVaries: stated for each chunk
  static constexpr std::uint64_t kVaries = 0xFFFFFFFFU;

  // The table of chunks, read along with them.
  bool has_table_ = false;
  std::uint64_t chunks_ = 0, chunk_ = 0;  // how many there are, and of the next one
  ArithmeticDecoder table_;
  IntegerDecoder table_entries_{32, 2};
  std::int32_t last_count_ = 0, last_size_ = 0;

  std::uint64_t next_chunk_ = 0, end_ = 0;  // in the file: where the next chunk starts, and the last one ends
  std::uint64_t chunk_end_ = 0;             // of this chunk, if there is a table
  std::uint64_t left_in_chunk_ = 0, left_ = 0, points_ = 0, position_ = 0;
  std::vector<char> last_;  // record
  unsigned channel_ = 0;

  std::vector<std::unique_ptr<laz::Item>> items_;
  ArithmeticDecoder from_;
  std::vector<std::unique_ptr<laz::LayeredItem>> layered_items_;
  std::vector<laz::Layer> layers_;
};

}  // namespace graze::io
