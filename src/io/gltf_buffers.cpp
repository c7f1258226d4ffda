#include "io/gltf_buffers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <utility>

#include "graze/base/error.h"
#include "graze/base/number.h"
#include "io/cloud_source.h"

namespace graze::io {
namespace {

constexpr int kFloat = 5126;

NumberType type_of(int component, const GltfValue& accessor) {
  switch (component) {
    case 5120:
      return NumberType::int8;
    case 5121:
      return NumberType::uint8;
    case 5122:
      return NumberType::int16;
    case 5123:
      return NumberType::uint16;
    case 5125:
      return NumberType::uint32;
    case kFloat:
      return NumberType::float32;
    default:
      accessor.refuse(fmt::format("componentType {} is unknown", component));
  }
}

int component_of(const GltfValue& accessor) {
  return static_cast<int>(std::min<std::uint64_t>(accessor.integer("componentType"), 1 << 20));
}

int check_index_type(const GltfValue& owner) {
  const int component = component_of(owner);
  if (component != 5121 && component != 5123 && component != 5125) {
    owner.refuse(fmt::format("componentType {} is not an index type", component));
  }
  return component;
}

// Integers that stand for [-1, 1] or [0, 1].
double normal_value(double value, NumberType type) {
  switch (type) {
    case NumberType::int8:
      return std::max(value / 127, -1.0);
    case NumberType::uint8:
      return value / 255;
    case NumberType::int16:
      return std::max(value / 32767, -1.0);
    case NumberType::uint16:
      return value / 65535;
    default:
      return value;
  }
}

// What stands behind "base64,"; nothing if it is none.
std::unique_ptr<std::string> decode_base64(std::string_view text) {
  auto bytes = std::make_unique<std::string>();
  bytes->reserve(text.size() / 4 * 3 + 3);
  while (text.ends_with('=')) text.remove_suffix(1);
  std::uint32_t bits = 0;
  int held = 0;
  for (const char c : text) {
    std::uint32_t six = 0;
    if (c >= 'A' && c <= 'Z') {
      six = static_cast<std::uint32_t>(c - 'A');
    } else if (c >= 'a' && c <= 'z') {
      six = static_cast<std::uint32_t>(c - 'a' + 26);
    } else if (c >= '0' && c <= '9') {
      six = static_cast<std::uint32_t>(c - '0' + 52);
    } else if (c == '+' || c == '-') {
      six = 62;
    } else if (c == '/' || c == '_') {
      six = 63;
    } else {
      return nullptr;
    }
    bits = bits << 6 | six;
    held += 6;
    if (held >= 8) {
      held -= 8;
      bytes->push_back(static_cast<char>(bits >> held & 0xFF));
    }
  }
  return bytes;
}

// %20 and the like; nothing if it is malformed.
std::optional<std::string> unescaped(std::string_view uri) {
  std::string text;
  const auto digit = [](char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
  };
  for (std::size_t i = 0; i < uri.size(); ++i) {
    if (uri[i] != '%') {
      text += uri[i];
      continue;
    }
    if (i + 2 >= uri.size() || digit(uri[i + 1]) < 0 || digit(uri[i + 2]) < 0) return std::nullopt;
    text += static_cast<char>(digit(uri[i + 1]) * 16 + digit(uri[i + 2]));
    i += 2;
  }
  return text;
}

}  // namespace

/// `count` entries of `width` numbers each.
struct GltfBuffers::Layout {
  ByteRange range;
  std::uint64_t count = 0, stride = 0;
  NumberType type = NumberType::float32;
};

GltfBuffers::GltfBuffers(MeshReading& reading, const GltfValue& root, ByteRange binary, const std::string* folder)
    : reading_(reading), root_(root), binary_(std::move(binary)), folder_(folder), buffers_(root.count("buffers")) {}

const ByteRange& GltfBuffers::buffer(std::uint64_t index) {
  const GltfValue entry = root_.entry("buffers", index);
  ByteRange& known = buffers_[static_cast<std::size_t>(index)];
  if (known.bytes) return known;
  const std::uint64_t length = entry.integer("byteLength");
  ByteRange range;
  if (entry.find("uri")) {
    range = fetch(entry, entry.text_or("uri", ""));
  } else {
    if (index != 0 || !binary_.bytes) entry.refuse("has no uri, and the file holds no binary part for it");
    range = binary_;
  }
  if (length > range.size) {
    entry.refuse(fmt::format("claims {} bytes, but there are {}; was the file cut off?", length, range.size));
  }
  range.size = length;
  return known = range;
}

ByteRange GltfBuffers::fetch(const GltfValue& buffer, const std::string& uri) {
  if (!uri.starts_with("data:")) return open_beside(buffer, uri);
  const std::size_t comma = uri.find(',');
  if (comma == std::string::npos || !std::string_view(uri).substr(0, comma).ends_with(";base64")) {
    buffer.refuse("its uri is not base64 data");
  }
  std::unique_ptr<std::string> bytes = decode_base64(std::string_view(uri).substr(comma + 1));
  if (!bytes) buffer.refuse("its uri is not well-formed base64");
  decoded_.push_back(std::move(bytes));
  return {Bytes::of(*decoded_.back(), reading_.name()), 0, decoded_.back()->size()};
}

ByteRange GltfBuffers::open_beside(const GltfValue& buffer, const std::string& uri) {
  namespace fs = std::filesystem;
  if (folder_ == nullptr)
    buffer.refuse(fmt::format("lies in another file, {}, and only this one is read", in_quotes(uri)));
  const std::optional<std::string> text = unescaped(uri);
  if (!text || text->find('\0') != std::string::npos || text->find("://") != std::string::npos) {
    buffer.refuse(fmt::format("{} is not a file name", in_quotes(uri)));
  }
  std::error_code fault;
  // With all links followed: what is named must lie in the folder, wherever the name leads.
  const fs::path home = fs::canonical(*folder_, fault);
  const fs::path file = fault ? fs::path() : fs::canonical(home / *text, fault);
  if (fault) buffer.refuse(fmt::format("{} cannot be read: {}", in_quotes(uri), fault.message()));
  const fs::path from_home = file.lexically_relative(home);
  if (from_home.empty() || *from_home.begin() == ".." || fs::path(*text).is_absolute()) {
    buffer.refuse(fmt::format("{} lies outside of the folder of the file and is not read", in_quotes(uri)));
  }
  if (!fs::is_regular_file(file, fault)) buffer.refuse(fmt::format("{} is not a file", in_quotes(uri)));
  const std::shared_ptr<const Bytes> bytes = Bytes::open(file.string());
  reading_.widen(bytes->size());
  return {bytes, 0, bytes->size()};
}

GltfBuffers::Layout GltfBuffers::layout_of(const GltfValue& accessor, const GltfValue& view_owner, std::uint64_t view,
                                           std::uint64_t offset, std::uint64_t count, int component, int width) {
  const GltfValue entry = root_.entry("bufferViews", view);
  const NumberType type = type_of(component, accessor);
  const std::uint64_t size = size_of(type) * static_cast<std::uint64_t>(width);
  const std::uint64_t stride = entry.integer_or("byteStride", size);
  const std::uint64_t begin = entry.integer_or("byteOffset", 0), length = entry.integer("byteLength");
  const ByteRange& whole = buffer(entry.integer("buffer"));
  if (begin > whole.size || length > whole.size - begin) {
    entry.refuse(
        fmt::format("reaches from byte {} on over {} bytes, but its buffer has {}", begin, length, whole.size));
  }
  if (stride < size || stride > 4096) entry.refuse(fmt::format("byteStride {} does not fit", stride));
  const bool fits =
      count == 0 || (offset <= length && size <= length - offset && (count - 1) <= (length - offset - size) / stride);
  if (!fits) {
    view_owner.refuse(fmt::format("claims {} entries from byte {} on, more than the {} bytes of its bufferView hold",
                                  count, offset, length));
  }
  return {{whole.bytes, whole.offset + begin + offset, length - std::min(offset, length)}, count, stride, type};
}

std::uint64_t GltfBuffers::count(std::uint64_t accessor) const {
  return root_.entry("accessors", accessor).integer("count");
}

void GltfBuffers::read_vectors(const Layout& layout, bool normalized, std::size_t width, double* to) {
  ByteReader reader(layout.range.bytes, layout.range.offset);
  const std::size_t size = size_of(layout.type);
  char raw[16];
  for (std::uint64_t i = 0; i < layout.count; ++i) {
    if (!reader.take(raw, width * size)) throw Error(reading_.name(), "became shorter while it was read");
    for (std::size_t k = 0; k < width; ++k) {
      const double value = load_as_double(raw + k * size, layout.type);
      *to++ = normalized ? normal_value(value, layout.type) : value;
    }
    if (i + 1 < layout.count) reader.skip(layout.stride - width * size);
  }
}

std::vector<double> GltfBuffers::vectors(std::uint64_t index, std::size_t width) {
  const GltfValue accessor = root_.entry("accessors", index);
  if (accessor.text_or("type", "") != fmt::format("VEC{}", width))
    accessor.refuse(fmt::format("must be of type VEC{}", width));
  if (accessor.find("sparse")) accessor.refuse("sparse numbers of instances are not read");
  const Layout layout =
      layout_of(accessor, accessor, accessor.integer("bufferView"), accessor.integer_or("byteOffset", 0),
                accessor.integer("count"), component_of(accessor), static_cast<int>(width));
  std::vector<double> numbers(static_cast<std::size_t>(layout.count) * width);
  read_vectors(layout, accessor.flag_or("normalized", false), width, numbers.data());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (!std::isfinite(numbers[i])) accessor.refuse(fmt::format("entry {} is not finite", i / width));
  }
  return numbers;
}

void GltfBuffers::append_points(std::uint64_t index, TriangleList& to) {
  const GltfValue accessor = root_.entry("accessors", index);
  if (accessor.text_or("type", "") != "VEC3") accessor.refuse("must be of type VEC3, to be positions");
  const int component = component_of(accessor);
  const bool normalized = accessor.flag_or("normalized", false);
  const std::uint64_t count = accessor.integer("count");
  const std::size_t first = to.vertices.size();
  const std::optional<GltfValue> view = accessor.find("bufferView");
  if (view) {
    const Layout layout =
        layout_of(accessor, accessor, view->as_integer(), accessor.integer_or("byteOffset", 0), count, component, 3);
    // Only now that the count is known to be backed by bytes, and one by one: the budget may end.
    for (std::uint64_t i = 0; i < count; ++i) reading_.add_vertex(to, Vec3::Zero());
    if (count > 0) read_vectors(layout, normalized, 3, to.vertices[first].data());
  } else {
    for (std::uint64_t i = 0; i < count; ++i) reading_.add_vertex(to, Vec3::Zero());
  }
  if (accessor.find("sparse")) append_sparse(accessor, first, component, normalized, to);
  for (std::size_t i = first; i < to.vertices.size(); ++i) {
    if (!to.vertices[i].allFinite()) accessor.refuse(fmt::format("position {} is not finite", i - first));
  }
}

// Replaces some of the points from `first` on.
void GltfBuffers::append_sparse(const GltfValue& accessor, std::size_t first, int component, bool normalized,
                                TriangleList& to) {
  const GltfValue sparse = accessor.required("sparse");
  const std::uint64_t count = sparse.integer("count");
  const GltfValue where = sparse.required("indices"), what = sparse.required("values");
  const Layout places = layout_of(where, where, where.integer("bufferView"), where.integer_or("byteOffset", 0), count,
                                  check_index_type(where), 1);
  const Layout values =
      layout_of(accessor, what, what.integer("bufferView"), what.integer_or("byteOffset", 0), count, component, 3);
  std::vector<std::uint32_t> indices;
  read_integers(places, indices);
  std::vector<Vec3> points(indices.size());
  if (!points.empty()) read_vectors(values, normalized, 3, points[0].data());
  for (std::size_t i = 0; i < indices.size(); ++i) {
    if (indices[i] >= to.vertices.size() - first) {
      where.refuse(fmt::format("refers to entry {}, but there are {}", indices[i], to.vertices.size() - first));
    }
    to.vertices[first + indices[i]] = points[i];
  }
}

void GltfBuffers::read_integers(const Layout& layout, std::vector<std::uint32_t>& to) {
  ByteReader reader(layout.range.bytes, layout.range.offset);
  const std::size_t size = size_of(layout.type);
  to.reserve(to.size() + static_cast<std::size_t>(layout.count));
  char raw[4];
  for (std::uint64_t i = 0; i < layout.count; ++i) {
    if (!reader.take(raw, size)) throw Error(reading_.name(), "became shorter while it was read");
    to.push_back(static_cast<std::uint32_t>(load_as_double(raw, layout.type)));
    if (i + 1 < layout.count) reader.skip(layout.stride - size);
  }
}

void GltfBuffers::append_indices(std::uint64_t index, std::vector<std::uint32_t>& to) {
  const GltfValue accessor = root_.entry("accessors", index);
  if (accessor.text_or("type", "") != "SCALAR") accessor.refuse("must be of type SCALAR, to be indices");
  const int component = check_index_type(accessor);
  if (accessor.find("sparse")) accessor.refuse("sparse indices are not read");
  const std::uint64_t view = accessor.integer("bufferView");
  read_integers(layout_of(accessor, accessor, view, accessor.integer_or("byteOffset", 0), accessor.integer("count"),
                          component, 1),
                to);
}

}  // namespace graze::io
