#include "page_template.h"

#include <fmt/format.h>

#include "image.h"

namespace graze::app {

void write_from_template(FileWriter& file, std::string_view page, const std::map<std::string_view, std::string>& places,
                         const std::function<void()>& write_data) {
  for (;;) {
    const std::size_t open = page.find("{{"), close = page.find("}}", open);
    if (open == std::string_view::npos || close == std::string_view::npos) break;
    file.write(page.substr(0, open));
    const std::string_view name = page.substr(open + 2, close - open - 2);
    if (name == "data") write_data();
    else file.write(places.at(name));
    page.remove_prefix(close + 2);
  }
  file.write(page);
}

void write_page_data(FileWriter& file, const std::string& json) {
  std::string safe;  // no '<' may end the element
  safe.reserve(json.size());
  for (const char c : json) {
    if (c == '<') safe += "\\u003c";
    else safe += c;
  }
  file.write("<script type=\"application/json\" id=\"graze-data\">");
  file.write(safe);
  file.write("</script>\n");
}

void write_page_block(FileWriter& file, const std::string& name, std::string_view bytes) {
  file.write(fmt::format("<script type=\"text/plain\" id=\"graze-{}\">", name));
  file.write(base64(bytes));
  file.write("</script>\n");
}

}  // namespace graze::app
