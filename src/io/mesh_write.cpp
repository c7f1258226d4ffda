#include <fmt/format.h>

#include <algorithm>

#include "graze/base/error.h"
#include "graze/io/mesh_file.h"
#include "graze/io/write_file.h"
#include "io/cloud_sink.h"
#include "io/cloud_source.h"

namespace graze {
namespace {

using io::append_bytes;
using io::append_number;

constexpr std::size_t kRowsAtOnce = 4096;

MeshFormat format_for(const std::string& path, const std::optional<MeshFormat>& asked) {
  if (asked) {
    if (*asked == MeshFormat::dae || *asked == MeshFormat::gltf || *asked == MeshFormat::threemf) {
      throw Error(path, fmt::format("graze does not write {}; it writes STL, OBJ, PLY and OFF", name_of(*asked)));
    }
    return *asked;
  }
  const std::string extension = io::extension_of(path);
  if (extension == "stl") return MeshFormat::stl;
  if (extension == "obj") return MeshFormat::obj;
  if (extension == "ply") return MeshFormat::ply;
  if (extension == "off") return MeshFormat::off;
  throw Error(
      path,
      "its name does not indicate a mesh format that graze writes; end it in .stl, .obj, .ply or .off, or state "
      "the format");
}

MeshEncoding encoding_for(const std::string& path, MeshFormat format, const std::optional<MeshEncoding>& asked) {
  const bool text_only = format == MeshFormat::obj || format == MeshFormat::off;
  const MeshEncoding encoding = asked.value_or(text_only ? MeshEncoding::ascii : MeshEncoding::binary);
  const bool there =
      encoding == MeshEncoding::ascii || (encoding == MeshEncoding::binary && !text_only) || format == MeshFormat::ply;
  if (!there) throw Error(path, fmt::format("there is no {} form of {}", name_of(encoding), name_of(format)));
  return encoding;
}

class MeshWriter {
 public:
  MeshWriter(const std::string& path, std::span<const Vec3> vertices, std::span<const MeshTriangle> triangles,
             const WriteMeshOptions& options)
      : path_(path),
        vertices_(vertices),
        triangles_(triangles),
        progress_(options.progress),
        format_(format_for(path, options.format)),
        encoding_(encoding_for(path, format_, options.encoding)),
        type_(format_ == MeshFormat::stl ? NumberType::float32 : options.coordinates.value_or(NumberType::float64)),
        round_(type_) {
    if (type_ != NumberType::float32 && type_ != NumberType::float64) {
      throw Error(path, "coordinates are written as float32 or float64");
    }
    if (vertices.size() > 0xFFFFFFFF || triangles.size() > 0xFFFFFFFF)
      throw Error(path, "more than 2^32 cannot be written");
    for (std::size_t i = 0; i < triangles.size(); ++i) {
      for (const std::uint32_t index : triangles[i]) {
        if (index >= vertices.size()) {
          throw Error(path,
                      fmt::format("triangle {} refers to vertex {}, but there are {}", i, index, vertices.size()));
        }
      }
    }
  }

  WriteMeshReport write() {
    FileWriter file(path_);
    progress_.report(0, "writing " + path_);
    switch (format_) {
      case MeshFormat::stl:
        write_stl(file);
        break;
      case MeshFormat::obj:
        write_obj(file);
        break;
      case MeshFormat::ply:
        write_ply(file);
        break;
      default:
        write_off(file);
        break;
    }
    file.commit();
    progress_.report(1);
    return {vertices_.size(), triangles_.size(), rounding_};
  }

 private:
  // Calls one(i) for each of `count` rows and writes what they append to text_.
  template <class One>
  void rows(FileWriter& file, std::size_t count, double from, double to, One one) {
    for (std::size_t i = 0; i < count; ++i) {
      one(i);
      if ((i + 1) % kRowsAtOnce != 0 && i + 1 != count) continue;
      file.write(text_);
      text_.clear();
      const double done = from + (to - from) * static_cast<double>(i + 1) / static_cast<double>(count);
      if (!progress_.report(std::min(done, 0.999))) throw Error("writing " + path_, "was cancelled");
    }
  }

  bool ascii() const { return encoding_ == MeshEncoding::ascii; }

  void add_point(const Vec3& vertex) {
    const Vec3 p = round_(vertex, rounding_);
    for (int k = 0; k < 3; ++k) {
      const auto single = static_cast<float>(p[k]);
      const void* value = type_ == NumberType::float32 ? static_cast<const void*>(&single) : &p[k];
      if (ascii()) {
        append_number(text_, value, type_);
        text_ += k < 2 ? ' ' : '\n';
      } else {
        append_bytes(text_, value, size_of(type_), encoding_ == MeshEncoding::binary_big_endian);
      }
    }
  }

  Vec3 normal(const MeshTriangle& t) const {
    const Vec3 n = (vertices_[t[1]] - vertices_[t[0]]).cross(vertices_[t[2]] - vertices_[t[0]]);
    return n.norm() > 0 ? Vec3(n.normalized()) : Vec3::Zero();  // which STL has for triangles without area
  }

  void write_stl(FileWriter& file) {
    if (ascii()) {
      file.write("solid graze\n");
      rows(file, triangles_.size(), 0, 1, [&](std::size_t i) {
        const Eigen::Vector3f n = normal(triangles_[i]).cast<float>();
        text_ += fmt::format("facet normal {} {} {}\nouter loop\n", double{n.x()}, double{n.y()}, double{n.z()});
        for (const std::uint32_t corner : triangles_[i]) {
          text_ += "vertex ";
          add_point(vertices_[corner]);
        }
        text_ += "endloop\nendfacet\n";
      });
      file.write("endsolid graze\n");
      return;
    }
    // Must not start with "solid", so that no reader takes it for text.
    std::string header = "binary STL made by graze";
    header.resize(80, ' ');
    const auto count = static_cast<std::uint32_t>(triangles_.size());
    append_bytes(header, &count, sizeof count);
    file.write(header);
    rows(file, triangles_.size(), 0, 1, [&](std::size_t i) {
      const Eigen::Vector3f n = normal(triangles_[i]).cast<float>();
      for (const float x : n) append_bytes(text_, &x, sizeof x);
      for (const std::uint32_t corner : triangles_[i]) add_point(vertices_[corner]);
      text_.append(2, '\0');
    });
  }

  void write_obj(FileWriter& file) {
    file.write("# made by graze\n");
    rows(file, vertices_.size(), 0, 0.5, [&](std::size_t i) {
      text_ += "v ";
      add_point(vertices_[i]);
    });
    rows(file, triangles_.size(), 0.5, 1, [&](std::size_t i) {
      const MeshTriangle& t = triangles_[i];
      text_ += fmt::format("f {} {} {}\n", std::uint64_t{t[0]} + 1, std::uint64_t{t[1]} + 1, std::uint64_t{t[2]} + 1);
    });
  }

  void write_off(FileWriter& file) {
    file.write(fmt::format("OFF\n{} {} 0\n", vertices_.size(), triangles_.size()));
    rows(file, vertices_.size(), 0, 0.5, [&](std::size_t i) { add_point(vertices_[i]); });
    rows(file, triangles_.size(), 0.5, 1, [&](std::size_t i) {
      text_ += fmt::format("3 {} {} {}\n", triangles_[i][0], triangles_[i][1], triangles_[i][2]);
    });
  }

  void write_ply(FileWriter& file) {
    const bool big = encoding_ == MeshEncoding::binary_big_endian;
    const std::string_view number = type_ == NumberType::float32 ? "float" : "double";
    file.write(
        fmt::format("ply\nformat {} 1.0\ncomment made by graze\nelement vertex {}\nproperty {} x\nproperty {} y\n"
                    "property {} z\nelement face {}\nproperty list uchar uint vertex_indices\nend_header\n",
                    ascii() ? "ascii"
                    : big   ? "binary_big_endian"
                            : "binary_little_endian",
                    vertices_.size(), number, number, number, triangles_.size()));
    rows(file, vertices_.size(), 0, 0.5, [&](std::size_t i) { add_point(vertices_[i]); });
    rows(file, triangles_.size(), 0.5, 1, [&](std::size_t i) {
      const MeshTriangle& t = triangles_[i];
      if (ascii()) {
        text_ += fmt::format("3 {} {} {}\n", t[0], t[1], t[2]);
        return;
      }
      text_ += '\3';
      for (const std::uint32_t corner : t) append_bytes(text_, &corner, sizeof corner, big);
    });
  }

  const std::string& path_;
  std::span<const Vec3> vertices_;
  std::span<const MeshTriangle> triangles_;
  Progress progress_;
  MeshFormat format_;
  MeshEncoding encoding_;
  NumberType type_;
  io::CoordinateRounding round_;
  double rounding_ = 0;
  std::string text_;
};

}  // namespace

WriteMeshReport write_mesh(const std::string& path, std::span<const Vec3> vertices,
                           std::span<const MeshTriangle> triangles, const WriteMeshOptions& options) {
  return MeshWriter(path, vertices, triangles, options).write();
}

}  // namespace graze
