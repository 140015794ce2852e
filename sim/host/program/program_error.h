// What is wrong with a program before it runs.
#pragma once

#include <cstdint>
#include <string>

#include "sim/base/error.h"

namespace heddle::host {

// `line` of the workload's file; 0: none is known. Who knows the file puts both in front.
class ProgramError : public Error {
 public:
  ProgramError(uint32_t line, const std::string& what) : Error(what), line_(line) {}
  uint32_t line() const { return line_; }

 private:
  uint32_t line_;
};

}  // namespace heddle::host
