#include "frontends/sass/side_file.h"

#include <algorithm>
#include <charconv>

#include "frontends/input/limits.h"
#include "frontends/input/regular_file.h"
#include "frontends/sass/function_builder.h"
#include "frontends/sass/lexical.h"
#include "sim/base/error.h"
#include "sim/base/text.h"

namespace heddle::sass {
namespace {

// The first blank-separated word, removed from `s`.
std::string_view take_word(std::string_view& s) {
  s = trim(s);
  const size_t end = s.find_first_of(" \t");
  const std::string_view w = s.substr(0, end);
  s = end == std::string_view::npos ? std::string_view() : trim(s.substr(end));
  return w;
}

// What `nvdisasm -g` and `-gi` print before the instructions of a line:
//   //## File "/home/me/saxpy.cu", line 12 inlined at "/home/me/saxpy.cu", line 20
// False: another comment. Lines of PTX are none of the program's.
bool source_comment(std::string_view s, FunctionBuilder& out) {
  constexpr std::string_view kFile = "//## File \"", kLine = "\", line ", kPtx = ".nv_debug_ptx_txt";
  if (!s.starts_with(kFile)) {
    return false;
  }
  s.remove_prefix(kFile.size());
  const size_t end = s.find(kLine);
  const std::string_view number = end == std::string_view::npos ? "" : s.substr(end + kLine.size());
  const auto line = parse_number<uint32_t>(number.substr(0, number.find_first_not_of("0123456789")));
  if (!line) {
    out.fail("bad line information (legal: //## File \"PATH\", line N)");
  }
  if (s.substr(0, end) != kPtx) {
    out.source(s.substr(0, end), *line);
  }
  return true;
}

// ---- our format: "# function NAME base N", then "OFFSET LO HI TEXT"

class SideReader {
 public:
  explicit SideReader(FunctionBuilder& out) : out_(out) {}

  void line(std::string_view s) {
    s = trim(s);
    if (s.empty() || source_comment(s, out_)) {
      return;
    }
    if (s[0] == '#') {
      header(trim(s.substr(1)));
      return;
    }
    const std::string_view pc_text = take_word(s), lo_text = take_word(s), hi_text = take_word(s);
    const auto pc = parse_number<uint32_t>(pc_text, 16);
    const auto lo = parse_number<uint64_t>(lo_text, 16), hi = parse_number<uint64_t>(hi_text, 16);
    if (!pc) {
      out_.fail("bad offset '" + shown(pc_text) + "' (legal: OFFSET LO64 HI64 TEXT, all hexadecimal)");
    }
    if (lo_text.size() != 16 || hi_text.size() != 16 || !lo || !hi) {
      out_.fail("bad encoding (legal: two words of 16 hexadecimal digits, low half first)");
    }
    out_.instruction(*pc, s);
    out_.encoding(*lo, *hi);
  }

 private:
  static std::string shown(std::string_view s) { return std::string(s.substr(0, 32)); }

  void header(std::string_view s) {
    if (take_word(s) != "function") {
      return;  // any other comment
    }
    const std::string_view name = take_word(s);
    if (name.empty()) {
      out_.fail("function without a name (legal: # function NAME base N)");
    }
    const std::string_view key = take_word(s);
    std::string_view value = take_word(s);
    const bool hex = value.starts_with("0x");
    value.remove_prefix(hex ? 2 : 0);
    const auto base = parse_number<uint32_t>(value, hex ? 16 : 10);
    if (!key.empty() && (key != "base" || !base)) {
      out_.fail("bad function line (legal: # function NAME base N)");
    }
    out_.function(name, base.value_or(0));
  }

  FunctionBuilder& out_;
};

// ---- cuobjdump -sass and nvdisasm [-hex]

class DisassemblyReader {
 public:
  explicit DisassemblyReader(FunctionBuilder& out) : out_(out) {}

  void line(std::string_view s) {
    s = trim(s);
    if (s.empty() || source_comment(s, out_) || s.starts_with("//")) {
      return;
    }
    if (s.starts_with("/*")) {
      comment(s);
    } else {
      directive(s);
    }
  }

 private:
  // "/*0010*/ TEXT ; /* 0xLO */" or, on the line after it, "/* 0xHI */".
  void comment(std::string_view s) {
    const size_t close = s.find("*/");
    if (close == std::string_view::npos) {
      out_.fail("unterminated comment (legal: /*OFFSET*/ TEXT ; /* 0xLO */)");
    }
    std::string_view inside = trim(s.substr(2, close - 2));
    if (inside.starts_with("0x")) {
      encoding_words(s);
      return;
    }
    const auto pc = parse_number<uint32_t>(inside, 16);
    if (inside.size() < 4 || !pc) {
      return;  // a remark
    }
    s = trim(s.substr(close + 2));
    if (s.starts_with('.')) {
      return;  // nvdisasm's data sections: /*0004*/ .word 0x0000000a
    }
    const size_t end = s.find(';');
    if (end == std::string_view::npos) {
      out_.fail("instruction without ';' (legal: /*OFFSET*/ TEXT ; /* 0xLO */)");
    }
    out_.instruction(*pc, trim(s.substr(0, end)));
    have_low_ = false;
    const std::string_view rest = trim(s.substr(end + 1));
    if (!rest.empty()) {
      encoding_words(rest);
    }
  }

  // One or two "/* 0x... */" comments of 16 digits each, or one of 32.
  void encoding_words(std::string_view s) {
    while (!s.empty()) {
      const size_t close = s.find("*/");
      if (!s.starts_with("/*") || close == std::string_view::npos) {
        out_.fail("unexpected text after the instruction (legal: /* 0x<16 hexadecimal digits> */)");
      }
      std::string_view word = trim(s.substr(2, close - 2));
      s = trim(s.substr(close + 2));
      if (!word.starts_with("0x")) {
        out_.fail("bad encoding (legal: /* 0x<16 hexadecimal digits> */)");
      }
      word.remove_prefix(2);
      const auto first = parse_number<uint64_t>(word.substr(0, 16), 16);
      const auto second = parse_number<uint64_t>(word.substr(std::min<size_t>(16, word.size())), 16);
      if (word.size() == 32 && first && second) {
        out_.encoding(*second, *first);
        have_low_ = false;
      } else if (word.size() == 16 && first) {
        if (have_low_) {
          out_.encoding(low_, *first);
        }
        low_ = *first;
        have_low_ = !have_low_;
      } else {
        out_.fail("bad encoding (legal: /* 0x<16 hexadecimal digits> */)");
      }
      out_.half_encoding(have_low_);
    }
  }

  void directive(std::string_view s) {
    constexpr std::string_view kFunction = "Function :";
    constexpr std::string_view kText = ".text.";
    if (s.starts_with(kFunction)) {
      out_.function(trim(s.substr(kFunction.size())), 0);
      in_text_ = false;
      return;
    }
    if (s.starts_with("code for sm_") || s.starts_with("arch = sm_") || s.starts_with(".target")) {
      capability(s.substr(s.find("sm_") == std::string_view::npos ? s.size() : s.find("sm_") + 3));
      return;
    }
    if (s.starts_with(".headerflags") || s.starts_with(".target")) {
      if (const size_t at = s.find("EF_CUDA_SM"); at != std::string_view::npos) {
        capability(s.substr(at + 10));
      }
      return;
    }
    if (s.starts_with(".section")) {
      in_text_ = false;
      return;
    }
    if (s.back() != ':' || s.find_first_of(" \t\"") != std::string_view::npos) {
      return;
    }
    const std::string_view label = s.substr(0, s.size() - 1);
    if (label.starts_with(kText) && label.size() > kText.size()) {
      out_.function(label.substr(kText.size()), 0);
      in_text_ = true;
    } else if (in_text_) {
      out_.label(label);
    }
  }

  void capability(std::string_view digits) {
    uint32_t v = 0;
    const auto [p, ec] = std::from_chars(digits.data(), digits.data() + digits.size(), v);
    if (ec == std::errc() && v < 1000) {
      out_.capability(v);
    }
  }

  FunctionBuilder& out_;
  bool in_text_ = false;
  bool have_low_ = false;
  uint64_t low_ = 0;
};

// Our format starts with '#' or with a bare offset; the disassemblers' output with a directive or a comment.
bool is_side_format(std::string_view text) {
  const size_t at = text.find_first_not_of(" \t\r\n");
  if (at == std::string_view::npos) {
    return true;
  }
  if (text[at] == '#') {
    return true;
  }
  const std::string_view line = text.substr(at, text.find('\n', at) - at);
  const size_t digits = line.find_first_not_of("0123456789abcdefABCDEF");
  return digits != std::string_view::npos && digits >= 4 && line[digits] == ' ';
}

template <typename Reader>
void each_line(std::string_view text, FunctionBuilder& out) {
  Reader reader(out);
  while (!text.empty()) {
    const size_t end = text.find('\n');
    out.next_line();
    reader.line(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
}

}  // namespace

std::vector<Function> read_side_text(std::string_view text, std::string_view name) {
  FunctionBuilder out(name);
  if (constexpr std::string_view kMark = "\xef\xbb\xbf"; text.starts_with(kMark)) {
    text.remove_prefix(kMark.size());
  }
  if (is_side_format(text)) {
    each_line<SideReader>(text, out);
  } else {
    each_line<DisassemblyReader>(text, out);
  }
  return out.finish();
}

std::vector<Function> read_side_file(const std::filesystem::path& path) {
  return read_side_text(input::read_regular_file(path, input::limits().code_bytes), path.string());
}

}  // namespace heddle::sass
