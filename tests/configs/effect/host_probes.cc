// Probes of the machine around the SMs: the workloads beside this file.
#include <algorithm>
#include <filesystem>
#include <memory>

#include "frontends/workload/reader.h"
#include "sim/host/platform/run.h"
#include "tests/configs/effect/probe.h"

namespace heddle::config::effect {
namespace {

std::string told(const host::Result& r) {
  std::string out = std::to_string(r.end.count()) + '\n';
  for (const host::TrackSpan& s : r.spans) {
    out += r.tracks[s.track].name + ' ' + r.names[s.name] + ' ' + std::to_string(s.start.count()) + ' ' +
           std::to_string(s.end.count()) + '\n';
  }
  for (const host::Answer& a : r.answers) {
    out += a.value + '\n';
  }
  for (const host::RunCounter& c : r.counters) {
    out += c.name + ' ' + std::to_string(c.value) + '\n';
  }
  for (const host::Elapsed& e : r.elapsed) {
    out += std::to_string(e.time.count()) + '\n';
  }
  for (const host::CallError& e : r.errors) {
    out += e.api + ' ' + e.error + '\n';
  }
  for (const host::DeviceError& e : r.device_errors) {
    out += e.call + ' ' + e.error + ' ' + std::to_string(e.times) + '\n';
  }
  for (const std::string& line : r.deadlock) {
    out += line + '\n';
  }
  return out;
}

}  // namespace

std::vector<Probe> host_probes() {
  std::vector<Probe> out;
  for (const auto& entry : std::filesystem::directory_iterator("tests/configs/effect/host")) {
    const auto w = std::make_shared<const workload::Workload>(workload::read_workload(entry.path()));
    const std::string name = entry.path().stem().stem().string();
    std::vector<std::string> setup;
    if (name == "old_children") {
      setup = {"capability=sm_80", "limits.compute_capability=80"};
    }
    if (name == "unified") {  // less memory than the program has
      setup = {"dram.total_bytes=557842432", "host.um.thrash_lapse_us=100000"};
    }
    out.push_back({name, setup,
                   [w](const GpuConfig& gpu) { return told(host::run(w->program, gpu, {w->rules})); }, true});
  }
  // What only a program has whose code is there: its kernels' size and what they call, its process's start.
  auto code = workload::read_workload("tests/configs/effect/host/calls.workload.textproto");
  for (host::KernelDesc& k : code.program.kernels) {
    k.code = {.bytes = 100 << 10,
              .prints = true,
              .allocates = true,
              .module_bytes = 200 << 10,
              .module_prints = true,
              .module_allocates = true};
  }
  code.rules.lazy_loading = code.rules.new_process = true;
  const auto w = std::make_shared<const workload::Workload>(std::move(code));
  out.push_back({"new_process",
                 {},
                 [w](const GpuConfig& gpu) { return told(host::run(w->program, gpu, {w->rules})); },
                 true});
  std::sort(out.begin(), out.end(), [](const Probe& a, const Probe& b) { return a.name < b.name; });
  return out;
}

}  // namespace heddle::config::effect
