// The bytes of a connection, and the frames in them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>

#include "frontends/capture/protocol.h"

namespace heddle::capture {

// Fills as much of the room as there is; 0: the other end has gone.
using ReadBytes = std::function<size_t(char* room, size_t bytes)>;

class Input {
 public:
  Input(std::string name, ReadBytes read) : name_(std::move(name)), read_(std::move(read)) {}

  // False: nothing more comes. Throws heddle::Error for what is no frame and one that is cut short.
  bool next(FrameHead& head);
  // All of the frame's payload, which is no longer than `most`.
  std::string payload(const FrameHead& head, uint64_t most);
  // The next part of it, appended to `out`; false behind the last.
  bool part(std::string& out);

  // Throws: what is wrong with the frame at hand.
  [[noreturn]] void fail(const std::string& what) const;
  std::string place() const;  // of that frame, as messages name it

 private:
  size_t fill(char* room, size_t bytes);  // fewer where the stream ends

  const std::string name_;
  const ReadBytes read_;
  uint64_t at_ = 0;     // bytes so far
  uint64_t frame_ = 0;  // where the frame begins
  uint64_t left_ = 0;   // of its payload
};

// Plain values out of a payload.
class Fields {
 public:
  Fields(const Input& in, std::string_view bytes) : in_(in), left_(bytes) {}

  template <class T>
  T take() {
    T out;
    std::memcpy(&out, bytes(sizeof out).data(), sizeof out);
    return out;
  }
  std::string_view bytes(size_t n) {
    if (n > left_.size()) {
      in_.fail("the payload ends " + std::to_string(n - left_.size()) + " bytes too early");
    }
    const std::string_view out = left_.substr(0, n);
    left_.remove_prefix(n);
    return out;
  }
  std::string_view rest() const { return left_; }
  void end() const {
    if (!left_.empty()) {
      in_.fail(std::to_string(left_.size()) + " bytes too many in the payload");
    }
  }

 private:
  const Input& in_;
  std::string_view left_;
};

}  // namespace heddle::capture
