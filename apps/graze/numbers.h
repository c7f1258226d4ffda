// Numbers, JSON and texts of pages as they are printed: there is no minus zero, and every text is UTF-8.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "streams.h"

namespace graze::app {

/// With this many digits behind the point; "0.0", not "-0.0", for what rounds to it.
inline std::string fixed(double x, int digits) {
  const std::string text = fmt::format("{:.{}f}", x, digits);
  return text[0] == '-' && text.find_first_not_of("-0.") == std::string::npos ? text.substr(1) : text;
}

/// A JSON value as text, in one line if `indent` is -1. Bytes of its strings that are not UTF-8 become \xNN.
template <class Json>
std::string json_text(Json value, int indent = -1) {
  const auto clean = [](const auto& self, Json& v) -> void {
    if (v.is_number_float() && v == 0.0) v = 0.0;
    if (v.is_string()) v = printable(v.template get_ref<const std::string&>());
    if (v.is_structured()) {
      for (Json& part : v) self(self, part);
    }
  };
  clean(clean, value);
  return value.dump(indent, ' ', false, Json::error_handler_t::replace);
}

/// As the text of an HTML page.
inline std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) {
    switch (c) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

}  // namespace graze::app
