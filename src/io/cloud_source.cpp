#include "io/cloud_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "graze/base/error.h"
#include "io/cloud_names.h"
#include "io/json_line.h"
#include "io/ply_header.h"

namespace graze::io {
namespace {

template <class T>
T swapped(T value) {
  auto bytes = std::bit_cast<std::array<char, sizeof(T)>>(value);
  std::reverse(bytes.begin(), bytes.end());
  return std::bit_cast<T>(bytes);
}

// The double or float nearest to a decimal number; null if all is well.
template <class T>
const char* parse_float(std::string_view token, T& value) {
  const auto [end, fault] = std::from_chars(token.data(), token.data() + token.size(), value);
  if (fault == std::errc() && end == token.data() + token.size()) return nullptr;
  if (fault == std::errc::result_out_of_range && end == token.data() + token.size()) {
    // Too near to zero is zero; only then the mantissa's exponent, stated or not, is negative.
    const std::size_t e = token.find_first_of("eE");
    const bool tiny = e != std::string_view::npos ? token.substr(e + 1).starts_with('-')
                                                  : token.starts_with("0.") || token.starts_with("-0.");
    value = 0;
    return tiny ? nullptr : "is too large";
  }
  // What Microsoft's printf made of NaN and infinity: 1.#QNAN, -1.#IND, 1.#INF
  if (token.find("1.#") != std::string_view::npos) {
    value = std::numeric_limits<T>::quiet_NaN();
    return nullptr;
  }
  return "is not a number";
}

template <class T>
const char* parse_integer(std::string_view token, T& value) {
  const auto [end, fault] = std::from_chars(token.data(), token.data() + token.size(), value);
  if (fault == std::errc() && end == token.data() + token.size()) return nullptr;
  // Some writers print whole numbers as 12.0 or 1e3.
  double number = 0;
  if (const char* why = parse_float(token, number)) return why;
  const double lowest = static_cast<double>(std::numeric_limits<T>::min());
  const double above = std::ldexp(1.0, std::numeric_limits<T>::digits);  // the first value that does not fit
  if (!(number >= lowest && number < above)) return "does not fit its declared type";
  if (number != std::trunc(number)) return "is not a whole number, as its declared type requires";
  value = static_cast<T>(number);
  return nullptr;
}

}  // namespace

ChunkBuffer::ChunkBuffer(const std::vector<AttributeType>& attributes, std::uint64_t max_rows) {
  constexpr std::size_t kBytes = std::size_t{1} << 20;
  std::size_t row = 3 * sizeof(double);
  for (const AttributeType& a : attributes) row += size_of(a.type);
  const auto rows = static_cast<std::size_t>(std::min<std::uint64_t>({kBytes / row, kMaxRows, max_rows}));
  capacity_ = std::max<std::size_t>(1, rows);
  points_.resize(3 * capacity_);
  for (const AttributeType& a : attributes) {
    types_.push_back(a.type);
    columns_.emplace_back(capacity_ * size_of(a.type));
  }
}

std::size_t ChunkBuffer::drop_skipped() {
  std::size_t kept = 0;
  for (std::size_t row = 0; row < size_; ++row) {
    const double* p = point(row);
    if (!std::isfinite(p[0]) || !std::isfinite(p[1]) || !std::isfinite(p[2])) continue;
    if (kept != row) {
      std::memcpy(point(kept), p, 3 * sizeof(double));
      for (std::size_t k = 0; k < types_.size(); ++k) std::memcpy(value(k, kept), value(k, row), size_of(types_[k]));
    }
    ++kept;
  }
  const std::size_t all = std::exchange(size_, kept);
  return all - kept;
}

CloudChunk ChunkBuffer::chunk(std::uint64_t first) {
  views_.clear();
  for (std::size_t k = 0; k < types_.size(); ++k) {
    views_.push_back({types_[k], columns_[k].data(), size_, static_cast<std::ptrdiff_t>(size_of(types_[k]))});
  }
  return {first, PointView(points_.data(), size_), views_};
}

void decode_records(const char* records, std::size_t count, std::size_t stride, const std::vector<RecordField>& fields,
                    bool swap, ChunkBuffer& buffer, std::size_t row) {
  for (const RecordField& field : fields) {
    if (field.target == kNowhere) continue;
    const char* from = records + field.offset;
    visit_number(field.type, [&](auto zero) {
      using T = decltype(zero);
      const auto read = [&](std::size_t i) {
        const T value = load_unaligned<T>(from + i * stride);
        return swap ? swapped(value) : value;
      };
      if (field.target < kAttribute) {
        double* to = buffer.point(row) + field.target;
        for (std::size_t i = 0; i < count; ++i) to[3 * i] = static_cast<double>(read(i));
      } else {
        std::byte* to = buffer.value(static_cast<std::size_t>(field.target - kAttribute), row);
        for (std::size_t i = 0; i < count; ++i) {
          const T value = read(i);
          std::memcpy(to + i * sizeof(T), &value, sizeof(T));
        }
      }
    });
  }
}

const char* parse_number(std::string_view token, NumberType type, void* to) {
  if (token.starts_with('+') && !token.starts_with("+-")) token.remove_prefix(1);
  return visit_number(type, [&](auto value) -> const char* {
    const char* why = nullptr;
    if constexpr (std::is_floating_point_v<decltype(value)>) {
      why = parse_float(token, value);
    } else {
      why = parse_integer(token, value);
    }
    if (why == nullptr) std::memcpy(to, &value, sizeof value);
    return why;
  });
}

const char* parse_into(std::string_view token, NumberType type, int target, ChunkBuffer& buffer, std::size_t row) {
  if (target == kNowhere) return nullptr;
  if (target >= kAttribute) {
    return parse_number(token, type, buffer.value(static_cast<std::size_t>(target - kAttribute), row));
  }
  std::uint64_t raw = 0;
  if (const char* why = parse_number(token, type, &raw)) return why;
  buffer.point(row)[target] = load_as_double(&raw, type);
  return nullptr;
}

bool parse_count(std::string_view token, std::uint64_t& count) {
  const auto [end, fault] = std::from_chars(token.data(), token.data() + token.size(), count);
  return fault == std::errc() && end == token.data() + token.size() && count <= (std::uint64_t{1} << 63);
}

void split_blanks(std::string_view line, std::vector<std::string_view>& words) {
  words.clear();
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  for (std::size_t i = 0; i < line.size();) {
    if (blank(line[i])) {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < line.size() && !blank(line[end])) ++end;
    words.push_back(line.substr(i, end - i));
    i = end;
  }
}

int CloudSource::add_attribute(std::string name, NumberType type, const std::string& file) {
  if (header_.attributes.size() >= kMaxColumns) {
    throw Error(file, fmt::format("has more than {} columns per point; graze reads at most that many", kMaxColumns));
  }
  const auto taken = [&](const std::string& text) {
    return is_axis(text) || std::any_of(header_.attributes.begin(), header_.attributes.end(),
                                        [&](const AttributeType& a) { return a.name == text; });
  };
  if (name.empty()) name = "unnamed";
  std::string unique = name;
  for (int i = 2; taken(unique); ++i) unique = fmt::format("{}_{}", name, i);
  constexpr std::size_t kMaxNotes = 16;
  if (unique != name && header_.notes.size() < kMaxNotes) {
    header_.notes.push_back(fmt::format("a further column {} is read as {}", in_quotes(name), in_quotes(unique)));
  }
  header_.attributes.push_back({std::move(unique), type});
  return kAttribute + static_cast<int>(header_.attributes.size()) - 1;
}

std::string in_quotes(std::string_view text) {
  std::string printable;
  for (const char c : shortened(text, 40)) printable += static_cast<unsigned char>(c) < 32 || c == 127 ? '?' : c;
  return "'" + printable + "'";
}

std::string extension_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  const std::size_t dot = name.rfind('.');
  if (dot == std::string::npos || dot == 0) return {};
  std::string extension = name.substr(dot + 1);
  for (char& c : extension) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return extension;
}

namespace {

// Whether the first line that is no comment is one of a PCD header.
bool looks_like_pcd(std::string_view start) {
  if (start.starts_with("# .PCD")) return true;
  while (!start.empty()) {
    const std::size_t end = std::min(start.find('\n'), start.size());
    const std::string_view line = start.substr(0, end);
    start.remove_prefix(std::min(end + 1, start.size()));
    if (line.empty() || line.starts_with('#') || line == "\r") continue;
    return line.starts_with("VERSION ") || line.starts_with("FIELDS ") || line.starts_with("COLUMNS ");
  }
  return false;
}

std::unique_ptr<CloudSource> opened(std::shared_ptr<const Bytes> bytes) {
  const std::string& name = bytes->name();
  if (bytes->size() == 0) throw Error(name, "is empty; a cloud of no points has at least a header");
  std::string start(4096, '\0');
  start.resize(bytes->read(0, start.data(), start.size()));
  if (looks_like_ply(start)) return open_ply(std::move(bytes));
  if (start.starts_with("LASF")) return open_las(std::move(bytes));
  if (start.starts_with("ASTM-E57")) return open_e57(std::move(bytes));
  if (looks_like_pcd(start)) return open_pcd(std::move(bytes));
  if (start.starts_with("\x1f\x8b")) throw Error(name, "is packed with gzip; unpack it first: gunzip");
  if (start.starts_with("PK\x03\x04")) throw Error(name, "is a zip archive; unpack it first: unzip");
  const std::string extension = extension_of(name);
  if (extension == "ply") return open_ply(std::move(bytes));
  if (extension == "pcd") return open_pcd(std::move(bytes));
  if (extension == "las" || extension == "laz") return open_las(std::move(bytes));
  for (const char* mesh : {"obj", "stl", "off", "dae", "gltf", "glb", "3mf"}) {
    if (extension == mesh) throw Error(name, "is a mesh by its name, not a cloud of points");
  }
  if (start.find('\0') != std::string::npos) {
    throw Error(name,
                "is not a point cloud that graze can read: PLY, PCD, LAS, LAZ, E57, or text with numbers in columns");
  }
  return extension == "ptx" || looks_like_ptx(bytes) ? open_ptx(std::move(bytes)) : open_text(std::move(bytes));
}

}  // namespace

std::unique_ptr<CloudSource> open_cloud(std::shared_ptr<const Bytes> bytes) {
  std::string name = bytes->name();
  std::unique_ptr<CloudSource> source = opened(std::move(bytes));
  source->set_name(std::move(name));
  return source;
}

}  // namespace graze::io
