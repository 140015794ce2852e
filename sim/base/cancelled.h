// How long work ends that somebody else has told to stop.
#pragma once

#include "sim/base/error.h"

namespace heddle {

class Cancelled : public Error {
 public:
  using Error::Error;
};

}  // namespace heddle
