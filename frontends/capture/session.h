// One process that is captured: reads what its tracer sends, to the end.
#pragma once

#include <cstdint>
#include <string>

#include "frontends/capture/input.h"
#include "frontends/capture/launch.h"

namespace heddle::capture {

// What happens. Names of kernels are as the program has them: for a terminal, input::printable().
class Events {
 public:
  virtual ~Events() = default;
  virtual void hello(uint32_t pid) {}
  virtual void context(const std::string& gpu) {}
  // Of a launch that is arriving: bytes of records.
  virtual void progress(const std::string& kernel, uint64_t done, uint64_t bytes) {}
  virtual void captured(Launch launch) = 0;
  // A launch that could not be recorded or read, and why.
  virtual void dropped(uint64_t number, const std::string& kernel, const std::string& why) = 0;
  virtual void listed(const Listed& launch, const std::string& kernel) {}
  virtual void error(const std::string& what) = 0;  // nothing more is captured
  virtual void note(const std::string& what) {}
  virtual void bye(const Bye& totals) {}
};

// Returns at the end of the stream. Throws heddle::Error, "NAME: byte N: what", when it is damaged or ends
// early; a launch whose contents are wrong is dropped, and the next one is read.
void read_session(const std::string& name, const ReadBytes& read, Events& events);

}  // namespace heddle::capture
