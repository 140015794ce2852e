#include "tools/runtime/patience.h"

#include <fmt/format.h>
#include <time.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <set>
#include <string>
#include <thread>

#include "tools/runtime/program_threads.h"

namespace heddle::runtime {
namespace {

using namespace std::chrono_literals;

constexpr auto kLook = 20ms;
constexpr int kAsleep = 3;             // looks, each of which finds it asleep
constexpr uint64_t kPatience = 100;    // ticks of its processor time (10 ms each): it may calculate
constexpr uint64_t kLessPatience = 1;  // of one that did so before
constexpr host::Ps kStep = host::Ps(10'000'000);
constexpr auto kPause = 50us;  // in which it can see what has changed

struct Task {
  char state = 'R';
  uint64_t ticks = 0;  // of processor time
};

Task look_at(int task) {
  std::ifstream in(fmt::format("/proc/self/task/{}/stat", task));
  std::string line;
  std::getline(in, line);
  Task t;
  unsigned long user = 0, system = 0;
  const size_t name = line.rfind(')');
  if (name != std::string::npos &&
      std::sscanf(line.c_str() + name + 1, " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &t.state,
                  &user, &system) == 3) {
    t.ticks = user + system;
  }
  return t;
}

void loop(cuda::HostThreads& threads) {
  const InCall in_call;
  std::set<int> spun;
  uint64_t turn = 0, ticks = 0;
  int asleep = 0;
  while (true) {
    std::this_thread::sleep_for(kLook);
    int task = 0;
    {
      const std::lock_guard lock(threads.mutex());
      if (threads.turn() != turn) {
        turn = threads.turn();
        asleep = 0;
        ticks = look_at(threads.turn_of()).ticks;
        continue;
      }
      task = threads.turn_of();
      if (task == 0 || !threads.awaited()) {
        asleep = 0;
        continue;
      }
    }
    const Task now = look_at(task);
    asleep = now.state == 'S' ? asleep + 1 : 0;
    if (asleep < kAsleep && now.ticks - ticks < (spun.count(task) ? kLessPatience : kPatience)) {
      continue;
    }
    {
      const std::lock_guard lock(threads.mutex());
      if (!threads.give_up(turn)) {
        continue;
      }
      turn = threads.turn();
    }
    if (now.state != 'S') {
      spun.insert(task);
    }
    for (bool more = true; more;) {
      {
        const std::lock_guard lock(threads.mutex());
        more = threads.turn() == turn && threads.drift(kStep);
      }
      std::this_thread::sleep_for(kPause);
    }
  }
}

}  // namespace

void watch(cuda::HostThreads& threads) { std::thread(loop, std::ref(threads)).detach(); }

}  // namespace heddle::runtime
