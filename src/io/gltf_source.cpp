// glTF 2.0: a JSON text that places meshes of primitives, whose numbers lie in buffers; and GLB, both in one file.
#include <fmt/format.h>

#include <cmath>
#include <map>
#include <optional>

#include "graze/base/error.h"
#include "io/cloud_source.h"
#include "io/gltf_buffers.h"
#include "io/gltf_json.h"
#include "io/mesh_source.h"

namespace graze::io {
namespace {

/// Triangles of a primitive: corners by indices, or as they come.
struct Primitive {
  std::string place;
  std::uint64_t positions = 0;
  std::optional<std::uint64_t> indices;
  std::uint64_t mode = 4;
};

struct MeshPlan {
  std::vector<Primitive> primitives;
  std::size_t lines = 0, points = 0;
};

enum Mode : std::uint64_t { kPoints = 0, kLines = 1, kLineStrip = 3, kTriangles = 4, kStrip = 5, kFan = 6 };

class GltfSource {
 public:
  GltfSource(MeshReading& reading, const Json& json, ByteRange binary, const std::string* folder)
      : reading_(reading), root_(json, reading.name()), buffers_(reading, root_, std::move(binary), folder) {}

  void read() {
    check_asset();
    plans_.resize(root_.count("meshes"));
    visited_.resize(root_.count("nodes"));
    if (root_.count("nodes") == 0) {
      for (std::size_t i = 0; i < plans_.size(); ++i) place_mesh(i, Eigen::Affine3d::Identity());
    } else if (root_.count("scenes") == 0) {
      for (const std::uint64_t node : roots()) visit(node, Eigen::Affine3d::Identity(), 0);
    } else {
      const GltfValue scene = root_.entry("scenes", root_.integer_or("scene", 0));
      if (root_.count("scenes") > 1) reading_.note("holds several scenes; only the default one is read");
      for (std::size_t i = 0; i < scene.count("nodes"); ++i) {
        visit(scene.entry("nodes", i).as_integer(), Eigen::Affine3d::Identity(), 0);
      }
    }
    for (const auto& [list, text] : {std::pair("skins", "skins are not applied: the mesh stands in its bind pose"),
                                     std::pair("animations", "animations are not applied")}) {
      if (root_.count(list) > 0) reading_.note(text);
    }
    reading_.refuse_if_empty(plans_.size(), "meshes");
  }

 private:
  static constexpr int kMaxDepth = 256;

  void check_asset() {
    const GltfValue asset = root_.required("asset");
    MeshHeader& header = reading_.header;
    header.version = asset.text_or("version", "");
    if (!header.version.starts_with("2."))
      asset.refuse(fmt::format("glTF version {} is not 2", in_quotes(header.version)));
    header.unit_source = header.up_source = MeshHeader::Source::format;
    header.up = UpAxis::y;
    for (std::size_t i = 0; i < root_.count("extensionsRequired"); ++i) {
      const GltfValue entry = root_.entry("extensionsRequired", i);
      const std::string name = root_.text_of("extensionsRequired", i);
      const bool looks = name.starts_with("KHR_materials_") || name.starts_with("KHR_texture_") ||
                         name.starts_with("EXT_texture_") || name == "KHR_lights_punctual";
      if (!looks && name != "KHR_mesh_quantization" && name != "EXT_mesh_gpu_instancing") {
        entry.refuse(fmt::format("needs the extension {}, which graze does not know", in_quotes(name)));
      }
    }
  }

  // Nodes without a parent.
  std::vector<std::uint64_t> roots() const {
    std::vector<bool> child(root_.count("nodes"));
    for (std::size_t i = 0; i < child.size(); ++i) {
      const GltfValue node = root_.entry("nodes", i);
      for (std::size_t k = 0; k < node.count("children"); ++k) {
        const std::uint64_t index = node.entry("children", k).as_integer();
        if (index < child.size()) child[static_cast<std::size_t>(index)] = true;
      }
    }
    std::vector<std::uint64_t> result;
    for (std::size_t i = 0; i < child.size(); ++i) {
      if (!child[i]) result.push_back(i);
    }
    return result;
  }

  void visit(std::uint64_t index, const Eigen::Affine3d& parent, int depth) {
    const GltfValue node = root_.entry("nodes", index);
    // Nodes are trees: what has two parents, or is among its own children, would never end or grow without bounds.
    if (visited_[static_cast<std::size_t>(index)]) node.refuse("is the child of more than one node");
    visited_[static_cast<std::size_t>(index)] = true;
    if (depth > kMaxDepth) node.refuse(fmt::format("stands more than {} nodes deep", kMaxDepth));
    const Eigen::Affine3d to_world = parent * transform_of(node);
    if (const std::optional<GltfValue> mesh = node.find("mesh")) {
      const std::uint64_t which = mesh->as_integer();
      if (which >= plans_.size())
        mesh->refuse(fmt::format("refers to mesh {}, but there are {}", which, plans_.size()));
      const std::optional<GltfValue> extensions = node.find("extensions");
      const std::optional<GltfValue> instances =
          extensions ? extensions->find("EXT_mesh_gpu_instancing") : std::nullopt;
      if (instances) place_instances(*instances, static_cast<std::size_t>(which), to_world);
      else place_mesh(static_cast<std::size_t>(which), to_world);
    }
    for (std::size_t i = 0; i < node.count("children"); ++i) {
      visit(node.entry("children", i).as_integer(), to_world, depth + 1);
    }
  }

  // One mesh many times, each with a translation, a rotation and a scale of its own.
  void place_instances(const GltfValue& instances, std::size_t mesh, const Eigen::Affine3d& to_world) {
    const GltfValue attributes = instances.required("attributes");
    std::optional<std::size_t> count;
    const auto numbers = [&](const char* name, std::size_t width) {
      if (!attributes.find(name)) return std::vector<double>();
      std::vector<double> all = buffers_.vectors(attributes.integer(name), width);
      if (count && *count != all.size() / width)
        attributes.refuse(fmt::format("{} has {} entries, others have {}", name, all.size() / width, *count));
      count = all.size() / width;
      return all;
    };
    const std::vector<double> places = numbers("TRANSLATION", 3), turns = numbers("ROTATION", 4),
                              scales = numbers("SCALE", 3);
    if (!count) attributes.refuse("states neither TRANSLATION nor ROTATION nor SCALE");
    for (std::size_t i = 0; i < *count; ++i) {
      Eigen::Affine3d own = Eigen::Affine3d::Identity();
      if (!places.empty()) own.translation() = Eigen::Map<const Vec3>(places.data() + 3 * i);
      if (!turns.empty()) {
        const double* q = turns.data() + 4 * i;
        const Eigen::Quaterniond turn(q[3], q[0], q[1], q[2]);
        if (!(turn.norm() > 0)) attributes.refuse(fmt::format("rotation {} is zero", i));
        own.linear() = turn.normalized().toRotationMatrix();
      }
      if (!scales.empty()) own.linear() *= Eigen::Map<const Vec3>(scales.data() + 3 * i).asDiagonal();
      place_mesh(mesh, to_world * own);
    }
  }

  static Eigen::Affine3d transform_of(const GltfValue& node) {
    Eigen::Affine3d result = Eigen::Affine3d::Identity();
    double m[16];
    if (node.numbers("matrix", m)) {
      result.matrix() = Eigen::Map<const Eigen::Matrix4d>(m);  // column by column, as glTF has it
      if (m[3] != 0 || m[7] != 0 || m[11] != 0 || m[15] != 1) node.refuse("its matrix is not affine");
      return result;
    }
    double t[3] = {0, 0, 0}, r[4] = {0, 0, 0, 1}, s[3] = {1, 1, 1};
    node.numbers("translation", t);
    node.numbers("rotation", r);
    node.numbers("scale", s);
    const Eigen::Quaterniond q(r[3], r[0], r[1], r[2]);
    if (!(q.norm() > 0)) node.refuse("its rotation is zero");
    result.linear() = q.normalized().toRotationMatrix() * Vec3(s[0], s[1], s[2]).asDiagonal();
    result.translation() = Vec3(t[0], t[1], t[2]);
    return result;
  }

  const MeshPlan& plan(std::size_t index) {
    if (plans_[index]) return *plans_[index];
    const GltfValue mesh = root_.entry("meshes", index);
    MeshPlan made;
    for (std::size_t i = 0; i < mesh.count("primitives"); ++i) {
      const GltfValue primitive = mesh.entry("primitives", i);
      Primitive p;
      p.place = primitive.place();
      p.mode = primitive.integer_or("mode", kTriangles);
      if (p.mode > kFan) primitive.refuse(fmt::format("mode {} is unknown", p.mode));
      if (p.mode <= kLineStrip) {
        ++(p.mode == kPoints ? made.points : made.lines);
        continue;
      }
      if (primitive.count("targets") > 0) reading_.note("morph targets are not applied");
      if (const std::optional<GltfValue> extensions = primitive.find("extensions")) {
        for (const char* packing : {"KHR_draco_mesh_compression", "EXT_meshopt_compression"}) {
          if (extensions->find(packing))
            primitive.refuse(fmt::format("is packed by {}; unpack the file first", packing));
        }
      }
      p.positions = primitive.required("attributes").integer("POSITION");
      if (const std::optional<GltfValue> indices = primitive.find("indices")) p.indices = indices->as_integer();
      // So that every primitive that is placed costs memory, which is bounded, and not time alone.
      if (buffers_.count(p.positions) == 0 || (p.indices && buffers_.count(*p.indices) < 3)) continue;
      made.primitives.push_back(std::move(p));
    }
    return plans_[index].emplace(std::move(made));
  }

  void place_mesh(std::size_t index, const Eigen::Affine3d& to_world) {
    const MeshPlan& plan = this->plan(index);
    reading_.header.lines += plan.lines;
    reading_.header.points += plan.points;
    TriangleList& mesh = reading_.mesh;
    const std::size_t first_vertex = mesh.vertices.size(), first_triangle = mesh.triangles.size();
    std::map<std::uint64_t, std::uint32_t> bases;  // of accessors that primitives share
    for (const Primitive& p : plan.primitives) {
      const auto [base, fresh] = bases.try_emplace(p.positions, static_cast<std::uint32_t>(mesh.vertices.size()));
      if (fresh) buffers_.append_points(p.positions, mesh);
      add_triangles(p, base->second, static_cast<std::uint32_t>(buffers_.count(p.positions)));
      ++reading_.header.parts;
    }
    for (std::size_t i = first_vertex; i < mesh.vertices.size(); ++i) mesh.vertices[i] = to_world * mesh.vertices[i];
    if (to_world.linear().determinant() >= 0) return;
    // Mirrored: the other way around, so that outside stays outside.
    for (std::size_t i = first_triangle; i < mesh.triangles.size(); ++i) {
      std::swap(mesh.triangles[i][1], mesh.triangles[i][2]);
    }
  }

  void add_triangles(const Primitive& p, std::uint32_t base, std::uint32_t count) {
    indices_.clear();
    if (p.indices) buffers_.append_indices(*p.indices, indices_);
    const std::size_t corners = p.indices ? indices_.size() : count;
    const auto corner = [&](std::size_t i) {
      const std::uint32_t index = p.indices ? indices_[i] : static_cast<std::uint32_t>(i);
      if (index >= count) throw Error(p.place, fmt::format("refers to vertex {}, but there are {}", index, count));
      return base + index;
    };
    if (p.mode == kTriangles) {
      if (corners % 3 != 0) throw Error(p.place, fmt::format("has {} corners, which make no whole triangles", corners));
      for (std::size_t i = 0; i + 2 < corners; i += 3) {
        reading_.add_triangle(reading_.mesh, corner(i), corner(i + 1), corner(i + 2));
      }
    }
    for (std::size_t i = 0; p.mode == kStrip && i + 2 < corners; ++i) {
      const std::size_t odd = i % 2;
      reading_.add_triangle(reading_.mesh, corner(i), corner(i + 1 + odd), corner(i + 2 - odd));
    }
    for (std::size_t i = 1; p.mode == kFan && i + 1 < corners; ++i) {
      reading_.add_triangle(reading_.mesh, corner(0), corner(i), corner(i + 1));
    }
  }

  MeshReading& reading_;
  GltfValue root_;
  GltfBuffers buffers_;
  std::vector<std::optional<MeshPlan>> plans_;
  std::vector<bool> visited_;
  std::vector<std::uint32_t> indices_;
};

std::uint32_t word_at(const Bytes& bytes, std::uint64_t offset) {
  unsigned char raw[4] = {};
  bytes.read(offset, raw, 4);
  return little_endian(raw);
}

struct GlbParts {
  ByteRange json, binary;
};

GlbParts parts_of(const std::shared_ptr<const Bytes>& bytes) {
  constexpr std::uint32_t kJson = 0x4E4F534A, kBinary = 0x004E4942;
  const std::uint64_t size = bytes->size();
  if (size < 20) throw Error(bytes->name(), "is not a complete GLB file; was it cut off?");
  if (const std::uint32_t version = word_at(*bytes, 4); version != 2) {
    throw Error(bytes->name() + ": byte 4", fmt::format("GLB version {} is not 2", version));
  }
  const std::uint64_t length = word_at(*bytes, 8);
  if (length != size) {
    throw Error(bytes->name() + ": byte 8",
                fmt::format("claims {} bytes, but the file has {}; was it cut off?", length, size));
  }
  GlbParts parts;
  for (std::uint64_t at = 12; at + 8 <= size;) {
    const std::uint64_t part = word_at(*bytes, at);
    const std::uint32_t kind = word_at(*bytes, at + 4);
    if (part > size - at - 8) {
      throw Error(fmt::format("{}: byte {}", bytes->name(), at),
                  fmt::format("claims a part of {} bytes, but {} follow", part, size - at - 8));
    }
    if (at == 12 && kind != kJson)
      throw Error(bytes->name() + ": byte 16", "the first part of a GLB file must be JSON");
    if (at == 12) parts.json = {bytes, at + 8, part};
    if (kind == kBinary && !parts.binary.bytes) parts.binary = {bytes, at + 8, part};
    at += 8 + part;
  }
  return parts;
}

}  // namespace

void read_gltf(MeshReading& reading, const std::string* folder) {
  const std::shared_ptr<const Bytes>& bytes = reading.bytes();
  char magic[4] = {};
  bytes->read(0, magic, 4);
  GlbParts parts;
  if (std::string_view(magic, 4) == "glTF") {
    reading.header.encoding = MeshEncoding::binary;
    parts = parts_of(bytes);
  } else {
    parts.json = {bytes, 0, bytes->size()};
  }
  std::string text(static_cast<std::size_t>(parts.json.size), '\0');
  text.resize(bytes->read(parts.json.offset, text.data(), text.size()));
  const JsonLine json = read_json_line(text);
  text = {};
  if (!json.error.empty()) throw Error(reading.name(), "is not glTF: " + json.error);
  GltfSource(reading, json.value, std::move(parts.binary), folder).read();
}

}  // namespace graze::io
