#include "io/cloud_names.h"

#include <fmt/format.h>

#include <algorithm>

namespace graze::io {

bool is_axis(std::string_view name) { return name == "x" || name == "y" || name == "z"; }

std::string_view cut_utf8(std::string_view text, std::size_t max_bytes) {
  if (text.size() <= max_bytes) return text;
  while (max_bytes > 0 && (static_cast<unsigned char>(text[max_bytes]) & 0xC0U) == 0x80U) --max_bytes;
  return text.substr(0, max_bytes);
}

bool NameBook::taken(std::string_view name) const {
  return std::find(taken_.begin(), taken_.end(), name) != taken_.end();
}

bool NameBook::free(std::string_view name) const {
  return !name.empty() && name.size() <= rule_.longest && rule_.clean(name) == name && !rule_.reserved(name) &&
         !taken(name);
}

std::string NameBook::claim_like(std::string_view name) {
  std::string base = rule_.clean(name);
  if (base.empty()) base = "unnamed";
  std::string unique(cut_utf8(base, rule_.longest));
  for (int i = 2; !free(unique); ++i) {
    const std::string suffix = fmt::format("_{}", i);
    unique = std::string(cut_utf8(base, rule_.longest - suffix.size())) + suffix;
  }
  claim(unique);
  return unique;
}

std::string renamed_note(std::string_view from, std::string_view to) {
  return fmt::format("attribute '{}' was written as '{}'", from, to);
}

std::vector<std::string> names_for(const std::vector<AttributeRange>& attributes, const NameRule& rule,
                                   std::vector<std::string>& notes) {
  NameBook book(rule);
  std::vector<std::string> names(attributes.size());
  for (std::size_t k = 0; k < attributes.size(); ++k) {
    if (!book.free(attributes[k].kind.name)) continue;
    names[k] = attributes[k].kind.name;
    book.claim(names[k]);
  }
  for (std::size_t k = 0; k < attributes.size(); ++k) {
    if (!names[k].empty()) continue;
    names[k] = book.claim_like(attributes[k].kind.name);
    notes.push_back(renamed_note(attributes[k].kind.name, names[k]));
  }
  return names;
}

}  // namespace graze::io
