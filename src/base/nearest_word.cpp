#include "graze/base/nearest_word.h"

#include <algorithm>
#include <cstddef>

namespace graze {
namespace {

std::string lower(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

// Insertions, deletions, replacements and swaps of neighbours that turn one word into the other.
std::size_t edits(const std::string& a, const std::string& b) {
  std::vector<std::size_t> before, last(b.size() + 1), now(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0U : 1U)});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) now[j] = std::min(now[j], before[j - 2] + 1);
    }
    before = last;
    last.swap(now);
  }
  return last[b.size()];
}

}  // namespace

std::optional<std::string> nearest_word(const std::string& word, const std::vector<std::string>& candidates) {
  constexpr std::size_t kShortest = 3;  // of a beginning that is enough
  constexpr std::size_t kLongest = 64;  // of a word that may be a slip of a finger
  if (word.size() > kLongest) return std::nullopt;
  const std::string typed = lower(word);
  const auto letters = [](const std::string& text) {
    return text.size() - std::min(text.find_first_not_of('-'), text.size());
  };
  std::optional<std::string> best;
  std::size_t fewest = std::max<std::size_t>(1, letters(typed) / 3) + 1;
  for (const std::string& candidate : candidates) {
    std::size_t count = edits(typed, lower(candidate));
    // One that was cut short, or went on: --clearance-report for --report is no slip of a finger.
    if (letters(typed) >= kShortest && lower(candidate).starts_with(typed)) count = std::min<std::size_t>(count, 1);
    if (letters(candidate) >= kShortest && typed.starts_with(lower(candidate))) count = std::min<std::size_t>(count, 1);
    // Words without a letter in common are not alike, however short they are.
    if (count < fewest && count < std::max(letters(typed), letters(candidate))) best = candidate, fewest = count;
  }
  return best;
}

}  // namespace graze
