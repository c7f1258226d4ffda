// Walking through the chunks of a source.
#pragma once

#include <functional>
#include <optional>

#include "io/cloud_facts.h"
#include "io/cloud_source.h"

namespace graze::io {

/// What is done to points while they are read; see ReadCloudOptions.
struct Frame {
  bool apply_viewpoint = false;
  std::optional<double> unit = {};
};

/// Calls visit(buffer, index of its first point) for every chunk until it returns false, with the points in metres and
/// moved by the viewpoint if asked to. The buffer may be changed. Reports progress under `message`; throws Error if
/// cancelled, and where the points are angles.
void for_each_buffer(CloudSource& source, const Frame& frame, const Progress& progress, const std::string& message,
                     const std::function<bool(ChunkBuffer&, std::uint64_t)>& visit);

/// The header as it is after such a walk: moving points makes them doubles and their viewpoint the identity, and in
/// another unit they have no records that state the old one.
CloudHeader header_after(const CloudSource& source, const Frame& frame);

/// Ranges of the attributes, bounds and counts, chunk by chunk.
class CloudStatistics {
 public:
  explicit CloudStatistics(const std::vector<AttributeType>& attributes);
  void add(const CloudChunk& chunk);

  std::uint64_t points = 0, skipped = 0;
  Aabb bounds;
  std::vector<AttributeRange> attributes;
  std::vector<ColumnFacts> facts;  ///< of each attribute
};

}  // namespace graze::io
