// The text of a module and the places in it. A place is a byte offset; lines and columns are counted when
// somebody asks.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/error.h"

namespace heddle::ptx {

struct Place {
  uint32_t line;    // from 1
  uint32_t column;  // from 1, in bytes
};

class Source {
 public:
  // `name`: the file's, for messages. `text` keeps its address, so views into it live as long as this; at
  // most 2^32 - 2 bytes, which load() has made sure of.
  Source(std::string name, std::string text) : name_(std::move(name)), text_(std::move(text)) {}
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  const std::string& name() const { return name_; }
  std::string_view text() const { return text_; }

  // Counts the lines up to `at`: for messages.
  Place place(uint32_t at) const;
  // Where each line starts: for those who ask about many places.
  std::vector<uint32_t> line_starts() const;

  // "FILE:LINE:COLUMN: what", printable and in one line.
  std::string message(uint32_t at, std::string_view what) const;
  [[noreturn]] void fail(uint32_t at, std::string_view what) const { throw Error(message(at, what)); }

 private:
  std::string name_;
  std::string text_;
};

// What was found, in single quotes for a message: to its end of line, at most 60 bytes.
std::string quoted(std::string_view found);

// "a, b, c": at most 40 of them.
std::string joined(const std::vector<std::string>& words);

}  // namespace heddle::ptx
