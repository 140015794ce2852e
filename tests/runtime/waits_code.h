// PTX of a kernel that several tests launch, without a module's first lines.
#pragma once

#include <string>

namespace heddle::runtimetest {

// waits(int* p): until *p is not 0, then p[1] = *p + 1.
inline const std::string kWaits = R"(.visible .entry waits(.param .u64 p) {
  .reg .u64 %a;
  .reg .u32 %v;
  .reg .pred %q;
  ld.param.u64 %a, [p];
LOOP:
  ld.volatile.global.u32 %v, [%a];
  setp.eq.u32 %q, %v, 0;
  @%q bra LOOP;
  add.u32 %v, %v, 1;
  st.volatile.global.u32 [%a+4], %v;
  ret;
}
)";

}  // namespace heddle::runtimetest
