// Results on standard output, messages on standard error.
#pragma once

#include <cstdio>
#include <string_view>

namespace graze::app {

/// Makes sure that descriptors 0, 1 and 2 are taken, so that no file that is opened later is mistaken for a stream
/// that the caller had closed.
void occupy_standard_streams();

/// Writes a result to standard output; throws Error if that fails (a full disk).
void print(std::string_view text);
/// Hands what was printed to the system; throws Error if that fails.
void flush_output();
/// Whether somebody may be waiting at the other end of standard output: it is no regular file.
bool output_is_watched();

/// "graze: text" and a newline on standard error.
void complain(std::string_view text);
/// A message that --quiet silences, on standard error.
void remark(bool quiet, std::string_view text);

/// Whether to write colours to the stream: a terminal, and NO_COLOR is not set.
bool use_color(std::FILE* stream);

}  // namespace graze::app
