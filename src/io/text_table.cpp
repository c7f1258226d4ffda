#include "io/text_table.h"

#include <algorithm>

#include "io/cloud_source.h"

namespace graze::io {

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  text = text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') text = text.substr(1, text.size() - 2);
  return text;
}

std::optional<std::string_view> comment_in(std::string_view line) {
  line = trimmed(line);
  for (const std::string_view mark : {"#", "//", "%"}) {
    if (line.starts_with(mark)) return trimmed(line.substr(mark.size()));
  }
  return std::nullopt;
}

char separator_of(std::string_view line) {
  if (line.find(';') != std::string_view::npos) return ';';
  if (line.find(',') != std::string_view::npos) return ',';
  const std::size_t tab = trimmed(line).find('\t');
  return tab != std::string_view::npos && trimmed(line).find(' ') == std::string_view::npos ? '\t' : '\0';
}

void split_line(std::string_view line, char separator, std::vector<std::string_view>& words) {
  if (separator == '\0') return split_blanks(line, words);
  words.clear();
  while (true) {
    const std::size_t end = line.find(separator);
    words.push_back(trimmed(line.substr(0, end)));
    if (end == std::string_view::npos) break;
    line.remove_prefix(end + 1);
  }
}

void drop_last_if_empty(std::vector<std::string_view>& words) {
  if (words.size() > 1 && words.back().empty()) words.pop_back();
}

std::string plain_name(std::string_view name) {
  name = trimmed(name);
  const std::size_t unit = name.find_first_of("[(");
  std::string_view bare = trimmed(name.substr(0, unit));
  if (bare.size() == 1 && std::string_view("xyzXYZ").find(bare[0]) != std::string_view::npos) {
    return std::string(1, static_cast<char>(bare[0] | 32));
  }
  return std::string(name);
}

const char* parse_value(std::string_view word, char separator, double& value) {
  if (separator != ',' && word.find('.') == std::string_view::npos && std::count(word.begin(), word.end(), ',') == 1) {
    std::string point(word);
    point[point.find(',')] = '.';
    return parse_number(point, NumberType::float64, &value);
  }
  return parse_number(word, NumberType::float64, &value);
}

}  // namespace graze::io
