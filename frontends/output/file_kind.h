// What a file that a command is to write may replace: one of its own kind.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace heddle::output {

struct FileKind {
  std::string name;  // "an SVG picture"
  // Whether a file that begins with these bytes, at most kHeadBytes, is one.
  std::function<bool(std::string_view head)> is;
};
inline constexpr size_t kHeadBytes = 64 << 10;

FileKind svg_picture();
FileKind html_page();      // of `heddle report --html`
FileKind timeline();       // JSON for Perfetto
FileKind dot_graph();      // for Graphviz
FileKind native_list();    // a kernelslist.g that names .heddle files only
FileKind workload_text();  // NAME.workload.textproto
// A text whose first line begins so: the header of a table, the title of a page.
FileKind text_that_begins(const std::string& name, const std::string& first_line);

}  // namespace heddle::output
