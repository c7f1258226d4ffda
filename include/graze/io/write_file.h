// Files that are either old or new, never half.
#pragma once

#include <string>
#include <string_view>

namespace graze {

/// Writes `bytes` to a new file beside `path` and renames it over `path` when all of it is on the disk: readers, full
/// disks and interruptions see the old file or the new one. A symbolic link is followed; what is no regular file (a
/// device, a pipe) is written to directly. Throws Error naming `path` and the reason.
void write_file(const std::string& path, std::string_view bytes);

}  // namespace graze
