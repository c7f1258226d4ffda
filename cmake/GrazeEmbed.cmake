# Run as a script: cmake -DINPUT=<file> -DOUTPUT=<cpp> -DNAME=<function> -P GrazeEmbed.cmake
#
# Writes a source file with  std::string_view graze::app::<function>()  that returns the bytes of the input, or nothing if
# there is no such file. The text is split, since compilers may limit the length of a literal.
set(text "")
if(EXISTS "${INPUT}")
    file(READ "${INPUT}" text)
endif()
set(parts "")
string(LENGTH "${text}" length)
set(at 0)
while(at LESS length)
    string(SUBSTRING "${text}" ${at} 15000 part)
    string(APPEND parts "    R\"~graze~(${part})~graze~\"\n")
    math(EXPR at "${at} + 15000")
endwhile()
if(parts STREQUAL "")
    set(parts "    \"\"\n")
endif()
file(WRITE "${OUTPUT}" "// Made from ${NAME} by cmake/GrazeEmbed.cmake.\n#include \"embedded.h\"\n\nnamespace graze::app {\n
std::string_view ${NAME}() {
  using namespace std::string_view_literals;
  static constexpr char kText[] =\n${parts};
  return {kText, sizeof kText - 1};
}

}  // namespace graze::app\n")
