// What `graze info` reports about a mesh.
#pragma once

#include <string>

#include "graze/io/mesh_file.h"
#include "progress_bar.h"

namespace graze::app {

/// Reads `path` and describes it under the name `file`: some lines of text, or one of JSON.
std::string mesh_info(const std::string& file, const std::string& path, ReadMeshOptions options, bool json,
                      ProgressBar& bar);

}  // namespace graze::app
