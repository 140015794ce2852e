// The program's threads on the simulated host. Each is a thread of the model's (sim/host), and a call of it
// returns when it returns there. One of them at a time goes on by itself, between two calls: the model stands
// still meanwhile, at the time at which that thread's last call has returned. Who goes on next is decided by
// simulated time, then by number, so a program does the same in each run.
//
// That needs to know of every wait: a thread that waits for another one, outside of CUDA, lets go (wait()).
// Where nobody says so (held(false)), a call of one thread lets go of the others'.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "configs/schema/gpu.pb.h"
#include "frontends/cuda/share.h"
#include "frontends/workload/builder.h"
#include "sim/host/checks/check_program.h"
#include "sim/host/platform/run.h"
#include "sim/host/program/live_thread.h"

namespace heddle::cuda {

class HostThreads {
 public:
  // How a call returned.
  struct Answer {
    host::Ps now{};
    std::string error, why;  // empty: cudaSuccess
    std::string answer;      // of queries
    host::Ps time{};         // between two events
  };

  // `options` and what they point to outlive this.
  HostThreads(const config::GpuConfig& gpu, workload::Builder& builder, const host::PlatformOptions& options);
  ~HostThreads();
  HostThreads(const HostThreads&) = delete;
  HostThreads& operator=(const HostThreads&) = delete;

  // Everything below, and whatever else threads share, is done by who holds it.
  std::recursive_mutex& mutex() { return mutex_; }
  // In a child of fork(), whose other threads are gone; the mutex was held.
  void forked();
  // Whether all waits are known.
  void held(bool all) { held_ = all; }
  bool held() const { return held_; }

  // The calling thread's calls: what is added there run() carries out, and says how the last one returned.
  // Throws CallFailed when it never returns, and what host::run() throws.
  workload::Thread& calls();
  Answer run();
  // When its last call has returned, and what it has spent since.
  host::Ps now();
  host::Ps model_time() const { return run_->now(); }
  // Its own work, or sleep: time that passes before its next call.
  void spend(host::Ps time, bool asleep = false);

  // ---- waits outside of CUDA
  // A thread is about to be made by this one, and will begin(). The number that it is known by.
  uint32_t expect();
  void begin(uint32_t number);  // returns when it is its turn
  void end();                   // it makes no more calls
  void join(uint32_t number);   // waits until it has ended
  // Lets others go on until wake(key), or until `deadline`: false. `outside`: another process may do what it
  // waits for (a semaphore in memory of both), so that it also returns when one of them has gone on by
  // itself.
  bool wait(const void* key, std::optional<host::Ps> deadline = {}, bool outside = true);
  // The threads that wait for the key, the longest first, at most so many.
  void wake(const void* key, uint32_t most = UINT32_MAX);

  // ---- other processes (share.h)
  // The device is theirs, too, from now on; null: no longer. It outlives this.
  void share(Share* share);
  Share* shared() { return share_; }
  // Until `come` is true, or until `deadline`: false. That is for others to do, who need not be threads of
  // this process: it is asked at once, and whenever one of them has gone on by itself.
  bool wait_outside(const std::function<bool()>& come, std::optional<host::Ps> deadline = {});
  // A stream waits for a record of an event of several processes (Call::values of cudaStreamWaitEvent).
  void await(uint64_t values, uint32_t event, uint64_t record) {
    awaited_.push_back({values, event, record});
  }

  // The calling thread is known, so that time is its own.
  bool known() const;
  // A thread has gone on by itself for long without a call, while others, or the device, waited for it: they
  // go on without it. False: none has.
  bool give_up(uint64_t turn);
  uint64_t turn() const { return turn_; }  // changes whenever somebody gets or leaves the turn
  int turn_of() const {
    return turn_of_ == nullptr ? 0 : turn_of_->task;
  }  // the system's number of the thread
  // Others, or the device, wait for who has the turn.
  bool awaited() const {
    return takers_ > 0 || !waiting_.empty() || !run_->idle() || (share_ != nullptr && share_->awaited());
  }
  uint32_t given_up() const { return given_up_; }
  // Somebody has been given up: the device goes on by so much. False: it has nothing to do, or somebody has
  // the turn.
  bool drift(host::Ps time);
  // How threads wait from now on.
  void wait_by(host::Rules::Wait wait) { run_->wait_by(wait); }
  // The device has nothing left to do.
  bool idle() const { return run_->idle(); }
  // All threads end. The whole run.
  host::Result finish();

 private:
  struct Thread final : host::LiveThread {
    Thread(HostThreads& all, workload::Thread& calls, uint32_t number)
        : all(all), calls(calls), number(number) {}
    Next next(const host::Returned& last) override;

    HostThreads& all;
    workload::Thread& calls;
    const uint32_t number;  // of the program
    int task = 0;
    size_t given = 0;      // calls of those that were added
    bool calling = false;  // the last of those has not returned
    bool away = true;      // the model goes on without it
    bool leaves = false;   // it is away from its next turn on
    bool coming = false;   // it will be asked again
    bool over = false;
    bool turn = false;  // it may go on by itself
    Answer answer;
    host::Ps spent{}, slept{};  // since its last call, and not charged yet
    const void* waits = nullptr;
    bool outside = false;  // for what other processes may do
    std::condition_variable_any go;
  };
  Thread& current();
  Thread& add();
  // Returns when it is the thread's turn. `comes_back`: at once, if it is away.
  void take_turn(Thread& t, bool comes_back);
  bool others_may_act(const Thread& t) const;
  // The model goes on to where a thread has the turn, or nothing happens any more.
  void advance();
  // One turn among the processes. False: this one waits for nobody but itself.
  bool take_share(host::Ps until);
  void look_outside(host::Ps at);
  void pass_on();
  void leave_turn();
  void let_go();  // of who has the turn: the model goes on without it
  void back(Thread& t, host::Ps at);

  host::Program& program_;
  workload::Builder& builder_;
  const uint64_t id_;
  std::recursive_mutex mutex_;
  std::unique_ptr<host::OpenRun> run_;
  std::deque<Thread> threads_;
  std::deque<Thread*> waiting_;  // outside of CUDA, in their order
  Thread* turn_of_ = nullptr;    // who goes on by itself
  bool held_ = false;
  bool over_ = false;    // the run is finished: calls do nothing
  uint32_t takers_ = 0;  // threads that wait for their turn
  host::Ps drifted_{};   // the model has gone on until then without anybody
  host::Sizes checked_{program_};
  uint64_t turn_ = 0;
  uint32_t given_up_ = 0;
  // ---- other processes
  struct Awaited {
    uint64_t values;
    uint32_t event;
    uint64_t record;
  };
  Share* share_ = nullptr;
  std::vector<Awaited> awaited_;
  bool acted_ = false;   // a thread has gone on by itself since the last turn among the processes
  bool coming_ = false;  // made by fork(), and without a turn yet
};

}  // namespace heddle::cuda
