// What a program does between calls of CUDA, and the errors that CUDA keeps for it.
#include "sim/host/calls/threads.h"

namespace heddle::host {

std::span<const CallType> Threads::program_calls() {
  using K = Argument::Kind;
  static const std::vector<CallType> all = {
      {.op = Op::kCompute,
       .name = "(host work)",
       .field = "compute_us",
       .arguments = {{"", K::kMicroseconds, &Call::duration}},
       .asks_device = false,
       .cost = [](const Threads&, uint32_t, const Call& c) { return c.duration; }},
      {.op = Op::kLoopBegin, .name = "(loop)", .field = "repeat", .read_apart = true},
      {.op = Op::kLoopEnd, .name = "(loop end)"},
      {.op = Op::kGetLastError,
       .name = "cudaGetLastError",
       .field = "get_last_error",
       .asks_device = false,
       .effect =
           [](Threads& t, uint32_t thread, const Call&) {
             t.answer(thread, t.threads_[thread].last_error);
             t.threads_[thread].last_error = "cudaSuccess";
             return true;
           }},
      {.op = Op::kPeekAtLastError,
       .name = "cudaPeekAtLastError",
       .field = "peek_at_last_error",
       .asks_device = false,
       .effect =
           [](Threads& t, uint32_t thread, const Call&) {
             t.answer(thread, t.threads_[thread].last_error);
             return true;
           }},
      {.op = Op::kSetFlag,
       .name = "(set flag)",
       .field = "set_flag",
       .arguments = {{"", K::kFlag, &Call::object}},
       .asks_device = false,
       .effect =
           [](Threads& t, uint32_t thread, const Call& c) {
             if (t.clocks_.on()) {
               t.clocks_.flag_set_by_thread(c.object, thread);
             }
             t.core_.set_flag(c.object);
             return true;
           }},
      {.name = "(clear flag)",
       .field = "clear_flag",
       .arguments = {{"", K::kFlag, &Call::object}},
       .asks_device = false,
       .effect = [](Threads& t, uint32_t, const Call& c) { return t.flags_[c.object] = false, true; }},
      {.op = Op::kWaitFlag,
       .name = "(wait for flag)",
       .field = "wait_flag",
       .arguments = {{"", K::kFlag, &Call::object}},
       .asks_device = false,
       .effect =
           [](Threads& t, uint32_t thread, const Call& c) {
             if (t.flags_[c.object]) {
               if (t.clocks_.on()) {
                 t.clocks_.thread_waits_flag(thread, c.object);
               }
               return true;
             }
             HostThread& waits = t.threads_[thread];
             waits.waits_for_flag = c.object;
             waits.waits_since = t.core_.now;
             waits.next = Next::kReturn;
             return false;
           }},
  };
  return all;
}

}  // namespace heddle::host
