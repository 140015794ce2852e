// The program's calls on the live model of the host: what happens on the device, and when.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "configs/schema/gpu.pb.h"
#include "frontends/cuda/address_space.h"
#include "frontends/cuda/graphs.h"
#include "frontends/cuda/host_threads.h"
#include "frontends/cuda/nested_calls.h"
#include "frontends/cuda/streams.h"
#include "frontends/cuda/work.h"
#include "frontends/workload/builder.h"
#include "sim/host/core/effects.h"
#include "sim/host/core/kernel_model.h"

namespace heddle::cuda {

// What the model knows of a launch.
host::KernelDesc described(const KernelWork& k, host::Ps duration);

class Timeline {
 public:
  struct Options {
    host::Effects* effects = nullptr;
    host::KernelModel* kernels = nullptr;  // runs them; null: they are executed whole when they begin
    bool spans = false;                    // are kept
    bool new_process = false;              // its first calls start the driver
  };
  Timeline(const config::GpuConfig& gpu, AddressSpace& space, const Options& options);

  // A call of the current thread's, which `add` adds. Returns when it has returned on the simulated host.
  template <class F>
  HostThreads::Answer call(F&& add) {
    add(threads_.calls());
    return threads_.run();
  }
  HostThreads& threads() { return threads_; }
  workload::Builder& builder() { return builder_; }
  // A kernel is loaded by its first launch (CUDA_MODULE_LOADING).
  bool loads_lazily() const { return options_.rules.lazy_loading; }

  void allocated(Allocation& a, const char* name);  // gives it its buffer
  // The host's memory is pinned, and is no longer.
  void registered(Allocation& a);
  void unregistered(const Allocation& a);
  // `values`: what it does to them (host::Call::values).
  HostThreads::Answer launched(const KernelWork& k, workload::Stream stream, uint64_t values);
  // `waits`: the plain call, not ...Async.
  HostThreads::Answer copied(const CopyWork& c, workload::Stream stream, bool waits, uint64_t values);
  HostThreads::Answer set(const MemsetWork& m, workload::Stream stream, bool waits, uint64_t values);
  // A call that asks for the function's attributes, and loads it.
  void asked(LoadedFunction& f);
  HostThreads::Answer called(workload::Stream stream, uint64_t values);  // a function of the host's
  // `values` keeps what a node does.
  using Keep = std::function<uint64_t(const Work&)>;
  void instantiated(GraphExec& x, const Keep& values);
  // All nodes of an instantiated graph do something else now; or one. Throw CallFailed when the model
  // refuses.
  void updated(GraphExec& x, const Keep& values);
  void changed(GraphExec& x, size_t at, const Keep& values);

  // What the device says now.
  double elapsed_ms(const Event& from, const Event& to);
  bool done(const Event& e);
  bool done(const Stream& s);

  // The kernel `kernel`, which begins now and was executed whole, has called that.
  void performed(uint32_t kernel, const Performed& p);

  // The whole program: it is over.
  host::Result finish() { return threads_.finish(); }

 private:
  struct Place {
    workload::Buffer buffer;
    uint64_t offset;
  };
  static std::string key(const KernelWork& k);
  workload::Kernel kernel(const KernelWork& k);
  std::vector<NestedCall> nested_calls(const Performed& p);
  workload::Kernel nested_kernel(const KernelWork& k, const Performed& p);
  workload::Kernel add(const KernelWork& k, host::KernelDesc desc);
  Place place(uint64_t address, uint64_t bytes);
  host::GraphNode node_of(const Work& work, const Keep& values);
  workload::Graph graph_of(const std::vector<Node*>& order, const Keep& values);

  AddressSpace& space_;
  const bool has_machine_;
  workload::Builder builder_;
  workload::Buffer pageable_;
  std::map<std::string, workload::Kernel> kernels_;      // by what the model knows of them
  std::map<std::string, uint32_t> loaded_as_;            // by name: the first of them, whose code it is
  std::map<const modules::Program*, uint32_t> modules_;  // their numbers
  host::PlatformOptions options_;
  HostThreads threads_;
};

}  // namespace heddle::cuda
