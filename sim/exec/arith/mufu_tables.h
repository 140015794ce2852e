// The tables of the special-function unit (mufu_tables.cc).
#pragma once

#include <cstdint>

namespace heddle::exec::arith {

struct Coefficients {
  uint32_t c0, c1, c2;
};

extern const Coefficients kRcpTable[128];
extern const Coefficients kSqrtTable[128];   // even exponents, then odd ones
extern const Coefficients kRsqrtTable[128];  // the same
extern const Coefficients kLg2Table[64];
extern const Coefficients kEx2Table[64];
extern const Coefficients kSinTable[64];   // a quarter of a turn
extern const Coefficients kTanhTable[51];  // from 2^-8 to 2^3, octave after octave

}  // namespace heddle::exec::arith
