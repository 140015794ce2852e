#include "frontends/cubin/execute/timed_source.h"

#include <fmt/format.h>

#include "frontends/cubin/decode.h"
#include "frontends/cubin/record.h"
#include "frontends/sass/timed.h"
#include "sim/base/error.h"

namespace heddle::cubin {

isa::KernelImage image_of(const Object& object, const Translation& translation) {
  isa::KernelImage out;
  const Function& kernel = object.functions[translation.functions.front()];
  out.name = kernel.name;
  out.compute_capability = object.capability;
  out.shape.registers_per_thread = kernel.registers;
  out.shape.local_bytes_per_thread = translation.code.functions.front().local_bytes;
  out.has_control = true;
  sass::OpcodePool pool;
  uint64_t base = 0;
  for (const uint32_t number : translation.functions) {
    const std::vector<Word>& code = object.functions[number].code;
    for (size_t i = 0; i < code.size(); ++i) {
      const uint64_t pc = i * kInstructionBytes;
      const std::optional<Decoded> d = decode(code[i], pc, object.capability);
      if (!d) {
        throw Error(fmt::format("{}: {}+0x{:x}: no instruction that is known", object.file,
                                object.functions[number].name, pc));
      }
      isa::Instr in = sass::timed(static_cast<uint32_t>(base + pc), *d, pool);
      in.target += in.target != 0 ? static_cast<uint32_t>(base) : 0;
      out.code.push_back(in);
      out.text.push_back(text(*d));
    }
    base += code.size() * kInstructionBytes;
  }
  out.opcodes = pool.opcodes();
  out.unknown_opcodes = pool.unknown();
  return out;
}

TimedSource::TimedSource(const Program& program, const Function& kernel, const exec::Launch& launch,
                         std::shared_ptr<std::string> output)
    : TimedSource(
          std::make_shared<const isa::KernelImage>(image_of(program.object(), program.translation(kernel))),
          program.translation(kernel), launch, std::move(output)) {}

TimedSource::TimedSource(const std::shared_ptr<const isa::KernelImage>& image, const Translation& translation,
                         const exec::Launch& launch, std::shared_ptr<std::string> output)
    : ExecutedSource(*image, exec::completed(launch), translation.origins, nullptr, std::move(output)) {}

}  // namespace heddle::cubin
