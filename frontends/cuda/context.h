// A process's CUDA context: what its calls do. Each is a call on the model of the host, which returns when
// that does; values change when the model comes to the work (context_values.cc). Used by who holds the
// threads' mutex (host_threads.h).
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <vector>

#include "configs/schema/gpu.pb.h"
#include "frontends/cuda/address_space.h"
#include "frontends/cuda/arrays.h"
#include "frontends/cuda/assumptions.h"
#include "frontends/cuda/graphs.h"
#include "frontends/cuda/handles.h"
#include "frontends/cuda/library.h"
#include "frontends/cuda/pools.h"
#include "frontends/cuda/status.h"
#include "frontends/cuda/streams.h"
#include "frontends/cuda/timeline.h"
#include "frontends/cuda/user_objects.h"
#include "sim/base/error.h"
#include "sim/exec/launch.h"
#include "sim/host/core/params.h"

namespace heddle::cuda {

// Executes a launch whole, and says how long it takes on the device.
class KernelRunner {
 public:
  virtual ~KernelRunner() = default;
  // `output` gets what it prints. Throws exec::ThreadFault, Error.
  virtual host::Ps run(const LoadedFunction& function, const exec::Launch& launch,
                       std::shared_ptr<std::string> output) = 0;
};

// Whose kernels a KernelMachine runs.
class KernelSource {
 public:
  virtual ~KernelSource() = default;
  struct Opened {
    const LoadedFunction* function = nullptr;  // null: it is not to be run, an earlier kernel has failed
    exec::Launch launch;
  };
  // The launch (host::KernelModel::Launch::values) begins.
  virtual Opened open(uint64_t values) = 0;
  // What of the addresses is memory of the host's or unified, and a number that changes with it.
  struct HostMemory {
    uint64_t address = 0, bytes = 0;
    uint32_t buffer = 0;      // of the model
    uint64_t page_bytes = 0;  // of unified memory; 0: the host's
  };
  virtual uint64_t host_memory_version() const = 0;
  virtual std::vector<HostMemory> host_memory() const = 0;
  // It has ended, and has printed that. `failure`: what it threw, or null.
  virtual void ended(const LoadedFunction& function, const std::string& output,
                     std::exception_ptr failure) = 0;
};

// Runs launches beside each other, in the model's time; and whole ones, in no time of it.
class KernelMachine : public host::KernelModel, public KernelRunner {
 public:
  // Before the first launch. Outlives what it launches.
  virtual void serve(KernelSource& source) = 0;
};

// What the program has said of an allocation of unified memory, last: as cudaMemRangeGetAttribute answers.
// Of an allocation as a whole: who advises parts of one finds the last advice for all of it.
struct Advised {
  bool read_mostly = false, accessed = false;
  int32_t preferred_type = 0, preferred_id = 0;  // cudaMemLocation; 0: none
  int32_t prefetched_type = 0, prefetched_id = 0;
};

struct Registered {
  void* data = nullptr;
};

class Context final : private host::Effects, private KernelSource {
 public:
  struct Environment {
    KernelRunner* runner = nullptr;
    KernelMachine* machine = nullptr;             // null: kernels are executed whole, by `runner`
    bool spans = false;                           // the model keeps its timeline
    std::function<void(std::string_view)> print;  // of kernels' printf
    std::function<void(std::string_view)> note;   // to the user, once for each text
    bool new_process = false;                     // its first calls start the driver
  };
  // `gpu` and what the environment points to outlive this.
  Context(const config::GpuConfig& gpu, Environment environment);

  AddressSpace& space() { return space_; }
  Library& library() { return library_; }
  Timeline& timeline() { return timeline_; }
  Pools& pools() { return pools_; }
  const config::GpuConfig& gpu() const { return gpu_; }
  const host::Params& params() const { return params_; }
  void note(std::string_view text) { environment_.note(text); }
  Assumptions& assumptions() { return assumptions_; }

  // A kernel has failed: what all calls return from then on.
  Status failed() const { return failed_; }
  // A kernel with printf in its code has been launched.
  bool prints() const { return prints_; }
  // The calling thread runs a function of the program's, in the order of a stream: it may not call CUDA.
  bool in_host_function() const { return host_function_by_.load() == std::this_thread::get_id(); }
  void function_spends(host::Ps time) { function_spent_ += time; }

  // What the program has asked of the device.
  struct Settings {
    std::map<int32_t, uint64_t> limits;  // cudaLimit...
    uint32_t schedule = 0;               // cudaDeviceSchedule...
  };
  Settings& settings() { return settings_; }
  const Settings& settings() const { return settings_; }
  // cudaDeviceSchedule...: how threads of the host wait.
  void set_schedule(uint32_t schedule);

  // cudaDeviceReset: waits, then nothing is left of memory, handles, settings and modules, but for what
  // start-up has registered, which is loaded anew. A failed kernel stays one, but for an assertion (ER02).
  void reset();

  // What was registered to be told of something that never happens here.
  Handles<Registered>& registered() { return registered_; }

  // ---- memory (context_memory.cc)
  uint64_t allocate(uint64_t bytes, host::Memory kind);
  void release(uint64_t address);       // cudaFree
  void release_host(uint64_t address);  // cudaFreeHost
  void register_host(uint64_t address, uint64_t bytes);
  void unregister_host(uint64_t address);
  uint64_t allocate(uint64_t bytes, Stream& stream, Pool& pool);
  void release(uint64_t address, Stream& stream);
  // In the direction that is asked for. Throw CallFailed for addresses that are not there.
  void copy(CopyWork c, Stream& stream, bool waits);
  void set(MemsetWork m, Stream& stream, bool waits);
  Advised& advised(uint64_t allocation) { return advised_[allocation]; }
  // To or from a variable of the program's.
  CopyWork symbol_copy(const void* symbol, uint64_t offset, uint64_t other, uint64_t bytes, bool to_symbol);
  uint64_t symbol_address(const void* symbol);
  // The program's instruction there has found no memory, or the system is about to read or write it for the
  // program. False: it is none of unified memory.
  bool touched(uint64_t address, uint64_t bytes, bool writes);

  // ---- arrays, textures, surfaces (context_arrays.cc)
  // Throw CallFailed for what no array may be.
  Array& create_array(const ArrayShape& shape);
  MipmappedArray& create_mipmapped(ArrayShape shape);
  Array& array(const void* handle);  // of a level, too
  MipmappedArray& mipmapped(const void* handle);
  void destroy(Array& a);
  void destroy(MipmappedArray& m);
  // Handles of objects. Throw CallFailed, with why, for what may not be.
  uint64_t create_texture(LookupObject asked);
  uint64_t create_surface(const Resource& r);
  void destroy_object(uint64_t handle, exec::texture::Kind kind);
  const LookupObject& object(uint64_t handle, exec::texture::Kind kind) { return objects_.at(handle, kind); }

  // ---- streams and events (context_streams.cc)
  Stream& stream(const void* handle);  // 0, 1: the legacy default stream; 2: the thread's own
  Stream& create_stream(uint32_t flags, int32_t priority);
  void destroy(Stream& s);
  void synchronize(Stream& s);
  void synchronize();
  Event& event(const void* handle);
  Event& create_event(uint32_t flags);
  void destroy(Event& e);
  void record(Event& e, Stream& s, bool external);
  void wait(Stream& s, Event& e, bool external);
  void synchronize(Event& e);
  bool done(Event& e);
  bool done(Stream& s);
  double elapsed_ms(Event& from, Event& to);

  // ---- several processes (context_ipc.cc)
  // The handles as one process gives them to another: 64 bytes, what is not used 0.
  struct MemoryHandle {
    char kind[8] = {};
    int32_t process = 0, file = -1;  // whose descriptor it is
    uint64_t bytes = 0, allocation = 0;
    uint8_t rest[32] = {};
  };
  struct EventHandle {
    char kind[8] = {};
    uint32_t number = 0;
    uint8_t rest[52] = {};
  };
  // Of the device memory from cudaMalloc that the address is in. Throw CallFailed.
  MemoryHandle export_memory(uint64_t address);
  uint64_t import_memory(const MemoryHandle& h);
  void close_memory(uint64_t address);
  EventHandle export_event(Event& e);
  Event& import_event(const EventHandle& h);
  // Of what the device has, other processes' memory apart.
  uint64_t device_free();

  // ---- launches (context_launch.cc)
  // Throws CallFailed for what the device cannot have.
  void launch(KernelWork k, Stream& s);
  void call_host(HostWork h, Stream& s);
  // Throws CallFailed when the stream captures.
  void not_in_capture(Stream& s);
  void check(const KernelWork& k) const;
  void prepare(const KernelWork& k);
  // The parameters from an array of pointers to them.
  static std::vector<uint8_t> parameters_of(const modules::Kernel& k, void* const* arguments);

  // ---- graphs (context_graphs.cc)
  void begin_capture(Stream& s, std::shared_ptr<Graph> into, const std::vector<Node*>& front);
  std::shared_ptr<Graph> end_capture(Stream& s);
  Graph& create_graph();
  Graph& keep(std::shared_ptr<Graph> g);  // until the program destroys it
  std::shared_ptr<Graph> graph(const void* handle);
  void destroy(Graph& g);
  // Of a graph that the program holds.
  Node& node(const void* handle);
  void destroy(Node& n);
  // Of a kernel node: pointers to its parameters, which stay until they are changed.
  void** parameter_pointers(Node& n);
  GraphExec& instantiate(const Graph& g, uint32_t flags);
  GraphExec& exec(const void* handle);
  void destroy(GraphExec& x);
  void launch(GraphExec& x, Stream& s);
  // Throws CallFailed when the nodes are of other kinds.
  void update(GraphExec& x, const Graph& g);
  void change(GraphExec& x, const Node& original, Work work);
  void enable(GraphExec& x, const Node& original, bool on);
  // A handle of the graph's conditional nodes. Throw CallFailed for what such a node may not be.
  uint64_t create_condition(const Graph& g, uint32_t value, bool assigns);
  ConditionalWork conditional(const Graph& g, uint64_t handle, host::GraphNode::Condition condition,
                              uint32_t bodies);
  // Memory that a graph allocates: its address is the graph's from now on, and stays its own.
  uint64_t allocate_for_graph(uint64_t bytes);
  UserObject& create_user_object(HostWork destructor, uint32_t count);
  // Of the program's own; of the graph's.
  void retain_user_object(const void* object, uint32_t count);
  void release_user_object(const void* object, uint32_t count);
  void retain_user_object(Graph& g, const void* object, uint32_t count, bool moves);
  void release_user_object(Graph& g, const void* object, uint32_t count);

  // What kernels have printed till now is shown; CUDA does so when the host waits.
  void flush();

 private:
  // ---- context_ipc.cc
  Share* shared() { return timeline_.threads().shared(); }
  void tell_use();
  void record_shared(Event& e, Stream& s);
  // False: it is as any other event now; else its last record is another process's.
  bool is_others(const Event& e);
  void wait_others(Stream& s, Event& e);
  void synchronize_others(Event& e);
  bool others_done(Event& e);
  // The stream captures: the work is a node.
  bool captured(Stream& s, Work work, bool waits);
  void not_in_any_capture();
  // The stream's order as the default streams' rules make it, at its next work.
  void settle(Stream& s);
  // ---- context_values.cc
  struct Values {
    Work work;
    std::vector<uint8_t> taken;  // of a copy: what it has read, rows without what lies between
    bool node = false;           // of a graph: happens as often as that is launched
  };
  using ValuesOf = std::unordered_map<uint64_t, Values>;
  void happens(uint64_t values) override;
  void reads(uint64_t values) override;
  host::Ps runs(uint64_t values) override;
  host::Ps begins(uint64_t values, uint32_t kernel) override;
  uint32_t condition(uint64_t values) override;
  void assign(uint64_t values, uint32_t value) override;
  // ---- context_pages.cc
  void placed(uint32_t buffer, uint64_t page, bool loads, bool stores) override;
  bool pages_fault() const;  // unified memory has its place by the page
  Opened open(uint64_t values) override;
  void ended(const LoadedFunction& function, const std::string& output, std::exception_ptr failure) override;
  uint64_t host_memory_version() const override { return space_.host_version(); }
  std::vector<HostMemory> host_memory() const override;
  uint64_t keep(Work work, bool node);
  void drop(ValuesOf::iterator it);
  // The call has returned: nothing happens if it has failed.
  void submitted(uint64_t values, const HostThreads::Answer& a);
  void when_idle(std::function<void()> release);
  // Destructors of user objects are called.
  void end_user_objects();
  void call_program(const HostWork& h);
  void settle_values();
  void fail(const std::string& kernel, std::exception_ptr failure);
  static std::string all_of(const Unsupported& e);  // its lines, too
  exec::Launch executable(const KernelWork& k);
  Performed perform_kernel(const KernelWork& k, uint32_t generation = 0);
  std::vector<NestedWork> perform_nested(const KernelWork& parent, const exec::Launch& done,
                                         uint32_t generation);
  void note_what_is_free(const exec::Code& code);
  // Throws CallFailed when an address is not there.
  void check_copy(const CopyWork& c);
  static uint64_t end_of_source(const CopyWork& c);
  static uint64_t end_of_target(const CopyWork& c);
  void perform_copy(const CopyWork& c, const uint8_t* taken);
  exec::texture::Image image(const Resource& r, ElementFormat& format);
  void perform_set(const MemsetWork& m);
  Timeline::Keep keeps(GraphExec& x);
  void prepare_all(const Graph& g);
  void forget_bodies(const Graph& g);
  void forget_bodies(const Node& n);

  const config::GpuConfig& gpu_;
  const Environment environment_;
  const host::Params params_;
  AddressSpace space_;
  Pools pools_;
  Library library_;
  UserObjects user_objects_;  // outlive the graphs that have references
  ValuesOf values_;
  uint64_t value_ids_ = 0;
  std::vector<uint64_t> retired_;            // values of graphs' nodes that no later launch has
  std::vector<std::function<void()>> late_;  // when the device has nothing to do
  host::Ps function_spent_{};                // by the host function that runs
  struct Unified {
    uint64_t address = 0, bytes = 0;
    struct Page {
      bool loads = false, stores = false;  // the host may
      bool shown = false;                  // a piece of it
    };
    std::vector<Page> pages;
  };
  std::map<uint32_t, Unified> unified_;  // by the model's buffer
  struct Imported {
    MemoryHandle handle;
    uint32_t users = 0;
  };
  std::map<uint64_t, Imported> imported_;  // by address
  std::map<uint64_t, Advised> advised_;    // by where the allocation begins
  Timeline timeline_;
  Assumptions assumptions_;
  Status failed_ = Status::kSuccess;
  std::string printed_;
  bool prints_ = false;
  uint64_t ids_ = 0;
  Stream legacy_;
  std::map<std::thread::id, Stream*> own_;  // cudaStreamPerThread, of each thread
  Settings settings_;
  std::atomic<std::thread::id> host_function_by_{};
  Handles<Stream> streams_{Status::kInvalidResourceHandle, "no such stream"};
  Handles<Event, std::shared_ptr<Event>> events_{Status::kInvalidResourceHandle, "no such event"};
  std::map<uint64_t, std::shared_ptr<ConditionHandle>> conditions_;  // by the handle
  Handles<Registered> registered_{Status::kInvalidResourceHandle, "nothing that was registered"};
  LookupObjects objects_;
  Handles<Array> arrays_{Status::kInvalidValue, "no such array"};
  Handles<MipmappedArray> mipmapped_{Status::kInvalidValue, "no such array of levels"};
  Handles<Graph, std::shared_ptr<Graph>> graphs_{Status::kInvalidValue, "no such graph"};
  Handles<GraphExec> execs_{Status::kInvalidValue, "no such graph"};
};

}  // namespace heddle::cuda
