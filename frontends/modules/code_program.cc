#include <fmt/format.h>

#include <algorithm>

#include "frontends/cubin/execute/placement.h"
#include "frontends/cubin/execute/timed_source.h"
#include "frontends/cubin/fatbin/fatbin.h"
#include "frontends/modules/images.h"
#include "frontends/modules/kept.h"
#include "frontends/modules/program.h"
#include "sim/base/error.h"

namespace heddle::modules {
namespace {

// The cubins of a file; each has variables of its own.
class CodeProgram final : public Program {
 public:
  CodeProgram(std::vector<cubin::Object> objects, exec::Memory& memory) {
    for (cubin::Object& o : objects) {
      programs_.push_back(std::make_unique<cubin::Program>(std::move(o), memory));
      const cubin::Object& object = programs_.back()->object();
      const ModuleCode all = code_of(object);
      for (const cubin::Function& f : object.functions) {
        if (f.kernel) {
          kernels_.push_back(kernel_of(f, object));
          kernels_.back().module = all;
          places_.push_back({programs_.size() - 1, &f});
        }
      }
    }
  }

  const std::vector<Kernel>& kernels() const override { return kernels_; }
  const Kernel& kernel(std::string_view name) const override {
    for (const Kernel& k : kernels_) {
      if (k.name == name) {
        return k;
      }
    }
    return no_kernel(name, kernels_, programs_.front()->object().file);
  }
  exec::Launch launch(const Kernel& kernel) override {
    const Place p = place(kernel);
    return programs_[p.program]->launch(*p.function);
  }
  std::unique_ptr<isa::BlockSource> timed(const Kernel& kernel, const exec::Launch& launch,
                                          std::shared_ptr<std::string> output) const override {
    const Place p = place(kernel);
    const cubin::Program& program = *programs_[p.program];
    const cubin::Translation& translation = program.translation(*p.function);
    const auto image = images_.get(p.function, [&] {
      return std::make_shared<const isa::KernelImage>(cubin::image_of(program.object(), translation));
    });
    return std::make_unique<cubin::TimedSource>(image, translation, launch, std::move(output));
  }
  std::optional<Variable> variable(std::string_view name) const override {
    for (size_t i = 0; i < programs_.size(); ++i) {
      const cubin::Program& p = *programs_[i];
      const auto it = p.object().names.find(std::string(name));
      if (it == p.object().names.end()) {
        continue;
      }
      if (it->second.where == cubin::Named::Where::kConstant3) {
        return Variable{i * kConstantStride + it->second.value, it->second.bytes, true};
      }
      if (it->second.where == cubin::Named::Where::kGlobal ||
          it->second.where == cubin::Named::Where::kGlobalInit) {
        return Variable{p.placement().addresses.find(name)->second, it->second.bytes, false};
      }
    }
    return std::nullopt;
  }
  void write_constants(uint64_t at, std::span<const uint8_t> bytes) override {
    programs_.at(at / kConstantStride)->write_constants(at % kConstantStride, bytes);
  }
  void read_constants(uint64_t at, std::span<uint8_t> bytes) const override {
    programs_.at(at / kConstantStride)->read_constants(at % kConstantStride, bytes);
  }

 private:
  // Between the constants of the objects of a file: more than the 64 KiB that one may have.
  static constexpr uint64_t kConstantStride = 1 << 20;
  struct Place {
    size_t program;
    const cubin::Function* function;
  };
  static uint32_t bytes_of(const cubin::Function& f) {
    return static_cast<uint32_t>(f.code.size() * cubin::kInstructionBytes);
  }
  static ModuleCode code_of(const cubin::Object& o) {
    ModuleCode out;
    for (const cubin::Function& f : o.functions) {
      out.bytes += bytes_of(f);
    }
    out.prints = o.names.count("vprintf") != 0;
    out.allocates = o.names.count("malloc") != 0 || o.names.count("free") != 0;
    return out;
  }
  static Kernel kernel_of(const cubin::Function& f, const cubin::Object& o) {
    Kernel k;
    k.name = f.name;
    k.registers = f.registers;
    k.static_shared = f.static_shared;
    k.local_bytes = f.stack_bytes;
    k.constant_bytes = static_cast<uint32_t>(o.constant3.bytes);
    k.most_threads = f.most_threads;
    k.capability = o.capability;
    k.cluster = f.required_cluster;
    k.code_bytes = bytes_of(f);
    const auto calls = [&](const char* name) {
      return std::find(f.calls.begin(), f.calls.end(), name) != f.calls.end();
    };
    k.prints = calls("vprintf");
    k.allocates = calls("malloc") || calls("free");
    for (const cubin::KernelParameter& p : f.parameters) {
      const bool plain = p.bytes == 1 || p.bytes == 2 || p.bytes == 4 || p.bytes == 8;
      k.parameters.push_back({fmt::format("number {}", p.index), fmt::format("{} bytes", p.bytes),
                              plain ? Parameter::Kind::kBits : Parameter::Kind::kBytes, p.offset, p.bytes});
    }
    return k;
  }
  Place place(const Kernel& kernel) const { return places_[static_cast<size_t>(&kernel - kernels_.data())]; }

  std::vector<std::unique_ptr<cubin::Program>> programs_;
  std::vector<Kernel> kernels_;
  std::vector<Place> places_;  // by kernel
  Kept<cubin::Function, isa::KernelImage> images_;
};

}  // namespace

// Of machine code the newest that is executed here, else PTX. Where nobody says which device it is for, what
// an H200 has confirmed comes first: up to 9.0.
std::unique_ptr<Program> image_program(const std::string& name, std::span<const uint8_t> bytes,
                                       exec::Memory& memory, uint32_t capability) {
  constexpr uint32_t kConfirmed = 90, kFirst = 1000;
  const auto rank = [&](const cubin::Image& i) {
    return capability == 0 && i.capability <= kConfirmed ? kFirst + i.capability : i.capability;
  };
  const auto fits = [&](const cubin::Image& i) {
    return capability == 0 || i.capability == 0 ||
           (i.capability <= capability &&
            (i.kind == cubin::Image::Kind::kPtx || i.capability / 10 == capability / 10));
  };
  uint32_t best = 0, best_ptx = 0;
  std::string ptx;
  std::string targets;
  std::vector<cubin::Object> objects;
  cubin::for_images(name, bytes, [&](cubin::Image&& i) {
    targets += (targets.empty() ? "" : ", ") + i.target();
    if (!fits(i)) {
      return;
    }
    if (i.kind == cubin::Image::Kind::kPtx && i.capability >= best_ptx) {
      best_ptx = i.capability;
      ptx.assign(i.bytes.begin(), i.bytes.end());
    } else if (i.kind == cubin::Image::Kind::kCubin && cubin::is_executed(i.capability) && rank(i) >= best) {
      if (rank(i) > best) {
        objects.clear();
        best = rank(i);
      }
      objects.push_back(cubin::object_of(name, i));
    }
  });
  if (!objects.empty()) {
    return std::make_unique<CodeProgram>(std::move(objects), memory);
  }
  if (!ptx.empty()) {
    return ptx_program(name, std::move(ptx), memory);
  }
  throw Error(
      fmt::format("{}: no machine code {} and no PTX in it (there is: {})", name,
                  capability == 0 ? "of sm_70 to sm_121" : fmt::format("that an sm_{} runs", capability),
                  targets.empty() ? "nothing" : targets));
}

std::unique_ptr<Program> code_program(std::string name, std::span<const uint8_t> bytes,
                                      exec::Memory& memory) {
  std::vector<cubin::Object> objects;
  objects.push_back(cubin::read_object(std::move(name), bytes));
  return std::make_unique<CodeProgram>(std::move(objects), memory);
}

}  // namespace heddle::modules
