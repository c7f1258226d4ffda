#include "io/json_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <memory>

#include "io/bytes.h"

namespace graze::io {

std::string read_json_text(const std::string& path, std::uint64_t largest, std::string_view what) {
  const std::shared_ptr<const Bytes> bytes = Bytes::open(path);
  if (bytes->size() > largest) throw Error(path, fmt::format("{} bytes are too many for {}", bytes->size(), what));
  std::string text(static_cast<std::size_t>(bytes->size()), '\0');
  text.resize(bytes->read(0, text.data(), text.size()));
  return text;
}

void refuse_json(std::string_view text, const std::string& name, const std::string& error) {
  static constexpr std::string_view kHead = "not JSON at column ";
  std::size_t column = 0;
  if (error.starts_with(kHead)) {
    const char* end = error.data() + error.size();
    const auto [rest, status] = std::from_chars(error.data() + kHead.size(), end, column);
    if (status == std::errc()) {
      const std::string_view before = text.substr(0, column);  // which may stand behind the end
      const auto line = std::count(before.begin(), before.end(), '\n') + 1;
      throw Error(name, static_cast<std::size_t>(line), "not JSON" + std::string(rest, end));
    }
  }
  throw Error(name, error);
}

}  // namespace graze::io
