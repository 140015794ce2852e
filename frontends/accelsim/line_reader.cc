#include "frontends/accelsim/line_reader.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "frontends/accelsim/text_error.h"
#include "sim/base/text.h"

namespace heddle::accelsim {

namespace {

// Small enough to stay in the second-level cache between the decompressor's copy and the scan.
constexpr size_t kChunk = size_t{1} << 17;

std::string_view first_line(const char* p, const char* limit) {
  const char* nl = static_cast<const char*>(std::memchr(p, '\n', static_cast<size_t>(limit - p)));
  size_t n = static_cast<size_t>(nl - p);
  if (n > 0 && p[n - 1] == '\r') {
    --n;
  }
  return {p, n};
}

}  // namespace

LineReader::LineReader(std::unique_ptr<ByteStream> in) : in_(std::move(in)), buffer_(kChunk + kPad) {
  cur_ = limit_ = end_ = buffer_.data();
}

bool LineReader::peek(std::string_view& line) {
  if (!has_line()) {
    return false;
  }
  line = first_line(cur_, limit_);
  return true;
}

bool LineReader::next(std::string_view& line) {
  if (!peek(line)) {
    return false;
  }
  const char* p = line.data() + line.size();
  consume(p + (*p == '\r' ? 2 : 1), 1);
  return true;
}

bool LineReader::next_content(std::string_view& line) {
  uint64_t blank = 0;
  while (next(line)) {
    blank += line.size() + 1;
    line = trim(line);
    if (!line.empty()) {
      return true;
    }
    if (blank > input::limits().blank_bytes.value) {
      fail_at(name(), line_,
              std::to_string(blank) + " bytes of blank lines (legal: " + input::limits().blank_bytes.legal() +
                  ")");
    }
  }
  return false;
}

bool LineReader::torn(const char* p) const {
  return torn_ && std::memchr(p, '\n', static_cast<size_t>(limit_ - p)) == limit_ - 1;
}

bool LineReader::refill() {
  // What is left is the beginning of one line.
  size_t have = static_cast<size_t>(end_ - cur_);
  if (have > 0 && cur_ != buffer_.data()) {
    std::memmove(buffer_.data(), cur_, have);
  }
  size_t searched = have;
  size_t whole = 0;
  while (whole == 0 && !at_end_) {
    if (have + kChunk / 2 + kPad > buffer_.size()) {
      if (have > line_limit_.value) {
        cur_ = limit_ = end_ = buffer_.data();
        fail_at(name(), line_ + 1,
                "line longer than " + std::to_string(line_limit_.value) +
                    " bytes (legal: " + line_limit_.legal() + ")");
      }
      buffer_.resize(buffer_.size() * 2);
    }
    size_t n = in_->read(buffer_.data() + have, buffer_.size() - kPad - have);
    if (n == 0) {
      at_end_ = true;
      if (have > 0) {
        buffer_[have++] = '\n';
        torn_ = true;
        whole = have;
      }
      break;
    }
    have += n;
    const void* nl = memrchr(buffer_.data() + searched, '\n', have - searched);
    if (nl) {
      whole = static_cast<size_t>(static_cast<const char*>(nl) - buffer_.data()) + 1;
    }
    searched = have;
  }
  cur_ = buffer_.data();
  limit_ = cur_ + whole;
  end_ = cur_ + have;
  if (line_ == 0) {
    skip_mark();
  }
  return cur_ != limit_;
}

void LineReader::skip_mark() {
  constexpr std::string_view kMark = "\xef\xbb\xbf";
  if (std::string_view(cur_, static_cast<size_t>(limit_ - cur_)).starts_with(kMark)) {
    cur_ += kMark.size();
  }
}

}  // namespace heddle::accelsim
