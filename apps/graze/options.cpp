#include "options.h"

#include <sstream>

namespace graze::app {

bool Option::list() const {
  return std::holds_alternative<std::vector<std::string>*>(target) ||
         std::holds_alternative<std::vector<double>*>(target);
}

std::vector<std::string> Option::names() const {
  std::vector<std::string> out;
  std::istringstream words(name);
  for (std::string word; std::getline(words, word, ',');) out.push_back(word);
  return out;
}

std::string Option::long_name() const { return names().back(); }

Option::Hint Option::hint() const {
  if (flag()) return Hint::nothing;
  if (!rules.one_of.empty()) return Hint::words;
  if (rules.file || rules.value.starts_with("FILE")) return Hint::files;
  if (rules.value.starts_with("DIR") || rules.value.starts_with("FOLDER")) return Hint::folders;
  return Hint::nothing;
}

}  // namespace graze::app
