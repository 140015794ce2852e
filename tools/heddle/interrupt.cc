#include "tools/heddle/interrupt.h"

#include <csignal>

namespace heddle::cli {
namespace {

std::atomic<bool> cancel{false};
std::atomic<int> caught{0};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

void on_signal(int number) {
  caught = number;
  cancel = true;
}

}  // namespace

void catch_signals() {
  struct sigaction action = {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESETHAND | SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

std::atomic<bool>& cancel_flag() { return cancel; }

int caught_signal() { return caught; }

}  // namespace heddle::cli
