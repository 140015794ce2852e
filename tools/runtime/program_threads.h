// The program's threads and clocks, where they come to a session (preload/).
#pragma once

#include <cstdint>
#include <optional>

namespace heddle::runtime {

// While it lives, the calling thread is the simulator's: clocks show it this computer's time.
class InCall {
 public:
  InCall();
  ~InCall();
  InCall(const InCall&) = delete;
  InCall& operator=(const InCall&) = delete;
};

// From here on the clocks of the program, if it was started with simulated ones, show the session's time.
// Returns how many ns of it have passed; nothing: it was not. Session::get() makes the session of this
// thread's call.
std::optional<uint64_t> show_simulated_time();

// How much of this computer's processor time a thread's own work counts for, between calls and looks at
// clocks; 0: it takes no time. Before the first call.
void count_own_work(double factor);
// ns of it that the calling thread has not been charged for yet.
uint64_t take_own_work();

class Session;
// It is made; it has ended, and threads are what this computer makes of them.
void there_is(Session& s);
void program_over();
bool is_over();

}  // namespace heddle::runtime
