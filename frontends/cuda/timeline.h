// The program's calls as the host model runs them: what happens on the device, and when.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "configs/schema/gpu.pb.h"
#include "frontends/cuda/address_space.h"
#include "frontends/cuda/answers.h"
#include "frontends/cuda/graphs.h"
#include "frontends/cuda/nested_calls.h"
#include "frontends/cuda/streams.h"
#include "frontends/cuda/work.h"
#include "frontends/workload/builder.h"
#include "sim/host/platform/run.h"

namespace heddle::cuda {

// What the model knows of a launch.
host::KernelDesc described(const KernelWork& k, host::Ps duration);

class Timeline {
 public:
  Timeline(const config::GpuConfig& gpu, AddressSpace& space);

  // All calls of the program, whichever of its threads made them, in their order.
  workload::Thread& calls() { return main_; }
  workload::Builder& builder() { return builder_; }

  void allocated(Allocation& a, const char* name);  // gives it its buffer
  // The host's memory is pinned, and is no longer.
  void registered(Allocation& a);
  void unregistered(const Allocation& a);
  // How threads of the host wait, from the program's start on (cudaDeviceSchedule...).
  void wait_by(host::Rules::Wait wait);
  // The kernel that lasts so long. The same one for equal launches.
  workload::Kernel kernel(const KernelWork& k, const Performed& p);
  void launched(const KernelWork& k, workload::Kernel kernel, workload::Stream stream);
  // `waits`: the plain call, not ...Async.
  void copied(const CopyWork& c, workload::Stream stream, bool waits);
  void set(const MemsetWork& m, workload::Stream stream, bool waits);
  void instantiated(GraphExec& x);
  // A launch of the graph, whose kernels lasted so long, in the order of GraphExec::order.
  void launched(GraphExec& x, const std::vector<host::Ps>& durations, workload::Stream stream);

  // What the device says at this point of the program (answers.h). Who only asks, again and again, asks less
  // often the longer it takes: behind the first 65536 times, which an H200's host needs some 25 ms for, 64
  // times for as long as it has taken.
  double elapsed_ms(const Event& from, const Event& to);
  bool done(const Event& e);
  bool done(const Stream& s);
  // A kernel is loaded by its first launch (CUDA_MODULE_LOADING).
  bool loads_lazily() const { return rules_.lazy_loading; }
  // When the program's last call has returned.
  host::Ps now();
  const Answers& answers() const { return answers_; }

  // The whole program.
  host::Result run(bool spans);

 private:
  struct Place {
    workload::Buffer buffer;
    uint64_t offset;
  };
  static std::string key(const KernelWork& k);
  std::vector<NestedCall> nested_calls(const Performed& p);
  workload::Kernel add(host::KernelDesc desc);
  Place place(uint64_t address, uint64_t bytes);
  host::GraphNode node_of(const Node& n, GraphExec& x, size_t at);
  // Of a query that has been called, or is now by `call`.
  template <class Call>
  bool ask(host::Op op, uint32_t object, uint32_t stream, const Call& call);

  const config::GpuConfig& gpu_;
  AddressSpace& space_;
  workload::Builder builder_;
  workload::Thread& main_;
  workload::Buffer pageable_;
  std::map<std::string, workload::Kernel> kernels_;  // by what the model knows of them
  std::map<std::string, uint32_t> loaded_as_;        // by name: the first of them, whose code it is
  host::Rules rules_;
  Answers answers_;
  uint64_t polls_ = 0;      // queries with nothing between them that were told: not yet
  size_t behind_poll_ = 0;  // calls behind the last of them
  host::Ps first_poll_{};
  host::Ps now_{};
};

}  // namespace heddle::cuda
