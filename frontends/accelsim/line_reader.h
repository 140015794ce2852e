// Lines of a ByteStream, without copying them: a buffer that always holds whole lines. A byte-order mark in
// front of the first is dropped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/accelsim/byte_stream.h"
#include "frontends/input/limits.h"

namespace heddle::accelsim {

class LineReader {
 public:
  static constexpr size_t kPad = 256;  // readable bytes behind limit()

  explicit LineReader(std::unique_ptr<ByteStream> in);

  // The next line without its line end ('\n' or '\r\n'), valid until the next call; false at the end of the
  // file. A last line without '\n' counts as a line.
  bool next(std::string_view& line);
  // The next one that is not blank, without blanks around it.
  bool next_content(std::string_view& line);
  // The same as next() without consuming it.
  bool peek(std::string_view& line);

  // Number of the line that next() returned last, from 1; 0 before the first.
  uint64_t line() const { return line_; }
  const std::string& name() const { return in_->name(); }
  // Whether the line at `p`, in [pos(), limit()), is the file's last and lacks its line end.
  bool torn(const char* p) const;

  // For loops that scan in place. [pos(), limit()) holds whole lines, each ended by '\n' (one is added where
  // the file's last line lacks it); kPad bytes behind limit() may be read, not used. has_line() refills when
  // it is empty, which moves the text.
  bool has_line() { return cur_ != limit_ || refill(); }
  const char* pos() const { return cur_; }
  const char* limit() const { return limit_; }
  // Continues at `p`, the start of a line or limit(), with `lines` line ends between pos() and `p`.
  void consume(const char* p, uint64_t lines) {
    cur_ = p;
    line_ += lines;
  }

 private:
  bool refill();
  void skip_mark();

  std::unique_ptr<ByteStream> in_;
  std::vector<char> buffer_;
  const char* cur_ = nullptr;    // next unread byte
  const char* limit_ = nullptr;  // behind the last '\n' read
  const char* end_ = nullptr;    // behind the last byte read
  uint64_t line_ = 0;
  bool at_end_ = false;
  bool torn_ = false;                                           // a line end was added to the last line
  const input::Limit line_limit_ = input::limits().line_bytes;  // memory stays bounded
};

}  // namespace heddle::accelsim
