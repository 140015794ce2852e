#include "frontends/output/file_kind.h"

#include <algorithm>
#include <utility>

namespace heddle::output {
namespace {

FileKind beginning(std::string name, std::string text) {
  return {std::move(name),
          [text = std::move(text)](std::string_view head) { return head.starts_with(text); }};
}

// A line that import writes: `MemcpyHtoD,address,bytes`, or the name of a .heddle file.
bool is_native_line(std::string_view line) {
  return line.empty() || line.starts_with("MemcpyHtoD,") ||
         (line.ends_with(".heddle") && line.find_first_of("# \t") == std::string_view::npos);
}

bool is_native_list(std::string_view head) {
  const bool cut = head.size() == kHeadBytes;  // the last line may be half a one
  while (!head.empty()) {
    const size_t end = head.find('\n');
    if ((end == std::string_view::npos && cut) || !is_native_line(head.substr(0, end))) {
      return end == std::string_view::npos && cut;
    }
    head.remove_prefix(end == std::string_view::npos ? head.size() : end + 1);
  }
  return true;
}

}  // namespace

FileKind svg_picture() { return beginning("an SVG picture", "<svg "); }

FileKind html_page() {
  return {"a page of heddle report", [](std::string_view head) {
            return head.substr(std::min(head.find_first_not_of("\r\n "), head.size()))
                       .starts_with("<!DOCTYPE html>") &&
                   head.find("<title>Heddle report</title>") != std::string_view::npos;
          }};
}

FileKind timeline() {
  return beginning("a timeline for Perfetto", R"({"displayTimeUnit":"ns","traceEvents":[)");
}
FileKind dot_graph() { return beginning("a graph of heddle host", "digraph heddle {"); }
FileKind native_list() { return {"a list of .heddle files", is_native_list}; }

FileKind workload_text() {
  return {"a workload", [](std::string_view head) {
            return head.find('\0') == std::string_view::npos &&
                   (head.starts_with("thread {") || head.find("\nthread {") != std::string_view::npos);
          }};
}

FileKind text_that_begins(const std::string& name, const std::string& first_line) {
  return beginning(name, first_line);
}

}  // namespace heddle::output
