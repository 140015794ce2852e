// Modules in PTX and machine code: their kernels as launches that can be simulated, or only executed.
#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analysis/python/binding/binding.h"
#include "analysis/report/format.h"
#include "analysis/run/plan.h"
#include "frontends/modules/nested.h"
#include "frontends/modules/program.h"
#include "frontends/modules/texture_argument.h"
#include "sim/exec/execute.h"

namespace heddle::python {
namespace {

using analysis::PlannedLaunch;

// What an error of several lines says, all of it.
template <typename F>
auto whole(const F& f) {
  const auto with = [](const Error& e, const std::vector<std::string>& lines) {
    std::string what = e.what();
    for (const std::string& line : lines) {
      what += "\n  " + line;
    }
    return Error(what);
  };
  try {
    return f();
  } catch (const Unsupported& e) {
    throw with(e, e.lines());
  }
}

struct LaunchArguments {
  std::string kernel;
  isa::Dim3 grid, block;
  std::optional<isa::Dim3> cluster;
  uint32_t shared = 0;
  std::vector<std::string> values;  // the bytes of each
  exec::Checks checks;
  std::shared_ptr<std::string> printed = std::make_shared<std::string>();     // by a launch that is timed
  std::shared_ptr<exec::Launch> launched = std::make_shared<exec::Launch>();  // likewise
};

// A module and the memory that it shares with others: of PTX, given as text, or of a file.
class LoadedModule {
 public:
  LoadedModule(const std::string& text, const std::string& path, std::shared_ptr<exec::Memory> memory)
      : memory_(std::move(memory)),
        path_(path),
        program_(path.empty() ? modules::ptx_program("module.ptx", text, *memory_)
                              : modules::load(path, *memory_)) {}

  // (name, readable name, [(name, type, bytes) of each parameter])
  py::list kernels() const {
    constexpr const char* kBits[] = {"b8", "b16", "", "b32", "", "", "", "b64"};
    py::list out;
    for (const modules::Kernel& k : program_->kernels()) {
      py::list parameters;
      for (const modules::Parameter& p : k.parameters) {
        const std::string type = p.type.starts_with('.')                     ? p.type.substr(1)
                                 : p.kind == modules::Parameter::Kind::kBits ? kBits[p.bytes - 1]
                                                                             : p.type;
        parameters.append(py::make_tuple(p.name, type, p.bytes));
      }
      out.append(py::make_tuple(k.name, analysis::demangled(k.name), parameters));
    }
    return out;
  }

  exec::Launch launch(const LaunchArguments& a) {
    const modules::Kernel& kernel = program_->kernel(a.kernel);
    exec::Launch out = program_->launch(kernel);
    modules::set_shape(out, a.grid, a.block, a.cluster, a.shared);
    out.checks = a.checks;
    for (size_t i = 0; i < a.values.size(); ++i) {
      set_bytes(kernel, i, a.values[i], out);
    }
    return out;
  }

  // Throws Error when the module has no such variable of its own.
  uint64_t address_of(const std::string& variable) const {
    const auto found = program_->variable(variable);
    if (!found || found->constant) {
      throw Error("the module has no variable " + variable + " in global memory");
    }
    return found->address;
  }

  // Throws Error when they are not as many as the parameter has.
  static void set_bytes(const modules::Kernel& kernel, size_t index, const std::string& bytes,
                        exec::Launch& launch) {
    const modules::Parameter& p = kernel.parameters.at(index);
    if (bytes.size() != p.bytes || launch.parameters.size() < p.offset + bytes.size()) {
      throw Error("kernel " + kernel.name + ": " + std::to_string(bytes.size()) +
                  " bytes for a parameter of " + std::to_string(p.bytes));
    }
    std::copy(bytes.begin(), bytes.end(), launch.parameters.begin() + p.offset);
  }

  modules::Program& program() { return *program_; }
  const std::string& path() const { return path_; }

 private:
  const std::shared_ptr<exec::Memory> memory_;
  const std::string path_;
  std::unique_ptr<modules::Program> program_;
};

PlannedLaunch planned(const std::shared_ptr<LoadedModule>& module, const LaunchArguments& a) {
  const exec::Launch launch = whole([&] { return module->launch(a); });
  *a.launched = launch;
  PlannedLaunch out;
  out.source.path = module->path().empty() ? "module.ptx" : module->path();
  out.source.trace = out.trace = out.source.path.stem().string();
  out.source.number = out.number = 1;
  out.open = [module, launch, name = a.kernel, printed = a.printed] {
    return whole([&] {
      const modules::Kernel& kernel = module->program().kernel(name);
      trace::OpenedTrace t;
      printed->clear();
      t.source = module->program().timed(kernel, launch, printed);
      t.fingerprint = "executed";
      return t;
    });
  };
  return out;
}

template <typename F>
void executing(int threads, const F& f) {
  interruptible([&](std::atomic<bool>& cancel) {
    exec::ExecuteOptions options;
    options.threads = threads;
    options.cancelled = &cancel;
    throwing<TraceError>([&] { whole([&] { f(options); }); });
  });
}

// Warp instructions, thread instructions, what was printed: of the kernel and of those that it launched.
py::tuple execute(const std::shared_ptr<LoadedModule>& module, const LaunchArguments& a, int threads) {
  const exec::Launch launch = whole([&] { return module->launch(a); });
  exec::ExecuteResult r, nested;
  executing(threads, [&](const exec::ExecuteOptions& o) {
    r = exec::execute(launch, o);
    nested = modules::execute_nested(module->program(), launch, o);
  });
  return py::make_tuple(r.instructions + nested.instructions,
                        r.thread_instructions + nested.thread_instructions, r.output + nested.output);
}

// Of a launch that was simulated: executes the kernels that it launched, without time. How many, what they
// printed.
py::tuple execute_nested(const std::shared_ptr<LoadedModule>& module, const LaunchArguments& a, int threads) {
  exec::ExecuteResult r;
  executing(threads, [&](const exec::ExecuteOptions& o) {
    r = modules::execute_nested(module->program(), *a.launched, o);
  });
  return py::make_tuple(r.launches, r.output);
}

isa::Dim3 dim3(const std::array<uint32_t, 3>& d) { return {d[0], d[1], d[2]}; }

LaunchArguments arguments(const std::string& kernel, const std::array<uint32_t, 3>& grid,
                          const std::array<uint32_t, 3>& block,
                          const std::optional<std::array<uint32_t, 3>>& cluster, uint32_t shared,
                          std::vector<std::string> values, bool race, bool sync) {
  LaunchArguments out;
  out.kernel = kernel;
  out.grid = dim3(grid);
  out.block = dim3(block);
  out.shared = shared;
  out.values = std::move(values);
  out.checks.race = race;
  out.checks.sync = sync;
  if (cluster) {
    out.cluster = dim3(*cluster);
  }
  return out;
}

std::span<const uint8_t> bytes_of(const py::buffer_info& b);

modules::TextureObject make_texture(exec::Memory& memory, bool surface, const std::string& type,
                                    const std::vector<uint64_t>& shape, const py::buffer& elements,
                                    const std::vector<std::string>& options) {
  const py::buffer_info info = elements.request();
  const std::span<const uint8_t> bytes = bytes_of(info);
  return modules::make_texture(modules::texture_request(surface, options),
                               {type, false, shape, {bytes.begin(), bytes.end()}}, memory);
}

std::span<const uint8_t> bytes_of(const py::buffer_info& b) {
  return {static_cast<const uint8_t*>(b.ptr), static_cast<size_t>(b.size * b.itemsize)};
}

}  // namespace

void bind_ptx(py::module_& m) {
  py::class_<exec::Memory, std::shared_ptr<exec::Memory>>(m, "DeviceMemory")
      .def(py::init<>())
      .def("allocate", &exec::Memory::allocate)
      .def("release", &exec::Memory::release)
      .def("write", [](exec::Memory& memory, uint64_t at,
                       const py::buffer& b) { memory.write(at, bytes_of(b.request())); })
      .def("read",
           [](const exec::Memory& memory, uint64_t at, uint64_t bytes) {
             std::string out(bytes, '\0');
             memory.read(at, {reinterpret_cast<uint8_t*>(out.data()), out.size()});
             return py::bytes(out);
           })
      .def("read_into", [](const exec::Memory& memory, uint64_t at, const py::buffer& b) {
        const py::buffer_info info = b.request(/*writable=*/true);
        memory.read(at, {static_cast<uint8_t*>(info.ptr), static_cast<size_t>(info.size * info.itemsize)});
      });
  // Where the host has it: arrays that share bytes are to share them in the simulated memory.
  m.def("buffer_address", [](const py::buffer& b) { return reinterpret_cast<uintptr_t>(b.request().ptr); });
  py::class_<LaunchArguments>(m, "PtxArguments")
      .def(py::init(&arguments))
      .def_property_readonly("printed", [](const LaunchArguments& a) { return *a.printed; });
  py::class_<LoadedModule, std::shared_ptr<LoadedModule>>(m, "PtxModule")
      .def(py::init<const std::string&, const std::string&, std::shared_ptr<exec::Memory>>())
      .def("kernels", &LoadedModule::kernels)
      .def("address_of", &LoadedModule::address_of);
  py::class_<modules::TextureObject>(m, "TextureObject")
      .def_readonly("handle", &modules::TextureObject::handle)
      .def_property_readonly("data", [](const modules::TextureObject& t) { return t.descriptor.image.data; })
      .def("contents", [](const modules::TextureObject& t, const exec::Memory& memory) {
        const std::vector<uint8_t> out = modules::contents(t, {}, memory).bytes;
        return py::bytes(reinterpret_cast<const char*>(out.data()), out.size());
      });
  m.attr("DESCRIPTOR_BYTES") = exec::texture::kDescriptorBytes;
  m.def("make_texture", &make_texture);
  m.def("ptx_launch", &planned);
  m.def("ptx_execute", &execute);
  m.def("ptx_execute_nested", &execute_nested);
}

}  // namespace heddle::python
