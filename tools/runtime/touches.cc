// The program's own loads and stores on unified memory: the system tells of them where a page is not shown
// (SIGSEGV), and the model of the host decides what they cost.
#include "tools/runtime/touches.h"

#include <signal.h>
#include <ucontext.h>

#include <mutex>

#include "tools/runtime/call.h"

namespace heddle::runtime {
namespace {

struct sigaction before;  // what the program has, or the system

bool touches(uint64_t address, uint64_t bytes, bool writes) {
  const InCall in_call;
  Session& s = Session::get();
  const std::lock_guard lock(s.mutex());
  try {
    return s.context().touched(address, bytes, writes);
  } catch (const std::exception& e) {
    s.context().note(e.what());
    return false;
  }
}

void on_fault(int signal, siginfo_t* info, void* context) {
  constexpr greg_t kWrites = 2;  // of the processor's error code
  const int error = errno;
  const bool writes = (static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_ERR] & kWrites) != 0;
  const bool ours = touches(number(info->si_addr), 1, writes);
  errno = error;
  if (ours) {
    return;
  }
  if ((before.sa_flags & SA_SIGINFO) != 0) {
    before.sa_sigaction(signal, info, context);
  } else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
    before.sa_handler(signal);
  } else {
    sigaction(SIGSEGV, &before, nullptr);  // again, and then it ends the program
  }
}

}  // namespace

void watch_touches() {
  struct sigaction now = {};
  if (sigaction(SIGSEGV, nullptr, &now) == 0 && now.sa_sigaction == on_fault) {
    return;
  }
  before = now;
  now = {};
  now.sa_sigaction = on_fault;
  now.sa_flags = SA_SIGINFO | SA_NODEFER | SA_RESTART;
  sigaction(SIGSEGV, &now, nullptr);
}

void touch(const void* p, uint64_t bytes, bool writes) { touches(number(p), bytes, writes); }

}  // namespace heddle::runtime
