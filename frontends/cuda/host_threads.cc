#include "frontends/cuda/host_threads.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <utility>

#include "frontends/cuda/status.h"
#include "sim/host/calls/call_types.h"

namespace heddle::cuda {
namespace {

// What a thread spends between two calls, looking at clocks, passes at once when it is more than that: what
// others do meanwhile is to be seen.
constexpr host::Ps kSpentAtOnce = host::Ps(1'000'000);

// Which thread of which session's host this one is.
struct Mine {
  uint64_t host = 0;
  uint32_t number = 0;
};
thread_local Mine mine;
std::atomic<uint64_t> hosts{0};

}  // namespace

HostThreads::HostThreads(const config::GpuConfig& gpu, workload::Builder& builder,
                         const host::PlatformOptions& options)
    : program_(builder.program()),
      builder_(builder),
      id_(++hosts),
      run_(std::make_unique<host::OpenRun>(program_, gpu, options)) {
  run_->advance();
}

HostThreads::~HostThreads() = default;

host::LiveThread::Next HostThreads::Thread::next(const host::Returned& last) {
  coming = false;
  const size_t count = all.program_.threads[number].calls.size();
  if (calling) {
    if (given > 0) {
      answer = {last.now, std::string(last.error), std::string(last.why), std::string(last.answer),
                last.time};
    }
    if (given < count) {
      return {given++};
    }
  }
  if (over) {
    return {kEnd};
  }
  if (std::exchange(leaves, false)) {
    away = true;
    return {kAway};
  }
  away = calling = false;
  turn = true;
  all.turn_of_ = this;
  ++all.turn_;
  return {kLater};
}

HostThreads::Thread& HostThreads::add() {
  const auto number = static_cast<uint32_t>(threads_.size());
  workload::Thread& calls = builder_.thread(number == 0 ? "main" : "thread " + std::to_string(number));
  Thread& t = threads_.emplace_back(*this, calls, number);
  program_.threads[number].live = &t;
  return t;
}

bool HostThreads::known() const { return mine.host == id_; }

HostThreads::Thread& HostThreads::current() {
  if (!known()) {
    Thread& t = add();
    mine = {id_, t.number};
    t.task = gettid();
    if (held_) {
      take_turn(t, true);  // others that it makes wait for it
    }
  }
  return threads_[mine.number];
}

workload::Thread& HostThreads::calls() { return current().calls; }

void HostThreads::back(Thread& t, host::Ps at) {
  t.coming = true;
  run_->come_back(t.number, std::max(at, drifted_));
}

void HostThreads::leave_turn() {
  turn_of_ = nullptr;
  ++turn_;
}

void HostThreads::let_go() {
  turn_of_->leaves = true;
  leave_turn();
}

void HostThreads::take_turn(Thread& t, bool comes_back) {
  if (turn_of_ == &t && !t.turn) {  // a thread that begins may have it already
    leave_turn();
  }
  if (comes_back && t.away && !t.coming) {
    back(t, share_ == nullptr ? run_->now() : std::max(run_->now(), share_->time()));
  }
  ++takers_;
  const struct Leaves {
    uint32_t& takers;
    ~Leaves() { --takers; }
  } leaves{takers_};
  while (!t.turn && !over_) {
    if (turn_of_ != nullptr && !held_) {
      let_go();
    }
    if (turn_of_ != nullptr) {
      t.go.wait(mutex_);
      continue;
    }
    advance();
    if (turn_of_ == nullptr) {
      if (!others_may_act(t)) {
        t.calling = false;
        throw CallFailed(Status::kUnknown, "the call never returns: nothing can happen any more");
      }
      t.go.wait(mutex_);
    } else if (turn_of_ != &t) {
      turn_of_->go.notify_one();
    }
  }
  t.turn = false;
  acted_ = true;
}

// Who goes on by itself, without the turn, can make others go on.
bool HostThreads::others_may_act(const Thread& t) const {
  return std::any_of(threads_.begin(), threads_.end(), [&](const Thread& other) {
    return &other != &t && !other.over && other.away && other.waits == nullptr;
  });
}

HostThreads::Answer HostThreads::run() {
  Thread& t = current();
  const struct Clears {
    host::ThreadDesc& thread() const { return program.threads[number]; }
    ~Clears() { thread().calls.clear(); }
    host::Program& program;
    uint32_t number;
  } clears{program_, t.number};
  std::deque<host::Call>& calls = clears.thread().calls;
  if (over_) {
    return {};
  }
  for (const auto& [op, time] :
       {std::pair(host::Op::kSleep, &t.slept), std::pair(host::Op::kCompute, &t.spent)}) {
    if (*time > host::Ps()) {
      host::Call own;
      own.type = &host::type_of(op);
      own.op = op;
      own.duration = std::exchange(*time, {});
      calls.push_front(own);
    }
  }
  host::check_more(program_, checked_);
  checked_ = host::Sizes(program_);
  for (size_t i = 0; i < calls.size(); ++i) {
    host::check_more(program_, t.number, i);
  }
  t.given = 0;
  t.calling = !calls.empty();
  take_turn(t, true);
  return std::move(t.answer);
}

host::Ps HostThreads::now() {
  const Thread& t = current();
  return run_->now() + t.spent + t.slept;
}

void HostThreads::spend(host::Ps time, bool asleep) {
  Thread& t = current();
  (asleep ? t.slept : t.spent) += time;
  if (held_ && t.spent + t.slept > kSpentAtOnce && !t.calling) {
    run();
  }
}

uint32_t HostThreads::expect() {
  Thread& t = add();
  back(t, now());
  return t.number;
}

void HostThreads::begin(uint32_t number) {
  mine = {id_, number};
  threads_[number].task = gettid();
  take_turn(threads_[number], true);
}

void HostThreads::end() {
  Thread& t = current();
  t.over = true;
  wake(&t);
  if (turn_of_ == &t) {
    leave_turn();
  }
  pass_on();
}

// Whoever waits for the turn has a look.
void HostThreads::pass_on() {
  for (Thread& t : threads_) {
    t.go.notify_one();
  }
}

void HostThreads::join(uint32_t number) {
  while (!threads_[number].over && !over_) {
    wait(&threads_[number], {}, false);
  }
}

bool HostThreads::wait(const void* key, std::optional<host::Ps> deadline, bool outside) {
  Thread& t = current();
  if (over_) {
    return true;
  }
  if (t.spent + t.slept > host::Ps()) {
    run();
  }
  t.waits = key;
  t.outside = outside && share_ != nullptr;
  waiting_.push_back(&t);
  t.leaves = !t.away;
  if (deadline) {
    run_->come_back(t.number, *deadline);
  }
  take_turn(t, false);
  if (t.waits == nullptr) {
    return true;
  }
  t.waits = nullptr;
  std::erase(waiting_, &t);
  return false;
}

void HostThreads::wake(const void* key, uint32_t most) {
  for (auto it = waiting_.begin(); it != waiting_.end() && most > 0;) {
    Thread& t = **it;
    if (t.waits != key) {
      ++it;
      continue;
    }
    t.waits = nullptr;
    it = waiting_.erase(it);
    back(t, known() ? now() : run_->now());
    --most;
    if (turn_of_ == nullptr) {  // who wakes has not the turn: somebody else goes on
      pass_on();
    }
  }
}

bool HostThreads::give_up(uint64_t turn) {
  if (turn_ != turn || turn_of_ == nullptr) {
    return false;
  }
  let_go();
  ++given_up_;
  pass_on();
  if (share_ != nullptr && takers_ == 0) {
    share_->away();
  }
  return true;
}

bool HostThreads::drift(host::Ps time) {
  if (turn_of_ != nullptr || takers_ > 0 || over_ || run_->idle()) {
    return false;
  }
  drifted_ = std::max(run_->now(), drifted_) + time;
  if (share_ == nullptr) {
    run_->advance(drifted_);
  } else {
    take_share(drifted_);
    share_->away();
  }
  if (turn_of_ != nullptr) {
    turn_of_->go.notify_one();
  }
  return true;
}

host::Result HostThreads::finish() {
  for (Thread& t : threads_) {
    t.over = true;
    if (t.away && !t.coming) {
      back(t, run_->now());
    }
  }
  turn_of_ = nullptr;
  over_ = true;
  pass_on();
  if (share_ == nullptr) {
    run_->advance();
  } else {
    while (take_share(host::kNever)) {
    }
    share_->leave();
  }
  return run_->finish();
}

}  // namespace heddle::cuda
