// Host threads: each makes its calls one after the other, each call takes its time on the host, some wait.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/host/calls/first_times.h"
#include "sim/host/calls/pauses.h"
#include "sim/host/checks/checker.h"
#include "sim/host/core/core.h"
#include "sim/host/core/result.h"
#include "sim/host/graphs/capture.h"
#include "sim/host/graphs/graphs.h"
#include "sim/host/links/migration.h"
#include "sim/host/memory/allocations.h"
#include "sim/host/memory/l2_control.h"
#include "sim/host/memory/vmm.h"
#include "sim/host/nested/nested.h"
#include "sim/host/program/call_type.h"
#include "sim/host/program/live_thread.h"
#include "sim/host/streams/clocks.h"
#include "sim/host/streams/connections.h"
#include "sim/host/streams/ordering.h"

namespace heddle::host {

class Threads {
 public:
  // What orders and memory the calls make and need.
  struct Parts {
    Ordering& ordering;
    Connections& connections;
    Clocks& clocks;
    Allocations& memory;
    Checker& checker;
    Unified& unified;
    Migration& migration;
    Graphs& graphs;
    Nested& nested;
    L2Control& l2;
    AddressSpace& space;
  };
  Threads(Core& core, const Parts& parts, Result& result);

  void start();
  void grow();  // to what the program has got since
  // kThread: the thread's time has come. LimitReached says in which call.
  void step(uint32_t thread);
  // One of the things that the thread waits for is there; it notices at `at`.
  void released(uint32_t thread, Ps at);
  void set_flag(uint32_t flag);
  bool flag(uint32_t flag) const { return flags_[flag]; }
  void event_done(uint32_t slot);
  void kernel_failed(uint32_t device, const char* error = "cudaErrorLaunchFailure") {
    device_error_[device] = error;
  }

  // Gives the devices what they have not been given (Rules::lazy_start). False: nothing.
  bool flush();
  bool all_done() const;
  // A live thread has no call yet: nothing happens until ask_again() has found one.
  bool later() const { return later_ > 0; }
  void ask_again();
  // A thread that is away comes back at `at`, unless it has come back before.
  void come_back(uint32_t thread, Ps at);
  // kComeBack: it is asked for its next call.
  void comes_back(uint32_t thread, uint64_t stamp);
  // Those that have not come to their ends are live and wait for items that nobody puts any more.
  bool all_idle() const;
  // kQueueTimeout: so long it has waited in its `wait`-th get.
  void queue_timeout(uint32_t thread, uint64_t wait);
  // "thread main, cudaFree, line 12: " of the first that has not come to its end.
  std::string where() const;
  // "thread main, call 12 (cudaStreamSynchronize)", of every thread that has not come to its end.
  struct Blocked {
    std::string who;
    std::string what;
    std::vector<CommandRef> for_commands;
    uint32_t for_flag = kNone;
    std::string why = {};  // of another kind
  };
  std::vector<Blocked> blocked() const;

  // For effects: what the call says, of CUDA's errors; what it answers.
  void fail(uint32_t thread, std::string_view error, const std::string& why);
  void answer(uint32_t thread, std::string_view value);

  // The calls, a group each in the file of its name.
  static std::span<const CallType> program_calls();
  static std::span<const CallType> queue_calls();
  static std::span<const CallType> launch_calls();
  static std::span<const CallType> copy_calls();
  static std::span<const CallType> event_calls();
  static std::span<const CallType> stream_calls();
  static std::span<const CallType> capture_calls();
  static std::span<const CallType> graph_calls();
  static std::span<const CallType> graph_node_calls();
  static std::span<const CallType> graph_memory_calls();
  static std::span<const CallType> memory_calls();
  static std::span<const CallType> pool_calls();
  static std::span<const CallType> unified_calls();
  static std::span<const CallType> vmm_calls();
  static std::span<const CallType> mapping_calls();
  static std::span<const CallType> device_calls();

 private:
  enum class Next : uint8_t { kEffect, kReturn, kStaged };
  struct Loop {
    size_t body;
    uint64_t left;
    uint64_t calls;  // that the thread had made when this turn began
  };
  // A copy of pageable memory in progress: pieces through the driver's two buffers.
  struct Staged {
    bool to_device = true;
    uint64_t left = 0;      // bytes not given to the device (from it: not asked for)
    uint64_t arriving = 0;  // from the device: bytes of the piece that is next to come
    uint32_t pieces = 0;
    double rate = 1;
    CommandRef in_flight[2];
    uint64_t size[2] = {0, 0};
    bool copying = false;
  };
  struct HostThread {
    size_t pc = 0;
    uint64_t calls = 0;
    Next next = Next::kEffect;
    bool done = false;
    uint32_t device = 0;
    uint32_t last_stream = kNone;
    uint32_t waits = 0;
    Ps resume_at{};
    Ps call_start{};
    Ps waits_since = kNever;  // kNever: it does not
    bool asleep = false;      // while it waits for commands
    Ps waited{};              // in this call
    std::vector<Loop> loops;
    std::vector<CommandRef> waits_for;
    uint32_t waits_for_flag = kNone;
    std::string last_error = "cudaSuccess";
    bool failed = false;  // the call that is under way
    Ps owed{};            // host time that the call before caused
    Staged staged;
    bool came_after_stream = false;  // a plain copy has waited for what its stream had to do
    bool trimmed = false;            // pools, in this call
    // ---- of a live thread: what its call has answered, what it puts
    std::string answer, error, why;
    Ps elapsed{};
    uint32_t correlation = 0;  // of the call that is under way; 0: none yet
    std::vector<uint64_t> items;
    uint64_t item = 0;
    bool begun = false;
    bool later = false;      // it has no call yet (LiveThread::kLater)
    bool away = false;       // LiveThread::kAway
    uint64_t returns = 0;    // tells outdated times to come back at
    uint64_t at_return = 0;  // Call::values of a copy that has happened when the call returns
    // ---- in queues
    uint32_t waits_for_queue = kNone;  // and for items of it, or (puts) for room
    Ps got_since{};                    // when its get began
    uint64_t gets = 0;                 // tells outdated timeouts
    uint64_t left = 0;                 // items that it has not put
    bool lingers = false;              // its timeout for more items is set
    bool mapped = false;               // the graph that the call launches has its memory
    std::vector<uint32_t> freed;       // buffers that AutoFreeOnLaunch freed for that
    uint32_t track = 0;
  };

  // ---- stepping
  const Call& call(const HostThread& t, uint32_t thread) const {
    return core_.program.threads[thread].calls[t.pc];
  }
  void begin_next();
  void run_on(uint32_t thread);
  void ended(uint32_t thread);
  std::string place(uint32_t thread) const;    // "cudaFree, line 12"
  bool fetch(HostThread& t, uint32_t thread);  // past loop ends; false at the end
  bool ask(HostThread& t, uint32_t thread);    // a live thread, for its next call; false at the end
  Ps cost(uint32_t thread) const;
  bool effect(uint32_t thread);  // true: the call has returned
  bool gives_back(uint32_t thread);
  Ps locked(uint32_t thread, Ps at);
  void returned(uint32_t thread);
  // It goes on when the last of them has ended and it knows; `asleep`: the operating system has to wake it.
  void wait_for(uint32_t thread, const std::vector<CommandRef>& commands, bool asleep);
  void wait_for(uint32_t thread, const std::vector<CommandRef>& commands) {
    wait_for(thread, commands, core_.params.sleeps);
  }

  // ---- declarations: a call that costs a number of the configuration, one whose effect is a member
  template <Ps Params::Calls::*kCost>
  static Ps costs(const Threads& t, uint32_t, const Call&) {
    return t.core_.params.calls.*kCost;
  }
  // A call's fixed part and picoseconds for each MiB of its buffer or size.
  static Ps by_size(Ps call, double per_mib, uint64_t bytes) {
    return call + Ps::truncated(per_mib * static_cast<double>(bytes) / 1048576);
  }
  template <Ps Params::Calls::*kCall, double Params::Calls::*kPerMib>
  static Ps costs_by_size(const Threads& t, uint32_t, const Call& c) {
    return by_size(t.core_.params.calls.*kCall, t.core_.params.calls.*kPerMib, t.bytes_of(c));
  }
  template <Ps Params::Graph::*kCost>
  static Ps graph_costs(const Threads& t, uint32_t, const Call&) {
    return t.core_.params.graph.*kCost;
  }
  template <bool (Threads::*kEffect)(uint32_t, const Call&)>
  static bool does(Threads& t, uint32_t thread, const Call& c) {
    return (t.*kEffect)(thread, c);
  }
  template <std::optional<Refusal> (AddressSpace::*kEffect)(const Call&)>
  static bool maps(Threads& t, uint32_t thread, const Call& c) {
    t.done(thread, (t.space_.*kEffect)(c));
    return true;
  }

  // ---- effects of calls, true: it has returned (launch_calls.cc)
  bool launch(uint32_t thread, const Call& c);
  bool switches_carveout(const KernelDesc& k, uint32_t device);
  bool programmatic_allowed(uint32_t thread, const Call& c);
  void record_programmatic(uint32_t kernel, const Call& c);
  std::optional<Refusal> refuse(const HostThread& t, const Call& c) const;
  bool copy(uint32_t thread, const Call& c);
  bool copy_allowed(uint32_t thread, const Call& c);
  bool copy_by_host(uint32_t thread, const Call& c);
  bool comes_after_stream(uint32_t thread, const Call& c);
  bool copy_by_engine(uint32_t thread, const Call& c, Memory to, Memory from);
  Path copy_path(const Call& c, bool to_device, bool from_device) const;
  void order_copy(uint32_t slot, const Call& c, bool pageable);
  bool memset(uint32_t thread, const Call& c);
  bool launch_host_function(uint32_t thread, const Call& c);
  bool query_stream(uint32_t thread, const Call& c);
  bool destroy_stream(uint32_t thread, const Call& c);
  bool record_event(uint32_t thread, const Call& c);
  bool stream_waits_event(uint32_t thread, const Call& c);
  bool elapsed_time(uint32_t thread, const Call& c);
  bool synchronize_event(uint32_t thread, const Call& c);
  bool query_event(uint32_t thread, const Call& c);
  bool set_limit(uint32_t thread, const Call& c);
  bool get_limit(uint32_t thread, const Call& c);
  bool device_there(uint32_t thread, const Call& c);  // the device `object`; otherwise the call has failed
  // queue_calls.cc
  struct Queue {
    struct Item {
      uint64_t item;
      Ps put;
    };
    std::deque<Item> items;
    std::deque<uint32_t> getters, putters;  // threads that wait, in their order
    bool closed = false;
  };
  bool sleep_until(uint32_t thread, Ps at);
  bool put(uint32_t thread, const Call& c);
  bool get(uint32_t thread, const Call& c);
  bool close(uint32_t thread, const Call& c);
  bool may_take(const Queue& q, const HostThread& t, const Call& c) const;
  void serve(uint32_t queue);
  void go_on(uint32_t thread, uint32_t queue);
  // capture_calls.cc
  bool begin_capture(uint32_t thread, const Call& c);
  bool end_capture(uint32_t thread, const Call& c);
  // graph_calls.cc
  bool launch_graph(uint32_t thread, const Call& c);
  bool graph_edges(uint32_t thread, const Call& c);
  bool goes_on_after(uint32_t thread, Ps cost);
  bool goes_on_for(uint32_t thread, Ps more);
  uint64_t bytes_of(const Call& c) const;
  bool cuts(const Call& c) const { return c.object != kNone && memory_.cuts(c.object); }
  bool leaves_chunk(const Call& c) const { return c.object != kNone && memory_.leaves_chunk(c.object); }
  bool upload_graph(uint32_t thread, const Call& c);
  bool allocation_of_node(uint32_t thread, const Call& c);
  void check_tree(uint32_t thread, const Call& c, Epoch epoch);
  void check_graph(uint32_t thread, const Call& c, const std::vector<uint32_t>& freed);
  bool synchronize(uint32_t thread, const std::vector<CommandRef>& commands, bool asleep);
  bool synchronize(uint32_t thread, const std::vector<CommandRef>& commands) {
    return synchronize(thread, commands, core_.params.sleeps);
  }
  bool done(uint32_t thread, const std::optional<Refusal>& no);  // false: refused, the call has failed
  bool report_device_error(uint32_t thread, uint32_t device);
  void note_error(uint32_t thread, const std::string& error, const std::string& why);
  bool stream_alive(uint32_t thread, uint32_t stream);
  bool event_alive(uint32_t thread, uint32_t event);

  // ---- memory (memory_calls.cc)
  bool malloc(uint32_t thread, const Call& c);
  bool free(uint32_t thread, const Call& c);
  bool allocate(uint32_t thread, const Call& c);
  bool release(uint32_t thread, const Call& c);
  bool register_host(uint32_t thread, const Call& c);
  bool unregister_host(uint32_t thread, const Call& c);
  bool create_physical(uint32_t thread, const Call& c);
  bool reserve_addresses(uint32_t thread, const Call& c);
  bool unmap(uint32_t thread, const Call& c);
  Pool& pool_of(uint32_t thread, const Call& c);
  bool set_pool_attribute(uint32_t thread, const Call& c);
  bool malloc_async(uint32_t thread, const Call& c);
  bool free_async(uint32_t thread, const Call& c);
  bool free_of_graph(uint32_t thread, const Call& c, uint32_t stream, CommandRef done, const Clock* clock);
  // The buffer is there, and `device` reaches these bytes of it; otherwise the call has failed.
  struct Range {
    uint32_t buffer;
    uint64_t offset, bytes;
    bool written;
  };
  bool buffer_mapped(uint32_t thread, uint32_t device, const Range& r);
  // Places in the order, and what is accessed there. Only when the order is kept.
  Checker::Site site(uint32_t thread) const { return {thread, threads_[thread].pc, threads_[thread].calls}; }
  void accesses(const std::vector<Access>& more, const Call& c, Epoch epoch, const Clock& clock,
                uint32_t thread);
  void copy_accesses(uint32_t thread, const Call& c, bool source_by_host);
  bool host_access(uint32_t thread, const Call& c);
  // ---- unified memory (unified_calls.cc)
  bool moves(uint32_t thread, const Call& c);
  bool prefetch(uint32_t thread, const Call& c);
  bool unified_host_access(uint32_t thread, const Call& c);
  Memory memory_of(uint32_t buffer) const;
  uint32_t device_of(uint32_t buffer, uint64_t offset) const;

  // ---- commands
  uint32_t name_of(const Call& c);
  SpanOrigin origin_of(const HostThread& t, const Call& c) const;
  // The time since the last step went into the thread's call; `waited`: into what it waited for.
  void spent(uint32_t thread, bool waited);
  uint32_t make(Work work, uint32_t stream, uint32_t name);
  bool room(uint32_t thread, uint32_t stream, Work work, Path path);
  void submit(uint32_t slot, Ps after = {});  // the call's own time on the host until then
  void barrier(uint32_t device);

  // ---- pageable memory (staged.cc)
  bool start_staged(uint32_t thread, const Call& c, bool to_device);
  bool continue_staged(uint32_t thread);
  bool send_piece(uint32_t thread);
  bool receive_piece(uint32_t thread);
  CommandRef ask_piece(uint32_t thread, uint64_t bytes, Path path);

  Core& core_;
  Ordering& ordering_;
  Connections& connections_;
  Graphs& graphs_;
  Nested& nested_;
  Captures captures_;
  Clocks& clocks_;
  Allocations& memory_;
  Checker& checker_;
  Unified& unified_;
  Migration& migration_;
  L2Control& l2_;
  AddressSpace& space_;
  Result& result_;
  std::deque<HostThread> threads_;  // stay where they are when there are more
  struct Launching {
    uint32_t thread = kNone;
    Ps until{};
  };
  std::vector<Launching> launching_;  // into each stream; only with several threads
  Ps driver_free_{};
  std::vector<bool> flags_;
  std::vector<Queue> queues_;
  uint32_t correlations_ = 0;  // calls that have begun
  uint32_t calling_ = kNone;   // the thread whose put or get is looked at
  std::vector<bool> streams_alive_;
  std::vector<bool> events_alive_;
  struct EventState {
    bool recorded = false;
    Ps time{};
    CommandRef done;  // the record that `time` is of
  };
  std::vector<EventState> event_states_;
  std::vector<std::string> device_error_;
  std::set<const Call*> checked_trees_;  // launches
  bool started_ = false;
  uint32_t begun_ = 0;                   // threads that run or have ended
  uint32_t later_ = 0;                   // live threads without a call yet
  std::vector<uint32_t> not_submitted_;  // with Rules::lazy_start
  FirstTimes first_;
  Pauses pauses_;
  std::vector<uint32_t> carveout_;  // of each device, by the kernel before; kNone: none asked for one
  // Names of spans.
  std::vector<uint32_t> kernel_name_;
  std::vector<uint32_t> op_name_;
  std::map<const CallType*, uint32_t> other_names_;  // of Op::kOther
  uint32_t h2d_name_, d2h_name_, d2d_name_, peer_name_, h2h_name_;
};

}  // namespace heddle::host
