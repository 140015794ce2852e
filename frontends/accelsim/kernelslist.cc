#include "frontends/accelsim/kernelslist.h"

#include <algorithm>
#include <utility>

#include "frontends/accelsim/byte_stream.h"
#include "frontends/accelsim/line_reader.h"
#include "frontends/accelsim/text_error.h"
#include "frontends/accelsim/text_fields.h"
#include "frontends/input/limits.h"

namespace heddle::accelsim {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSuffixes[] = {"", ".zst", ".xz", ".gz"};
constexpr size_t kMaxWarnings = 20;
constexpr StreamOptions kListStream = {.max_window_log = 24};  // a list is small, if it is compressed at all

Memcpy parse_copy(std::string_view line, const LineReader& in) {
  const size_t first = line.find(',');
  const size_t second = first == std::string_view::npos ? first : line.find(',', first + 1);
  Memcpy c;
  c.line = static_cast<uint32_t>(in.line());
  if (second != std::string_view::npos) {
    const auto address = parse_field<uint64_t>(line.substr(first + 1, second - first - 1), 16);
    const auto bytes = parse_field<uint64_t>(line.substr(second + 1), 10);
    if (address && bytes && *address + *bytes >= *address) {
      c.address = *address;
      c.bytes = *bytes;
      return c;
    }
  }
  fail_at(in.name(), in.line(), quote(line) + " (legal: MemcpyHtoD,0x<hexadecimal address>,<decimal bytes>)");
}

// A capture is a folder: its list does not reach out of it.
fs::path parse_name(std::string_view line, const LineReader& in) {
  fs::path name(line);
  const bool leaves = std::find(name.begin(), name.end(), "..") != name.end();
  const bool control = std::any_of(line.begin(), line.end(), [](char c) { return (c & 0xe0) == 0; });
  if (leaves || control) {
    fail_at(in.name(), in.line(),
            quote(line) +
                " (legal: the name of a file in the list's folder, without '..' and control characters)");
  }
  return name;
}

KernelsList parse(LineReader& in) {
  KernelsList list;
  list.file = in.name();
  std::string_view line;
  const input::Limits& most = input::limits();
  uint64_t bytes = 0;
  while (in.next(line)) {
    bytes += line.size() + 1;
    if (bytes > most.list_bytes.value) {
      fail_at(in.name(), in.line(),
              "a list of more than " + std::to_string(most.list_bytes.value) +
                  " bytes (legal: " + most.list_bytes.legal() + ")");
    }
    line = trim(line);
    ListEntry e;
    e.line = static_cast<uint32_t>(in.line());
    if (line.empty() || line[0] == '#') {
      continue;
    }
    if (line.starts_with("MemcpyHtoD")) {
      e.kind = ListEntry::Kind::kMemcpyHtoD;
      e.copy = parse_copy(line, in);
    } else if (line.starts_with("kernel")) {
      e.trace = parse_name(line, in);
    } else {
      if (list.ignored_lines++ < kMaxWarnings) {
        list.warnings.push_back(in.name() + ":" + std::to_string(in.line()) + ": ignored " + quote(line) +
                                " (legal: kernel..., MemcpyHtoD,0x<address>,<bytes>)");
      }
      continue;
    }
    if (list.entries.size() >= most.list_entries.value) {
      fail_at(in.name(), in.line(),
              "more than " + std::to_string(most.list_entries.value) +
                  " kernels and copies (legal: " + most.list_entries.legal() + ")");
    }
    list.entries.push_back(std::move(e));
  }
  return list;
}

// What is no regular file is found here as well, so that opening it tells what it is.
bool is_file(const fs::path& p) {
  std::error_code ec;
  return fs::exists(p, ec) && !fs::is_directory(p, ec);
}

}  // namespace

fs::path find_compressed_variant(const fs::path& file) {
  if (is_file(file)) {
    return file;
  }
  std::string bare = file.string();
  for (const std::string_view s : kSuffixes) {
    if (!s.empty() && bare.ends_with(s)) {
      bare.resize(bare.size() - s.size());
      break;
    }
  }
  for (const std::string_view s : kSuffixes) {
    fs::path p = bare + std::string(s);
    if (is_file(p)) {
      return p;
    }
  }
  return {};
}

KernelsList parse_kernelslist(std::string_view text, std::string_view name) {
  LineReader in(open_memory_bytes(std::string(name), text, kListStream));
  return parse(in);
}

KernelsList read_kernelslist(const fs::path& file) {
  LineReader in(open_bytes(file, kListStream));
  KernelsList list = parse(in);
  for (ListEntry& e : list.entries) {
    if (e.kind != ListEntry::Kind::kKernel) {
      continue;
    }
    const fs::path wanted = file.parent_path() / e.trace;
    fs::path found = find_compressed_variant(wanted);
    if (found.empty()) {
      fail_at(in.name(), e.line,
              quote(e.trace.string()) + ": no such file beside the list, also not with .zst, .xz or .gz");
    }
    e.trace = std::move(found);
  }
  return list;
}

}  // namespace heddle::accelsim
