#include <fmt/format.h>

#include "frontends/modules/images.h"
#include "frontends/modules/kept.h"
#include "frontends/ptx/execute/program.h"
#include "frontends/ptx/load.h"
#include "frontends/ptx/lower/timed_source.h"

namespace heddle::modules {
namespace {

Parameter parameter_of(const ptx::Variable& v) {
  Parameter p;
  p.name = v.name;
  p.offset = static_cast<uint32_t>(v.offset);
  p.bytes = static_cast<uint32_t>(v.size);
  if (!v.dimensions.empty()) {
    p.kind = Parameter::Kind::kBytes;
    p.type = fmt::format("{} bytes", v.size);
    return p;
  }
  const ptx::TypeKind kind = ptx::info(v.type).kind;
  p.kind = kind == ptx::TypeKind::kFloat  ? Parameter::Kind::kFloat
           : kind == ptx::TypeKind::kBits ? Parameter::Kind::kBits
                                          : Parameter::Kind::kWhole;
  p.type = "." + std::string(ptx::info(v.type).name);
  return p;
}

class PtxProgram final : public Program {
 public:
  PtxProgram(std::unique_ptr<const ptx::Module> module, exec::Memory& memory)
      : program_(std::move(module), memory) {
    for (const ptx::Function& f : program_.module().functions) {
      if (!f.entry || !f.defined) {
        continue;
      }
      Kernel k;
      k.name = f.name;
      for (size_t i = 0; i < f.signature.parameters.size(); ++i) {
        k.parameters.push_back(parameter_of(ptx::parameter(program_.module(), f, i)));
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
    return no_kernel(name, kernels_, program_.module().source.name());
  }
  exec::Launch launch(const Kernel& kernel) override { return program_.launch(program_.kernel(kernel.name)); }
  std::unique_ptr<isa::BlockSource> timed(const Kernel& kernel, const exec::Launch& launch,
                                          std::shared_ptr<std::string> output) const override {
    const ptx::Function& f = program_.kernel(kernel.name);
    const auto ordered =
        ordered_.get(&f, [&] { return ptx::lower::in_order(program_.module(), f, program_.placement()); });
    return std::make_unique<ptx::lower::TimedSource>(ordered, launch, std::move(output));
  }
  std::optional<Variable> variable(std::string_view name) const override {
    const std::vector<ptx::Variable>& all = program_.module().variables;
    for (size_t i = 0; i < all.size(); ++i) {
      const bool constant = all[i].space == ptx::Space::kConst;
      if (all[i].name == name && (constant || all[i].space == ptx::Space::kGlobal)) {
        return Variable{program_.placement().address[i], all[i].size, constant};
      }
    }
    return std::nullopt;
  }
  void write_constants(uint64_t at, std::span<const uint8_t> bytes) override {
    program_.write_constants(at, bytes);
  }
  void read_constants(uint64_t at, std::span<uint8_t> bytes) const override {
    program_.read_constants(at, bytes);
  }
  std::vector<std::string> warnings() const override {
    const auto& w = program_.module().warnings;
    return {w.begin(), w.end()};
  }

 private:
  ptx::Program program_;
  std::vector<Kernel> kernels_;
  Kept<ptx::Function, ptx::lower::Ordered> ordered_;
};

}  // namespace

std::unique_ptr<Program> ptx_program(std::string name, std::string text, exec::Memory& memory) {
  return std::make_unique<PtxProgram>(ptx::parse(std::move(name), std::move(text)), memory);
}

}  // namespace heddle::modules
