// Results on standard output, messages on standard error.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace graze::app {

/// Makes sure that descriptors 0, 1 and 2 are taken, so that no file that is opened later is mistaken for a stream
/// that the caller had closed.
void occupy_standard_streams();

/// Writes a result to standard output; throws Error if that fails (a full disk).
void print(std::string_view text);
/// Hands what was printed to the system; throws Error if that fails.
void flush_output();
/// Whether somebody may be waiting at the other end of standard output: it is not a regular file.
bool output_is_watched();

/// Text that terminals and readers of UTF-8 can take: bytes that are not UTF-8, and control characters but newline and
/// tab, become \\xNN. Names of files may hold any.
std::string printable(std::string_view text);

/// "graze: text" and a newline on standard error, made printable.
void complain(std::string_view text);
/// A message that --quiet silences, on standard error, made printable.
void remark(bool quiet, std::string_view text);

/// Whether to write colours to the stream: a terminal, and NO_COLOR is not set.
bool use_color(std::FILE* stream);

}  // namespace graze::app
