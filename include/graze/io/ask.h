// One JSON question in, one JSON answer out: every query from any language.
#pragma once

#include <string>
#include <string_view>

#include "graze/geometry/geometry.h"

namespace graze {

/// What an answer says, for exit codes.
enum class AskVerdict {
  clear,     ///< the two are apart (by more than the margin)
  touching,  ///< they collide, overlap or touch
  refused,   ///< the question was bad or asks for what is not supported: the text is {"error":…}
  failed,    ///< graze itself failed: the text is {"error":…}
};

/// What answer_question() returns.
struct AskAnswer {
  /// One line of valid JSON (UTF-8) without the newline. Numbers read back to the same double; infinities are written
  /// as 1e999 and -1e999, which readers of IEEE doubles round to infinity.
  std::string text;
  AskVerdict verdict = AskVerdict::clear;  ///< for exit codes and counts
};

/// Answers one question, as described in docs/ask.md. Never throws, whatever the bytes. A question's "id" is echoed,
/// also with an error if the line could be read up to the end of the id.
///
///     answer_question(R"({"ask":"collide","a":{"shape":"sphere","radius":1},"b":{"shape":"box","half":[1,1,1]}})").text
///     // {"collide":true}
AskAnswer answer_question(std::string_view question);

/// The geometry that a JSON text describes: {"shape":"box","half":[1,2,3],"pose":{"xyz":[0,0,1]}}. Throws Error with
/// the JSON path of the offending field below `where`.
Placed placed_from_json(std::string_view text, const std::string& where);

}  // namespace graze
