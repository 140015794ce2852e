#include "frontends/capture/input.h"

#include <algorithm>

#include "sim/base/error.h"

namespace heddle::capture {

namespace {

constexpr uint64_t kPart = 1 << 20;

}  // namespace

std::string Input::place() const { return name_ + ": byte " + std::to_string(frame_); }

void Input::fail(const std::string& what) const { throw Error(place() + ": " + what); }

size_t Input::fill(char* room, size_t bytes) {
  size_t done = 0;
  while (done < bytes) {
    const size_t n = read_(room + done, bytes - done);
    if (n == 0) {
      break;
    }
    done += n;
  }
  at_ += done;
  return done;
}

bool Input::next(FrameHead& head) {
  for (std::string skipped; left_ > 0; skipped.clear()) {
    part(skipped);
  }
  frame_ = at_;
  char bytes[sizeof head];
  const size_t n = fill(bytes, sizeof bytes);
  if (n == 0) {
    return false;
  }
  if (n < sizeof bytes) {
    fail("the stream ends within a frame's head");
  }
  std::memcpy(&head, bytes, sizeof head);
  if (head.magic != kMagic || head.kind < kHello || head.kind > kBye) {
    fail("no frame of a tracer (legal: magic number, kind " + std::to_string(kHello) + ".." +
         std::to_string(kBye) + ")");
  }
  left_ = head.bytes;
  return true;
}

bool Input::part(std::string& out) {
  if (left_ == 0) {
    return false;
  }
  const auto n = static_cast<size_t>(std::min(left_, kPart));
  const size_t before = out.size();
  out.resize(before + n);
  if (fill(out.data() + before, n) < n) {
    fail("the stream ends within this frame");
  }
  left_ -= n;
  return true;
}

std::string Input::payload(const FrameHead& head, uint64_t most) {
  if (head.bytes > most) {
    fail("a payload of " + std::to_string(head.bytes) + " bytes (legal: up to " + std::to_string(most) + ")");
  }
  std::string out;
  while (part(out)) {
  }
  return out;
}

}  // namespace heddle::capture
