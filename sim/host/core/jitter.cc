#include "sim/host/core/jitter.h"

#include <cmath>

namespace heddle::host {

double Jitter::factor(double spread) {
  if (!on_ || spread == 0) {
    return 1;
  }
  // Twelve uniform numbers add up to a variance of one; what lies beyond six deviations does not matter here.
  double normal = -6;
  for (int i = 0; i < 12; ++i) {
    normal += static_cast<double>(bits_() >> 11) * 0x1p-53;
  }
  return std::exp(spread * normal);
}

}  // namespace heddle::host
