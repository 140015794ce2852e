// Why a call is not carried out.
#pragma once

#include <string>

namespace heddle::host {

struct Refusal {
  std::string error;  // CUDA's name
  std::string why;
};

}  // namespace heddle::host
