#include "graze/base/nearest_word.h"

#include <gtest/gtest.h>

namespace graze {
namespace nearest_word_test {

TEST(NearestWord, IsTheOneWithTheFewestTypos) {
  const std::vector<std::string> words{"collide", "contacts", "distance", "closest_point", "a", "b", "id"};
  EXPECT_EQ(nearest_word("colide", words), "collide");
  EXPECT_EQ(nearest_word("Distnace", words), "distance");
  EXPECT_EQ(nearest_word("contact", words), "contacts");
  EXPECT_EQ(nearest_word("closest", words), "closest_point") << "cut short";
  EXPECT_EQ(nearest_word("collided", words), "collide") << "went on";
  EXPECT_EQ(nearest_word("penetration", words), std::nullopt);
  EXPECT_EQ(nearest_word("c", words), std::nullopt) << "without a letter in common";
  EXPECT_EQ(nearest_word("ide", words), "id");
  EXPECT_EQ(nearest_word("", words), std::nullopt);
  EXPECT_EQ(nearest_word("collide", {}), std::nullopt);
  EXPECT_EQ(nearest_word("aa", {"ab", "ac"}), "ab") << "ties go to the first";
}

TEST(NearestWord, IgnoresWordsThatAreTooLong) {
  const std::string endless(10'000'000, 'x');
  EXPECT_EQ(nearest_word(endless, {"x", endless}), std::nullopt);
}

}  // namespace nearest_word_test
}  // namespace graze
