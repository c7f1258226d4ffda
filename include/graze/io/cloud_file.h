// Point clouds in files: PLY, PCD, LAS, LAZ, E57 and tables of text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graze/base/aabb.h"
#include "graze/base/pose.h"
#include "graze/base/progress.h"
#include "graze/geometry/cloud.h"
#include "graze/geometry/cloud_attributes.h"

namespace graze {

/// The formats of cloud files.
enum class CloudFormat : std::uint8_t { ply, pcd, las, text, e57 };
/// How a format stores its numbers.
enum class CloudEncoding : std::uint8_t { ascii, binary, binary_big_endian, compressed };
std::string_view name_of(CloudFormat format);      ///< "PLY", "PCD", "LAS", "text", "E57"
std::string_view name_of(CloudEncoding encoding);  ///< "ascii", "binary", "binary, big endian", "compressed"

/// What the coordinates of a file count. Only LAS states it: by well-known text (WKT) or GeoTIFF keys.
struct CloudUnits {
  /// What is known of the unit.
  enum class Kind : std::uint8_t {
    not_stated,  ///< the file says nothing; its numbers are taken as metres
    length,      ///< `metres` says which
    angle,       ///< x and y are longitude and latitude, or the reverse: no lengths
    unknown,  ///< the file says something that could not be understood; its numbers are taken for metres, with a note
  };
  Kind kind = Kind::not_stated;  ///< which of these
  Vec3 metres = Vec3::Ones();    ///< per unit of x, y and z; 1 unless kind is length
  std::string name;              ///< of x and y: "metre", "US survey foot", "degree"
  std::string vertical_name;     ///< of z
  bool vertical_stated = false;  ///< false: z is taken to be in the unit of x and y
  std::string source;            ///< "WKT", "GeoTIFF keys (EPSG:2994)"
};
/// One line: "US survey foot (0.30480060960121924 m), by its WKT".
std::string describe(const CloudUnits& units);

/// What a file says about itself before its points.
struct CloudHeader {
  CloudFormat format = CloudFormat::text;         ///< of the file
  CloudEncoding encoding = CloudEncoding::ascii;  ///< of the points
  std::string version;                            ///< of the format, "1.2"; empty for text
  std::uint64_t file_size = 0;                    ///< in bytes
  std::optional<std::uint64_t> points;            ///< as stated; most text does not
  NumberType coordinates = NumberType::float64;   ///< the type of x, y and z in the file; text is float64
  std::vector<AttributeType> attributes;          ///< the other columns, in the order of the file
  std::uint64_t width = 0, height = 1;            ///< PCD: rows of an organised cloud; height 1 where it is none
  std::optional<Pose> viewpoint;                  ///< PCD, where it is not the identity: stated, applied only on demand
  std::optional<Vec3> scale, offset;              ///< LAS: coordinates are integer × scale + offset
  int point_format = -1;                          ///< LAS: 0 to 10
  std::uint16_t global_encoding = 0;              ///< LAS: what kind of time gps_time is, and more
  CloudUnits units;                               ///< as the file states them, whatever was done to the points
  std::string coordinate_system;                  ///< LAS, where stated: "EPSG:2994" or a name
  std::string projection_records;                 ///< LAS: the records that state it, as they are, to be written again
  std::vector<std::string> notes;                 ///< what the file holds and graze leaves out, a sentence each
};

/// Options of readers of clouds.
struct ReadCloudOptions {
  double radius = 0;             ///< of every point, in metres
  bool attributes = true;        ///< false: coordinates only
  bool apply_viewpoint = false;  ///< PCD: moves the points from the sensor's frame to that of its viewpoint
  /// Metres per unit of the file, whatever it states itself; 1 leaves its numbers as they are. If absent, what the file
  /// states holds: feet become metres, with a note in the header, and degrees are an Error, since they are not lengths.
  std::optional<double> unit = {};
  Progress progress = {};  ///< cancelling throws Error
};

/// Reads a cloud of any of these formats; the bytes determine which one, not the name. PLY: ascii and both binary
/// orders; lists and other elements are passed over. PCD: ascii, binary, compressed; packed rgb becomes the attributes
/// red, green and blue. LAS and LAZ: 1.0 to 1.4, point formats 0 to 10, extra bytes. E57: scans at their poses. PTX
/// likewise. Text: columns apart by comma, semicolon, tab or blanks, with or without a line of names, comments after #
/// or //.
///
///     Cloud scan = read_cloud("scan.las", {.radius = 0.01});
///
/// Throws Error naming the file, the location (line or byte) and the reason. Never takes more memory than 64 MiB + 64 ×
/// the size of the file, whatever it claims.
Cloud read_cloud(const std::string& path, const ReadCloudOptions& options = {});
/// The same from bytes in memory; `name` stands for them in errors, its extension counts where the bytes do not.
Cloud parse_cloud(std::string_view bytes, const std::string& name, const ReadCloudOptions& options = {});

/// Reads the header alone.
CloudHeader read_cloud_header(const std::string& path);

/// Some consecutive points of a file; valid during the call.
struct CloudChunk {
  std::uint64_t first = 0;                 ///< index of the first point
  PointView points;                        ///< NaN where there is no point
  std::span<const ColumnView> attributes;  ///< in the order of the header
};
/// Returns whether to go on.
using ChunkVisitor = std::function<bool(const CloudChunk&)>;

/// Hands over the points of a file part by part, in memory that does not depend on how many there are.
CloudHeader for_each_chunk(const std::string& path, const ChunkVisitor& visit, const ReadCloudOptions& options = {});

/// The range of an attribute's values.
struct AttributeRange {
  AttributeType kind = {};                   ///< name and type
  double min = kInfinity, max = -kInfinity;  ///< of the values that are numbers; min > max if none is
  std::uint64_t not_a_number = 0;            ///< how many values are NaN
};

/// What scan_cloud() finds.
struct CloudInfo {
  CloudHeader header;                           ///< what the file says of itself
  std::uint64_t points = 0;                     ///< all, with those that were skipped
  std::uint64_t skipped = 0;                    ///< NaN or infinite
  Aabb bounds;                                  ///< of the points that were not skipped
  std::vector<AttributeRange> attributes = {};  ///< ranges, in the order of the file
  std::size_t spacing_samples = 0;              ///< points whose nearest neighbour was looked for; 0: none
  double spacing = 0;  ///< median distance of the sampled points from their nearest neighbours, in metres; 0 if unknown
  double density = 0;  ///< points per square metre of surface that such a spacing makes; 0 if unknown
};

/// Reads all of the file (twice, for the spacing) and keeps nothing of it. The nearest neighbours are exact, and the
/// samples are always the same.
CloudInfo scan_cloud(const std::string& path, const ReadCloudOptions& options = {});

/// Options of writers of clouds.
struct WriteCloudOptions {
  std::optional<CloudFormat> format = {};       ///< by the extension of the path if absent
  std::optional<CloudEncoding> encoding = {};   ///< binary if absent; text is ascii always
  std::optional<NumberType> coordinates = {};   ///< float32 or float64; as stored if absent. LAS has integers always
  std::optional<Vec3> scale = {}, offset = {};  ///< LAS; if absent 0.1 mm or coarser if it must, and whole metres
  std::optional<int> las_minor = {};            ///< 2 or 4; the lower one that can hold the attributes if absent
  std::optional<char> separator = {};           ///< text: comma for .csv, otherwise a blank, if absent
  bool header = true;                           ///< text: a line with the names of the columns
  bool drop_skipped = false;                    ///< leaves out what is not a point; LAS does always
  std::string projection_records = {};          ///< LAS: see CloudHeader
  std::uint16_t global_encoding = 0;            ///< LAS: see CloudHeader
  std::optional<Pose> viewpoint = {};           ///< PCD
  std::uint64_t width = 0, height = 1;          ///< PCD: rows of an organised cloud, if they make up all of its points
  Progress progress = {};                       ///< cancelling throws Error and leaves the old file
};

/// How writing went.
struct WriteCloudReport {
  std::uint64_t written = 0, dropped = 0;  ///< points
  double rounding = 0;                     ///< largest distance between a point and what was written, in metres
  std::vector<std::string> notes = {};     ///< what did not go as asked or expected, a sentence each
};

/// The format that a file of this name is written in, by its extension. Throws Error if graze writes none of that kind:
/// check it before work that takes long.
CloudFormat writable_cloud_format(const std::string& path);

/// Writes a cloud to a temporary file beside it, renamed when complete. Attributes keep their types where the format
/// has them; where it has not, an Error says so rather than losing values. Values that LAS has a field for go there by
/// name (intensity, classification, …) if all of them fit exactly, otherwise to extra bytes with another name, and all
/// other attributes to extra bytes. Names that the format would take for something else, such as X in a table, are
/// changed. The notes name each attribute that is not found under its name with its values.
///
///     write_cloud("scan.ply", cloud, {.encoding = CloudEncoding::ascii});
WriteCloudReport write_cloud(const std::string& path, const Cloud& cloud, const WriteCloudOptions& options = {});

/// Fills `points` with the points from number `first` on: the same ones whenever it is asked.
using PointMaker = std::function<void(std::uint64_t first, std::span<Vec3> points)>;

/// Writes `count` points that are made while they are written, twice each, some hundred thousand at a time: in memory
/// that does not depend on how many there are.
///
///     write_points("scan.las", tunnel.size(), [&](std::uint64_t first, std::span<Vec3> p) { tunnel.make(first, p); });
WriteCloudReport write_points(const std::string& path, std::uint64_t count, const PointMaker& make,
                              const WriteCloudOptions& options = {});

/// What a conversion does to the points: p × scale + translation.
struct ConvertCloudOptions {
  WriteCloudOptions write = {};  ///< how the result is written
  double scale = 1;
  Vec3 translation = Vec3::Zero();
  bool apply_viewpoint = false;     ///< PCD: as in ReadCloudOptions
  bool attributes = true;           ///< false: coordinates only
  std::optional<double> unit = {};  ///< as in ReadCloudOptions
};

/// Reads one file and writes another without holding the cloud in memory (but for compressed PCD, which needs all of
/// it). What the target can keep and no option overrides is kept: types, scale and offset, coordinate system,
/// viewpoint, rows. LAS to LAS keeps the numbers in the unit of the file, together with the records that state it,
/// unless they are moved, scaled or have their unit overridden; everything else is written in metres, without such
/// records if these say otherwise. The two may be the same file.
WriteCloudReport convert_cloud(const std::string& from, const std::string& to, const ConvertCloudOptions& options = {});

/// Columns that are worked out while a file is copied.
struct AddedColumns {
  std::vector<AttributeType> attributes;  ///< name and type of each column
  /// Writes one value per point into each column, of its type; `first` is the number of the first point, counted over
  /// all files. Is asked twice for every point.
  std::function<void(std::uint64_t first, const PointView& points, std::span<std::byte* const> columns)> fill;
  std::optional<double> unit = {};  ///< of all files, as in ReadCloudOptions: the copy is in metres
};

/// Copies one or more files to one, with further columns: a scan that is coloured by what was found out about it. What
/// convert_cloud keeps is kept; attributes of several files only if all have the same, and those with the names of
/// added ones are replaced. The target may be one of the files.
///
///     annotate_clouds(scans, "coloured.las", {{{"clearance", NumberType::float32}}, fill});
WriteCloudReport annotate_clouds(std::span<const std::string> from, const std::string& to, const AddedColumns& added,
                                 const WriteCloudOptions& options = {});

}  // namespace graze
