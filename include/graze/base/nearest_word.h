// "did you mean …?"
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace graze {

/// The candidate that was probably meant by a mistyped `word`: few letters differ, whatever their case, or one is the
/// start of the other. Ties go to the first; none if there is nothing like it, or the word has more than 64 letters.
///
///     if (const auto meant = nearest_word("colide", {"collide", "distance"})) …   // "collide"
std::optional<std::string> nearest_word(const std::string& word, const std::vector<std::string>& candidates);

}  // namespace graze
