// PLY: a header of elements with properties, then their values, as text or in either byte order.
#include <fmt/format.h>

#include <cstring>

#include "graze/base/error.h"
#include "io/cloud_source.h"
#include "io/ply_header.h"

namespace graze::io {
namespace {

class PlySource : public CloudSource {
 public:
  explicit PlySource(std::shared_ptr<const Bytes> bytes) : reader_(std::move(bytes)) {
    header_.format = CloudFormat::ply;
    header_.file_size = reader_.bytes().size();
    ply_ = read_ply_header(reader_);
    header_.version = ply_.version;
    header_.encoding = ply_.ascii()                                  ? CloudEncoding::ascii
                       : ply_.encoding == PlyEncoding::little_endian ? CloudEncoding::binary
                                                                     : CloudEncoding::binary_big_endian;
    choose_targets();
    for (std::size_t i = 0; i < vertex_; ++i) skip_ply_element(reader_, ply_, ply_.elements[i]);
  }

  void fill(ChunkBuffer& buffer) override {
    const PlyElement& vertex = ply_.elements[vertex_];
    while (left_ > 0 && buffer.room() > 0) {
      if (header_.encoding == CloudEncoding::ascii) {
        read_row(vertex, buffer);
      } else if (vertex.has_lists()) {
        read_record(vertex, buffer);
      } else {
        read_records(buffer);
      }
    }
    if (left_ == 0 && !finished_) {
      finished_ = true;
      for (std::size_t i = vertex_ + 1; i < ply_.elements.size(); ++i)
        skip_ply_element(reader_, ply_, ply_.elements[i]);
      check_ply_end(reader_, ply_);
    }
  }

  std::uint64_t position() const override { return reader_.position(); }

 private:
  [[noreturn]] void refuse_line(const std::string& why) const {
    throw Error(reader_.name(), reader_.line_number(), why);
  }
  [[noreturn]] void refuse_end(const PlyElement& element, std::uint64_t missing) const {
    refuse_ply_end(reader_, element, missing);
  }

  void choose_targets() {
    vertex_ = ply_.elements.size();
    for (std::size_t i = 0; i < ply_.elements.size(); ++i) {
      if (ply_.elements[i].name == "vertex") {
        vertex_ = i;
      } else {
        header_.notes.push_back(fmt::format("element {} ({} entries) is not read", in_quotes(ply_.elements[i].name),
                                            ply_.elements[i].count));
      }
    }
    if (vertex_ == ply_.elements.size())
      throw Error(reader_.name(), "the PLY header has no element 'vertex', so no points");
    PlyElement& vertex = ply_.elements[vertex_];
    bool seen[3] = {};
    bool wide = false, first = true;
    std::size_t offset = 0;
    for (PlyProperty& p : vertex.properties) {
      const int axis = p.name == "x" ? kX : p.name == "y" ? kY : p.name == "z" ? kZ : kNowhere;
      if (p.count_type) {
        header_.notes.push_back(fmt::format("list property {} of the points is not read", in_quotes(p.name)));
        continue;
      }
      if (axis != kNowhere && !seen[axis]) {
        seen[axis] = true;
        p.target = axis;
        wide = wide || (!first && p.type != header_.coordinates);
        first = false;
        header_.coordinates = p.type;
      } else {
        p.target = add_attribute(p.name, p.type, reader_.name());
      }
      fields_.push_back({p.target, p.type, offset});
      offset += size_of(p.type);
    }
    for (const int axis : {kX, kY, kZ}) {
      if (!seen[axis]) {
        throw Error(reader_.name(), fmt::format("element 'vertex' has no property '{}'", "xyz"[axis]));
      }
    }
    if (wide) header_.coordinates = NumberType::float64;
    header_.points = left_ = vertex.count;
    header_.width = vertex.count;
  }

  void read_row(const PlyElement& vertex, ChunkBuffer& buffer) {
    std::string_view line;
    if (!next_ply_line(reader_, line)) refuse_end(vertex, left_);
    split_blanks(line, words_);
    const std::size_t row = buffer.size();
    buffer.extend(1);
    std::size_t at = 0;
    for (const PlyProperty& p : vertex.properties) {
      if (at >= words_.size()) {
        refuse_line(
            fmt::format("ends before property '{}': has {} values; was the file cut off?", p.name, words_.size()));
      }
      if (p.count_type) {
        std::uint64_t length = 0;
        if (!parse_count(words_[at], length))
          refuse_line(fmt::format("list length {} is not a count", in_quotes(words_[at])));
        if (length > words_.size() - at - 1) {
          refuse_line(fmt::format("list '{}' claims {} values, {} follow", p.name, length, words_.size() - at - 1));
        }
        at += 1 + static_cast<std::size_t>(length);
        continue;
      }
      if (const char* why = parse_into(words_[at], p.type, p.target, buffer, row)) {
        refuse_line(fmt::format("{} for property '{}' {}", in_quotes(words_[at]), p.name, why));
      }
      ++at;
    }
    if (at != words_.size()) refuse_line(fmt::format("has {} values, its element has {}", words_.size(), at));
    --left_;
  }

  void read_records(ChunkBuffer& buffer) {
    const std::size_t size = ply_.elements[vertex_].min_size();
    const std::size_t count = std::min<std::uint64_t>(left_, buffer.room());
    records_.resize(count * size);
    if (!reader_.take(records_.data(), records_.size())) refuse_end(ply_.elements[vertex_], left_);
    const std::size_t row = buffer.size();
    buffer.extend(count);
    decode_records(records_.data(), count, size, fields_, swap(), buffer, row);
    left_ -= count;
  }

  bool swap() const { return ply_.swaps(); }

  // One entry with lists in it.
  void read_record(const PlyElement& vertex, ChunkBuffer& buffer) {
    records_.clear();
    for (const PlyProperty& p : vertex.properties) {
      if (p.count_type) {
        if (!skip_list(p)) refuse_end(vertex, left_);
        continue;
      }
      const std::size_t at = records_.size();
      records_.resize(at + size_of(p.type));
      if (!reader_.take(records_.data() + at, size_of(p.type))) refuse_end(vertex, left_);
    }
    const std::size_t row = buffer.size();
    buffer.extend(1);
    decode_records(records_.data(), 1, records_.size(), fields_, swap(), buffer, row);
    --left_;
  }

  bool skip_list(const PlyProperty& p) {
    std::uint64_t length = 0;
    return take_ply_length(reader_, p, swap(), length) && reader_.skip(length * size_of(p.type));
  }

  ByteReader reader_;
  PlyHeader ply_;
  std::size_t vertex_ = 0;
  std::vector<RecordField> fields_;  // of the points, without lists
  std::uint64_t left_ = 0;
  bool finished_ = false;
  std::vector<std::string_view> words_;
  std::vector<char> records_;
};

}  // namespace

std::unique_ptr<CloudSource> open_ply(std::shared_ptr<const Bytes> bytes) {
  return std::make_unique<PlySource>(std::move(bytes));
}

}  // namespace graze::io
