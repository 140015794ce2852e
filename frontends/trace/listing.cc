#include "frontends/trace/listing.h"

#include <fmt/format.h>
#include <zlib.h>

#include <charconv>
#include <iterator>
#include <optional>

#include "frontends/cubin/disassemble.h"
#include "frontends/input/limits.h"
#include "sim/base/error.h"

namespace heddle::trace {

namespace {

constexpr uint32_t kStep = 16;  // bytes from one instruction to the next

uint32_t crc(std::string_view text) {
  return static_cast<uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(text.data()), text.size()));
}

// "0040 0000000400087c10 000fe2000fffe1ff " and what stands behind that.
std::string beginning(uint32_t offset, const cubin::Word& w) {
  return fmt::format("{:04x} {:016x} {:016x} ", offset, w.low, w.high);
}

struct Instruction {
  uint32_t offset = 0;
  cubin::Word word;
  std::string_view text;  // to the end of the line
};

template <typename T>
bool take_hex(std::string_view& s, T& out) {
  const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), out, 16);
  if (error != std::errc() || end == s.data() + s.size() || *end != ' ') {
    return false;
  }
  s.remove_prefix(static_cast<size_t>(end - s.data()) + 1);
  return true;
}

// None when the line is not written as beginning() does.
std::optional<Instruction> instruction_of(std::string_view line) {
  Instruction i;
  i.text = line;
  if (!take_hex(i.text, i.offset) || !take_hex(i.text, i.word.low) || !take_hex(i.text, i.word.high) ||
      !line.starts_with(beginning(i.offset, i.word))) {
    return std::nullopt;
  }
  return i;
}

std::string text_of(const Instruction& i, uint32_t capability) {
  return cubin::is_known(capability) ? cubin::disassembled(i.word, i.offset, capability) : "";
}

class ListingWriter {
 public:
  ListingWriter(uint32_t capability, pb::Listing& out) : capability_(capability), out_(out) {}

  void line(std::string_view line) {
    const std::optional<Instruction> i = instruction_of(line);
    if (!i || (inside_ && i->offset != offset_)) {
      inside_ = false;
      text(line);
      kind(ListingLine::kVerbatim);
      return;
    }
    if (!inside_) {
      out_.add_offsets(i->offset);
    }
    inside_ = true;
    offset_ = i->offset + kStep;
    for (const uint64_t half : {i->word.low, i->word.high}) {
      for (int b = 0; b < 8; ++b) {
        out_.mutable_words()->push_back(static_cast<char>(half >> 8 * b));
      }
    }
    const std::string made = text_of(*i, capability_);
    if (!made.empty() && i->text == made + " ;") {
      kind(ListingLine::kMade);
    } else if (!made.empty() && i->text == made + ";") {
      kind(ListingLine::kMadeBare);
    } else {
      text(i->text);
      kind(ListingLine::kWorded);
    }
  }
  void end() {
    if (count_ > 0) {
      out_.add_lines(static_cast<uint32_t>(kind_) | count_ << 2);
    }
    count_ = 0;
  }

 private:
  void text(std::string_view line) { (*out_.mutable_text() += line) += '\n'; }
  void kind(ListingLine k) {
    constexpr uint32_t kMost = UINT32_MAX >> 2;
    if (k != kind_ || count_ == kMost) {
      end();
    }
    kind_ = k;
    ++count_;
  }

  const uint32_t capability_;
  pb::Listing& out_;
  bool inside_ = false;  // the line before was an instruction
  uint32_t offset_ = 0;  // of an instruction that follows it
  ListingLine kind_ = ListingLine::kVerbatim;
  uint32_t count_ = 0;
};

class ListingReader {
 public:
  ListingReader(const pb::Listing& in, uint32_t capability, const std::string& where)
      : in_(in), capability_(capability), where_(where), text_(in.text()), words_(in.words()) {}

  std::string read() {
    for (const uint32_t l : in_.lines()) {
      for (uint32_t n = l >> 2; n > 0; --n) {
        line(static_cast<ListingLine>(l & 3));
        if (const input::Limit& most = input::limits().code_bytes; out_.size() > most.value) {
          throw Error(fmt::format("{}: more than {} bytes (legal: {})", where_, most.value, most.legal()));
        }
      }
    }
    if (!text_.empty() || !words_.empty() || next_ != in_.offsets_size()) {
      damaged("text, encodings or offsets behind its last line");
    }
    if (crc(out_) != in_.check()) {
      throw Error(fmt::format(
          "{}: the text of the machine code is not the one that was recorded: wrong checksum of {} lines "
          "that are "
          "made from their encodings (legal: a disassembler that writes them as the recorder saw them)",
          where_, made_));
    }
    return std::move(out_);
  }

 private:
  void line(ListingLine kind) {
    if (kind == ListingLine::kVerbatim) {
      inside_ = false;
      take_text();
      return;
    }
    Instruction i;
    i.offset = next_offset();
    i.word = {half(0), half(8)};
    words_.remove_prefix(kStep);
    out_ += beginning(i.offset, i.word);
    if (kind == ListingLine::kWorded) {
      take_text();
      return;
    }
    ++made_;
    out_ += text_of(i, capability_);
    out_ += kind == ListingLine::kMade ? " ;\n" : ";\n";
  }
  void take_text() {
    const size_t end = text_.find('\n');
    if (end == std::string_view::npos) {
      damaged("its text ends early");
    }
    out_ += text_.substr(0, end + 1);
    text_.remove_prefix(end + 1);
  }
  uint32_t next_offset() {
    if (!inside_) {
      if (next_ == in_.offsets_size()) {
        damaged("its offsets end early");
      }
      offset_ = in_.offsets(next_++);
    }
    inside_ = true;
    const uint32_t here = offset_;
    offset_ += kStep;
    return here;
  }
  uint64_t half(size_t at) const {
    if (words_.size() < kStep) {
      damaged("its encodings end early");
    }
    uint64_t v = 0;
    for (size_t b = 0; b < 8; ++b) {
      v |= uint64_t{static_cast<uint8_t>(words_[at + b])} << 8 * b;
    }
    return v;
  }
  [[noreturn]] void damaged(const char* what) const {
    throw Error(fmt::format("{}: damaged: the listing of the machine code: {}", where_, what));
  }

  const pb::Listing& in_;
  const uint32_t capability_;
  const std::string& where_;
  std::string_view text_, words_;
  int next_ = 0;  // of the offsets
  bool inside_ = false;
  uint32_t offset_ = 0;
  uint64_t made_ = 0;
  std::string out_;
};

}  // namespace

bool put_listing(std::string_view sass, uint32_t capability, pb::Listing& out) {
  if (!sass.ends_with('\n')) {
    return false;
  }
  out.set_check(crc(sass));
  ListingWriter writer(capability, out);
  while (!sass.empty()) {
    const size_t end = sass.find('\n');
    writer.line(sass.substr(0, end));
    sass.remove_prefix(end + 1);
  }
  writer.end();
  return true;
}

std::string get_listing(const pb::Listing& in, uint32_t capability, const std::string& where) {
  return ListingReader(in, capability, where).read();
}

}  // namespace heddle::trace
