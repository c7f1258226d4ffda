// Writing rows that are walked through twice: once to learn what the header must say, once to write.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "graze/io/cloud_file.h"
#include "io/cloud_source.h"

namespace graze::io {

/// Hands over all rows, in order; may be called more than once, with the same rows each time.
using Walk = std::function<void(const Progress&, const std::function<bool(ChunkBuffer&, std::uint64_t)>&)>;

/// `stored` is the type of the coordinates unless the options have one.
WriteCloudReport write_rows(const std::string& path, const std::vector<AttributeType>& attributes, NumberType stored,
                            const Walk& walk, const WriteCloudOptions& options);

}  // namespace graze::io
