// Runs a suite's kernels and prints what is in memory behind each, in the lines of h200/suite.digests.
//
// usage: suite_memory SUITE.ptx [KERNEL]      (second_memory for the second suite; SUITE.cubin: its machine
// code)
//        suite_memory --timed GPU SUITE.ptx [KERNEL]    executed while it is simulated: "time KERNEL CYCLES
//        SM-ACTIVE INSTRUCTIONS REGISTERS BLOCKS-PER-SM", or "time KERNEL none WHY", instead
//        --threads N, behind that: so many threads simulate
//        suite_memory --against TRACES SUITE.cubin [KERNEL]    compared with recordings,
//        TRACES/KERNEL/kernel-1.*: "recorded KERNEL WARPS, of these with the same STREAMS, LANES' streams,
//        ADDRESSES, where its memory lay: first difference"
//        --base ADDRESS, behind that: where memory begins, in hexadecimal
#include "tests/exec/oracle/suite_host.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>
#include <sstream>

#include "configs/loader/config.h"
#include "frontends/cubin/execute/timed_source.h"
#include "frontends/ptx/execute/program.h"
#include "frontends/ptx/load.h"
#include "frontends/ptx/lower/timed_source.h"
#include "sim/base/error.h"
#include "sim/device/gpu.h"
#include "sim/exec/execute.h"
#include "tests/exec/oracle/against_recording.h"

namespace heddle::oracle {
namespace {

struct Buffer {
  size_t at, bytes;
};

// One kernel's memory and module: each begins anew.
struct State {
  std::string text;  // of the suite's PTX, or its cubin
  bool machine = false;
  std::unique_ptr<exec::Memory> memory;
  std::unique_ptr<ptx::Program> program;
  std::unique_ptr<cubin::Program> code;
  uint64_t pool = 0;
  std::vector<Buffer> buffers;
  uint64_t base = exec::kGlobalBase;     // of its memory
  std::optional<config::GpuConfig> gpu;  // to be simulated, too
  int threads = 1;                       // that simulate
  std::string time;                      // of the kernel that was launched last
  std::string traces;                    // to compare with
  std::unique_ptr<isa::BlockSource> executed;

  ptx::Program& loaded() {
    if (!program) {
      program = std::make_unique<ptx::Program>(ptx::parse("suite.ptx", text), *memory);
    }
    return *program;
  }
  cubin::Program& loaded_code() {
    if (!code) {
      const std::span bytes(reinterpret_cast<const uint8_t*>(text.data()), text.size());
      code = std::make_unique<cubin::Program>(cubin::read_object("suite.cubin", bytes), *memory);
    }
    return *code;
  }
};

State& state() {
  static State s;
  return s;
}

uint64_t address(const void* p) { return reinterpret_cast<uint64_t>(p); }

// As in tables.cu and digests.py.
uint64_t mixed(uint64_t index, uint32_t word) {
  uint64_t h = (index << 32 | word) * 0x9e3779b97f4a7c15;
  h ^= h >> 29;
  h *= 0xbf58476d1ce4e5b9;
  return h ^ h >> 32;
}

std::string timed(isa::BlockSource& source, const config::GpuConfig& config, int threads) {
  device::Gpu gpu(config, threads);
  device::RunOptions options;
  options.threads = threads;
  const stats::KernelResult r = gpu.run(source, options);
  return fmt::format("{} {} {} {} {}", r.cycles, r.sm_active_cycles_max,
                     r.totals[stats::Counter::kInstExecuted], source.image().shape.registers_per_thread,
                     r.occupancy.blocks_per_sm);
}

}  // namespace

Suite suite;

char* Suite::begin(size_t bytes) {
  State& s = state();
  s.program.reset();
  s.code.reset();
  s.buffers.clear();
  s.memory = std::make_unique<exec::Memory>(s.base);
  s.pool = s.memory->allocate(bytes);
  return reinterpret_cast<char*>(s.pool);  // NOLINT(performance-no-int-to-ptr): nobody on the host goes there
}

void Suite::buffer(size_t at, size_t bytes) { state().buffers.push_back({at, bytes}); }

void Suite::end(const char* kernel) {
  State& s = state();
  if (!s.traces.empty()) {
    for (const char* name : {"kernel-1.traceg.zst", "kernel-1.heddle", "kernel-1.traceg.xz"}) {
      const std::filesystem::path file = std::filesystem::path(s.traces) / kernel / name;
      if (std::filesystem::exists(file)) {
        const Agreement a = compare(*s.executed, file);
        std::cout << fmt::format("recorded {} {} {} {} {} 0x{:x}: {}\n", kernel, a.warps, a.streams, a.lanes,
                                 a.addresses, s.pool + a.apart, a.first);
        std::cout.flush();
      }
    }
    s.executed.reset();
    return;
  }
  if (s.gpu) {
    std::cout << fmt::format("time {} {}\n", kernel, s.time);
    std::cout.flush();
    return;
  }
  size_t number = 0;
  for (const Buffer& b : s.buffers) {
    std::vector<uint32_t> words((b.bytes + 3) / 4);
    s.memory->read(s.pool + b.at, {reinterpret_cast<uint8_t*>(words.data()), b.bytes});
    uint64_t sum = 0;
    for (size_t i = 0; i < words.size(); ++i) {
      sum += mixed(i, words[i]);
    }
    std::cout << fmt::format("memory {} {} {} {} {:016x}\n", kernel, number++, b.at, b.bytes, sum);
  }
  std::cout.flush();
}

Call Suite::launch(const char* name, const char* argument, dim3 grid, dim3 block) {
  std::string mangled = fmt::format("_Z{}{}", std::strlen(name), name);
  if (*argument != 0) {
    mangled += fmt::format("ILi{}EE", argument);
  }
  std::string entry;
  const auto look_at = [&](const auto& functions) {
    for (const auto& f : functions) {
      if (std::string_view(f.name).starts_with(mangled)) {
        entry = f.name;
      }
    }
  };
  if (state().machine) {
    look_at(state().loaded_code().object().functions);
  } else {
    look_at(state().loaded().module().functions);
  }
  if (entry.empty()) {
    throw Error(fmt::format("the suite's PTX has no kernel {}", mangled));
  }
  return {std::move(entry), grid, block};
}

// Constants are the module's, so they are written into its text: before anything is launched.
int Suite::constant(const std::string& name, const void* data, size_t bytes) {
  if (state().machine) {
    state().loaded_code().set_constant(name, {static_cast<const uint8_t*>(data), bytes});
    return 0;
  }
  const std::string declared = fmt::format("{}[{}];", name, bytes);
  std::string& text = state().text;
  const size_t at = text.find(declared);
  if (at == std::string::npos || state().program) {
    throw Error(fmt::format("the suite's PTX has no constant {}", declared));
  }
  std::string values;
  for (size_t i = 0; i < bytes; ++i) {
    values += fmt::format("{}{}", i == 0 ? "" : ", ", static_cast<const uint8_t*>(data)[i]);
  }
  text.replace(at, declared.size(), fmt::format("{}[{}] = {{{}}};", name, bytes, values));
  return 0;
}

void Call::run_code(const std::vector<Value>& values) const {
  State& s = state();
  cubin::Program& program = s.loaded_code();
  const cubin::Function& kernel = program.kernel(entry_);
  exec::Launch launch;
  try {
    launch = program.launch(kernel);
  } catch (const cubin::NotCovered& e) {
    for (const std::string& line : e.lines()) {
      std::cerr << line << '\n';
    }
    throw;
  }
  launch.grid = {grid_.x, grid_.y, grid_.z};
  launch.block = {block_.x, block_.y, block_.z};
  for (size_t i = 0; i < values.size(); ++i) {
    Value v = values[i];
    if (v.at != nullptr) {
      std::memcpy(&v.bits, v.at, std::min<size_t>(sizeof v.bits, kernel.parameters.at(i).bytes));
    }
    cubin::set_parameter(program.object(), kernel, i, v.bits, launch);
  }
  if (!s.traces.empty()) {
    s.executed = std::make_unique<cubin::TimedSource>(program, kernel, launch);
    return;
  }
  if (!s.gpu) {
    exec::execute(launch, {});
    return;
  }
  cubin::TimedSource source(program, kernel, launch);
  s.time = timed(source, *s.gpu, s.threads);
}

void Call::run(std::vector<Value> values) const {
  State& s = state();
  if (s.machine) {
    run_code(values);
    return;
  }
  ptx::Program& program = s.loaded();
  const ptx::Function& kernel = program.kernel(entry_);
  exec::Launch launch = program.launch(kernel);
  launch.grid = {grid_.x, grid_.y, grid_.z};
  launch.block = {block_.x, block_.y, block_.z};
  for (size_t i = 0; i < values.size(); ++i) {
    const ptx::Variable& parameter = ptx::parameter(program.module(), kernel, i);
    Value v = values[i];
    if (v.bytes != 0 && v.bytes != parameter.size) {
      throw Error(
          fmt::format("{}: argument {} has {} bytes, the parameter {}", entry_, i, v.bytes, parameter.size));
    }
    if (v.at != nullptr) {
      std::memcpy(&v.bits, v.at, parameter.size);
    }
    ptx::set_parameter(parameter, v.bits, launch);
  }
  if (!s.gpu) {
    exec::execute(launch, {});
    return;
  }
  try {
    ptx::lower::TimedSource source(program.module(), kernel, program.placement(), launch);
    s.time = timed(source, *s.gpu, s.threads);
  } catch (const ptx::lower::NotLowered& e) {
    s.time = fmt::format("none {}", e.what());
  }
}

void Call::list(void** arguments) const {
  State& s = state();
  std::vector<Value> values(s.machine ? s.loaded_code().kernel(entry_).parameters.size()
                                      : s.loaded().kernel(entry_).signature.parameters.size());
  for (size_t i = 0; i < values.size(); ++i) {
    values[i].at = arguments[i];
  }
  run(std::move(values));
}

int cudaMemcpy(void* to, const void* from, size_t bytes, Direction /*direction*/) {
  state().memory->write(address(to), {static_cast<const uint8_t*>(from), bytes});
  return 0;
}

int cudaMemset(void* to, int value, size_t bytes) {
  const std::vector<uint8_t> filled(bytes, static_cast<uint8_t>(value));
  state().memory->write(address(to), filled);
  return 0;
}

}  // namespace heddle::oracle

int main(int argc, char** argv) {
  using heddle::oracle::state;
  if (argc > 2 && std::string_view(argv[1]) == "--timed") {
    try {
      state().gpu = heddle::config::load(argv[2]);
    } catch (const heddle::Error& e) {
      std::cerr << e.what() << '\n';
      return 1;
    }
    argc -= 2;
    argv += 2;
  }
  if (argc > 2 && std::string_view(argv[1]) == "--threads") {
    state().threads = std::max(1, std::atoi(argv[2]));
    argc -= 2;
    argv += 2;
  }
  if (argc > 2 && std::string_view(argv[1]) == "--against") {
    state().traces = argv[2];
    argc -= 2;
    argv += 2;
  }
  if (argc > 2 && std::string_view(argv[1]) == "--base") {
    state().base = std::stoull(argv[2], nullptr, 16);
    argc -= 2;
    argv += 2;
  }
  std::ifstream in(argc > 1 ? argv[1] : "");
  if (argc < 2 || argc > 3 || !in) {
    std::cerr << "usage: suite_memory SUITE.ptx [KERNEL]\n";
    return 2;
  }
  std::stringstream text;
  text << in.rdbuf();
  state().text = text.str();
  state().machine = std::string_view(argv[1]).ends_with(".cubin");
  try {
    return suite_main(argc - 1, argv + 1);
  } catch (const heddle::Error& e) {
    std::cerr << e.what() << '\n';
    return 1;
  }
}
