// What the readers of tables of text share.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace graze::io {

/// Without blanks and tabs around it, and without the quotes around that.
std::string_view trimmed(std::string_view text);

/// The text behind the mark of a comment; nothing if it is none.
std::optional<std::string_view> comment_in(std::string_view line);

/// How the values of a line are apart: by a character, or (0) by any number of blanks and tabs.
char separator_of(std::string_view line);
void split_line(std::string_view line, char separator, std::vector<std::string_view>& words);

/// A separator at the end of each line makes a last column that holds nothing.
void drop_last_if_empty(std::vector<std::string_view>& words);

/// A column's name without its unit if it is x, y or z, in lower case: "X [m]" is x. All other names as they are.
std::string plain_name(std::string_view name);

/// parse_number into a double; where commas do not separate, they may be those of 1,5.
const char* parse_value(std::string_view word, char separator, double& value);

}  // namespace graze::io
