// Any bytes as the machine code of a kernel: either it cannot be executed, or it runs to its end, to an error
// or to a limit. The first byte says with which registers it begins, the second how many threads there are
// and the capability; then follow instructions. They run one behind the other, then each by itself.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "frontends/cubin/disassemble.h"
#include "frontends/cubin/execute/program.h"
#include "sim/base/error.h"
#include "sim/exec/execute.h"

namespace {

using namespace heddle;
using namespace heddle::cubin;

constexpr size_t kMostWords = 64, kMostAlone = 32;
constexpr uint64_t kBufferBytes = 1 << 16, kMostInstructions = 4000;
constexpr uint32_t kRegistersSet = 32;
constexpr Word kExit = {0x000000000000794d, 0x000fea0003800000};

Word mov(uint32_t r, uint32_t value) {
  return {uint64_t{value} << 32 | r << 16 | 0x7802, 0x000fe20000000f00};
}

// What a kernel often begins with: pairs of registers with an address, or numbers.
std::vector<Word> prologue(uint8_t kind, uint64_t buffer) {
  std::vector<Word> out;
  for (uint32_t r = 0; kind % 3 != 0 && r < kRegistersSet; ++r) {
    const uint64_t address = buffer + r * uint64_t{64};
    const auto half = static_cast<uint32_t>(r % 2 == 0 ? address : address >> 32);
    out.push_back(mov(r, kind % 3 == 1 ? half : r * 16));
  }
  return out;
}

void run(std::vector<Word> code, exec::Memory& memory, uint64_t buffer, uint32_t threads, uint32_t registers,
         uint32_t capability) {
  code.push_back(kExit);
  Object o;
  o.file = "f";
  o.capability = capability;
  Function f;
  f.name = "k";
  f.kernel = true;
  f.code = std::move(code);
  f.registers = registers;
  f.stack_bytes = 256;
  f.parameter_offset = capability < 100 ? 0x210 : 0x380;
  f.parameter_bytes = 64;
  f.static_shared = 4096;
  f.barriers = 16;
  for (uint32_t i = 0; i < 8; ++i) {
    f.parameters.push_back({i, i * 8, 8});
  }
  o.constant3.bytes = 64;
  o.functions.push_back(std::move(f));
  o.names["k"] = {Named::Where::kFunction, 0, 0, "k"};
  try {
    Program p(std::move(o), memory);
    const Function& k = p.kernel("k");
    exec::Launch l = p.launch(k);
    for (size_t i = 0; i < 8; ++i) {
      set_parameter(p.object(), k, i, i % 2 == 0 ? buffer : i, l);
    }
    l.grid = {1, 1, 1};
    l.block = {threads, 1, 1};
    l.most_instructions = kMostInstructions;
    exec::execute(l, {});
  } catch (const Error&) {
    // what it may end with
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2 + sizeof(Word)) {
    return 0;
  }
  std::vector<Word> words(std::min((size - 2) / sizeof(Word), kMostWords));
  std::memcpy(words.data(), data + 2, words.size() * sizeof(Word));
  constexpr uint32_t kCapabilities[] = {90, 100, 120, 75};
  const uint32_t capability = kCapabilities[data[1] >> 6];
  for (size_t i = 0; i < words.size(); ++i) {
    disassembled(words[i], i * sizeof(Word), capability);
  }
  exec::Memory memory;
  const uint64_t buffer = memory.allocate(kBufferBytes);
  const uint32_t threads = data[1] % 64 + 1;
  const uint32_t registers = data[0] < 128 ? 255 : 8;
  const std::vector<Word> first = prologue(data[0], buffer);
  std::vector<Word> all = first;
  all.insert(all.end(), words.begin(), words.end());
  run(all, memory, buffer, threads, registers, capability);
  for (size_t i = 0; i < std::min(words.size(), kMostAlone); ++i) {
    std::vector<Word> alone = first;
    alone.push_back(words[i]);
    run(alone, memory, buffer, threads, registers, capability);
  }
  return 0;
}
