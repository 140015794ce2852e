// A small GPU with round numbers, so that the times in a test can be worked out by hand. It is nobody's
// product: the shipped configurations may change without touching a test.
#pragma once

#include <cstdint>

#include "configs/schema/spec.h"

namespace heddle::simtest {

// `sms` is 1, 2 or 4. One SM: one GPC. Two: the two SMs of one TPC. Four: two GPCs of one TPC of two SMs.
// Instruction and constant caches, register ports and the TLB are switched off (perfect); tests of these
// switch them on. Every clock is 1000 MHz, so a cycle of any domain is a core cycle and a nanosecond.
spec::GpuConfig test_gpu(uint32_t sms = 1);
// The configuration that it is made of.
config::GpuConfig test_config(uint32_t sms = 1);

// The same, with the L2 in two partitions (GPC 0 next to partition 0, GPC 1 next to partition 1).
spec::GpuConfig two_partition_gpu();

}  // namespace heddle::simtest
