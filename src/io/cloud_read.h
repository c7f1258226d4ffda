// Walking through the chunks of a source.
#pragma once

#include <functional>

#include "io/cloud_source.h"

namespace graze::io {

/// Calls visit(buffer, index of its first point) for every chunk until it returns false; moves the points by the
/// viewpoint if asked to. The buffer may be changed. Reports progress under `message`; throws Error if cancelled.
void for_each_buffer(CloudSource& source, bool apply_viewpoint, const Progress& progress, const std::string& message,
                     const std::function<bool(ChunkBuffer&, std::uint64_t)>& visit);

/// The header as it is after such a walk: moving points makes them doubles and their viewpoint the identity.
CloudHeader header_after(const CloudSource& source, bool apply_viewpoint);

/// Ranges of the attributes, bounds and counts, chunk by chunk.
class CloudStatistics {
 public:
  explicit CloudStatistics(const std::vector<AttributeType>& attributes);
  void add(const CloudChunk& chunk);

  std::uint64_t points = 0, skipped = 0;
  Aabb bounds;
  std::vector<AttributeRange> attributes;
  std::vector<bool> whole;  ///< for each attribute, whether all of its values are whole numbers
};

}  // namespace graze::io
