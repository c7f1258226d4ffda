// What the writers of point clouds share: each turns rows into bytes.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "graze/io/cloud_file.h"
#include "graze/io/write_file.h"
#include "io/cloud_facts.h"

namespace graze::io {

/// What is known about the rows before the first of them is written.
struct WritePlan {
  std::string path;
  CloudFormat format = CloudFormat::ply;
  CloudEncoding encoding = CloudEncoding::binary;
  NumberType coordinates = NumberType::float64;  ///< float32 or float64
  std::uint64_t rows = 0;
  Aabb bounds;
  std::vector<AttributeRange> attributes;
  std::vector<ColumnFacts> facts;           ///< see CloudStatistics
  std::array<std::uint64_t, 16> returns{};  ///< how many rows have each return_number
  WriteCloudOptions options;
};

class CloudSink {
 public:
  virtual ~CloudSink() = default;
  /// Some consecutive rows.
  virtual void add(const CloudChunk& chunk) = 0;
  /// After the last row.
  virtual void finish() {}
  /// Largest distance between a point and what was written.
  double rounding() const { return rounding_; }
  const std::vector<std::string>& notes() const { return notes_; }

 protected:
  double rounding_ = 0;
  std::vector<std::string> notes_;
};

// Each writes its header at once.
std::unique_ptr<CloudSink> ply_sink(FileWriter& file, const WritePlan& plan);
std::unique_ptr<CloudSink> pcd_sink(FileWriter& file, const WritePlan& plan);
std::unique_ptr<CloudSink> las_sink(FileWriter& file, const WritePlan& plan);
std::unique_ptr<CloudSink> text_sink(FileWriter& file, const WritePlan& plan);

/// Appends the shortest decimal number that reads back as the same value of that type, and as the same double: a
/// float32 has the digits of its double, since readers of text mostly make doubles.
void append_number(std::string& text, const void* at, NumberType type);
/// Appends the bytes of a number, the most significant first if asked to.
void append_bytes(std::string& text, const void* at, std::size_t size, bool big_endian = false);

/// A name without what would end it where blanks end words: with _ for blanks, quotes and control characters.
std::string one_word(std::string_view name);

/// A coordinate as it is written: rounds to float32 if that is the type, and keeps the largest distance.
class CoordinateRounding {
 public:
  explicit CoordinateRounding(NumberType type) : single_(type == NumberType::float32) {}
  Vec3 operator()(const Vec3& p, double& largest) const;

 private:
  bool single_;
};

}  // namespace graze::io
