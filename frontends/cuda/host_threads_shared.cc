// Threads of a program that shares the device with other processes.
#include <unistd.h>

#include <algorithm>
#include <new>

#include "frontends/cuda/host_threads.h"

namespace heddle::cuda {
namespace {

const char kOutside = 0;  // what threads wait for that other processes do

}  // namespace

void HostThreads::share(Share* share) {
  share_ = share;
  if (share_ != nullptr) {
    share_->stop = [this](host::Ps at) { run_->stop_at(at); };
    drifted_ = std::max(drifted_, share_->begins_at());
  }
}

void HostThreads::forked() {
  new (&mutex_) std::recursive_mutex;
  takers_ = 0;
  waiting_.clear();
  for (Thread& t : threads_) {
    new (&t.go) std::condition_variable_any;
    t.over = !known() || t.number != current().number;
    t.task = t.over ? t.task : gettid();
  }
  coming_ = share_ != nullptr;
}

void HostThreads::advance() {
  if (share_ == nullptr) {
    run_->advance();
    return;
  }
  while (turn_of_ == nullptr && !over_ && take_share(host::kNever)) {
  }
}

bool HostThreads::take_share(host::Ps until) {
  const bool outside =
      !over_ && std::any_of(waiting_.begin(), waiting_.end(), [](const Thread* t) { return t->outside; });
  const host::Ps next = std::min(run_->next_time(), until);
  const std::optional<Share::Turn> turn =
      share_->turn({run_->now(), next, acted_, outside || !awaited_.empty()});
  acted_ = coming_ = false;
  if (!turn) {
    return false;
  }
  if (turn->looks) {
    look_outside(turn->at);
  }
  std::erase_if(awaited_, [&](const Awaited& a) {
    const std::optional<host::Ps> at = share_->done(a.event, a.record);
    if (at) {
      run_->came(a.values, *at);
    }
    return at.has_value();
  });
  run_->advance(std::min(std::max(turn->until, turn->looks ? turn->at : host::Ps()), until));
  return true;
}

void HostThreads::look_outside(host::Ps at) {
  for (auto it = waiting_.begin(); it != waiting_.end();) {
    Thread& t = **it;
    if (!t.outside) {
      ++it;
      continue;
    }
    t.waits = nullptr;
    it = waiting_.erase(it);
    back(t, at);
  }
}

bool HostThreads::wait_outside(const std::function<bool()>& come, std::optional<host::Ps> deadline) {
  if (coming_) {
    run();
  }
  bool in_time = true;
  while (!come()) {
    if (!in_time || over_ || share_ == nullptr) {
      return false;
    }
    in_time = wait(&kOutside, deadline);
    acted_ = acted_ && !in_time;  // it has only looked
  }
  acted_ = true;
  return true;
}

}  // namespace heddle::cuda
