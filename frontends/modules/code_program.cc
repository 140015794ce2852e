#include <fmt/format.h>

#include "frontends/cubin/execute/timed_source.h"
#include "frontends/modules/program.h"

namespace heddle::modules {
namespace {

class CodeProgram final : public Program {
 public:
  CodeProgram(cubin::Object object, exec::Memory& memory) : program_(std::move(object), memory) {
    for (const cubin::Function& f : program_.object().functions) {
      if (!f.kernel) {
        continue;
      }
      Kernel k;
      k.name = f.name;
      for (const cubin::KernelParameter& p : f.parameters) {
        const bool plain = p.bytes == 1 || p.bytes == 2 || p.bytes == 4 || p.bytes == 8;
        k.parameters.push_back({fmt::format("number {}", p.index), fmt::format("{} bytes", p.bytes),
                                plain ? Parameter::Kind::kBits : Parameter::Kind::kBytes, p.offset, p.bytes});
      }
      kernels_.push_back(std::move(k));
    }
  }

  const std::vector<Kernel>& kernels() const override { return kernels_; }
  const Kernel& kernel(std::string_view name) const override {
    for (const Kernel& k : kernels_) {
      if (k.name == name) {
        return k;
      }
    }
    (void)program_.kernel(name);  // throws, with the names
    return kernels_.front();
  }
  exec::Launch launch(const Kernel& kernel) override { return program_.launch(program_.kernel(kernel.name)); }
  std::unique_ptr<isa::BlockSource> timed(const Kernel& kernel, const exec::Launch& launch,
                                          std::shared_ptr<std::string> output) const override {
    return std::make_unique<cubin::TimedSource>(program_, program_.kernel(kernel.name), launch,
                                                std::move(output));
  }

 private:
  cubin::Program program_;
  std::vector<Kernel> kernels_;
};

}  // namespace

std::unique_ptr<Program> code_program(std::string name, std::span<const uint8_t> bytes, exec::Memory& memory) {
  return std::make_unique<CodeProgram>(cubin::read_object(std::move(name), bytes), memory);
}

}  // namespace heddle::modules
