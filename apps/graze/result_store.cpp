#include "result_store.h"

#include <fmt/format.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "graze/base/error.h"
#include "graze/io/write_file.h"
#include "sha256.h"

namespace graze::app {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMagic = "graze clearance block 1\n";
constexpr const char* kRunFile = "run";

struct Record {
  std::uint32_t offset, pose, element;
  float fraction;
  double clearance;
};
static_assert(sizeof(Record) == 24);

// block-000123, with nothing behind it.
bool is_block(const std::string& name) {
  constexpr std::string_view kPrefix = "block-";
  return name.starts_with(kPrefix) && name.size() > kPrefix.size() &&
         name.find_first_not_of("0123456789", kPrefix.size()) == std::string::npos;
}

// Also what a run that was killed left half written.
bool is_ours(const fs::path& path) {
  const std::string name = path.filename().string(), stem = name.substr(0, name.find('.'));
  return name == kRunFile || is_block(name) || (name.ends_with(".tmp") && (stem == kRunFile || is_block(stem)));
}

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

ResultStore::ResultStore(std::string folder, const std::string& fingerprint, bool resume) : folder_(std::move(folder)) {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error) throw Error(folder_, "cannot be made: " + error.message());
  std::vector<fs::path> blocks;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_, error)) {
    if (!is_ours(entry.path())) {
      throw Error(folder_, fmt::format("holds '{}', which is none of graze's; name another folder with --work",
                                       entry.path().filename().string()));
    }
    if (entry.path().filename() != kRunFile) blocks.push_back(entry.path());
  }
  if (error) throw Error(folder_, "cannot be read: " + error.message());
  const std::string before = read(fs::path(folder_) / kRunFile);
  const bool same = before == fingerprint;
  if (resume && same) {
    for (const fs::path& path : blocks) found_ += is_block(path.filename().string()) ? 1 : 0;
    return;
  }
  if (resume && !blocks.empty()) refused_ = "it was another run: its inputs or settings differ";
  if (resume && blocks.empty()) refused_ = "there is nothing of an earlier run";
  for (const fs::path& path : blocks) fs::remove(path, error);
  write_file((fs::path(folder_) / kRunFile).string(), fingerprint);
}

std::string ResultStore::file_of(std::size_t block) const {
  return (fs::path(folder_) / fmt::format("block-{:06}", block)).string();
}

void ResultStore::save(std::size_t block, std::span<const clearance::PointClearance> results) const {
  std::string bytes(kMagic);
  const auto count = static_cast<std::uint64_t>(results.size());
  bytes.append(reinterpret_cast<const char*>(&count), sizeof count);
  for (std::size_t i = 0; i < results.size(); ++i) {
    const clearance::PointClearance& r = results[i];
    if (!r.found() && !r.skipped()) continue;
    const Record record{static_cast<std::uint32_t>(i), r.pose, r.element, r.fraction, r.clearance};
    bytes.append(reinterpret_cast<const char*>(&record), sizeof record);
  }
  bytes += sha256(bytes);
  write_file(file_of(block), bytes);
}

bool ResultStore::load(std::size_t block, std::span<clearance::PointClearance> results) const {
  constexpr std::size_t kDigest = 64;
  const std::string bytes = read(file_of(block));
  const std::size_t head = kMagic.size() + sizeof(std::uint64_t);
  if (bytes.size() < head + kDigest || (bytes.size() - head - kDigest) % sizeof(Record) != 0) return false;
  const std::string_view body = std::string_view(bytes).substr(0, bytes.size() - kDigest);
  if (!body.starts_with(kMagic) || sha256(body) != bytes.substr(body.size())) return false;
  std::uint64_t count = 0;
  std::memcpy(&count, bytes.data() + kMagic.size(), sizeof count);
  if (count != results.size()) return false;
  for (clearance::PointClearance& r : results) r = {};
  for (std::size_t at = head; at < body.size(); at += sizeof(Record)) {
    Record record;
    std::memcpy(&record, bytes.data() + at, sizeof record);
    if (record.offset >= results.size()) return false;
    results[record.offset] = {record.clearance, record.pose, record.fraction, record.element};
  }
  return true;
}

void ResultStore::remove() const {
  std::error_code error;  // leftovers do no harm
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_, error)) {
    if (is_ours(entry.path())) fs::remove(entry.path(), error);
  }
  fs::remove(folder_, error);
}

}  // namespace graze::app
