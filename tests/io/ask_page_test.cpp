// The examples of docs/ask.md are true: each question in a ```jsonl block gets the answer that follows it, byte by
// byte. tools/make_ask_page.py writes them.
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "graze/io/ask.h"
#include "support/paths.h"

namespace graze {
namespace ask_page_test {

TEST(AskPage, ItsExamplesAreTrue) {
  std::ifstream page(graze_test::project_file("docs/ask.md"));
  ASSERT_TRUE(page);
  std::vector<std::string> lines;
  bool inside = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("```")) {
      EXPECT_EQ(lines.size() % 2, 0U) << "a question without an answer before " << line;
      inside = line == "```jsonl";
    } else if (inside) {
      lines.push_back(line);
    }
  }
  ASSERT_GE(lines.size(), 20U);
  for (std::size_t i = 0; i + 1 < lines.size(); i += 2) {
    EXPECT_EQ(answer_question(lines[i]).text, lines[i + 1]) << lines[i] << "\nrun ./dev docs to update the page";
  }
}

}  // namespace ask_page_test
}  // namespace graze
