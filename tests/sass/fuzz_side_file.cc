// Any bytes as a side file: parsed or refused with heddle::Error, and never anything that overruns a
// consumer.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "frontends/sass/side_file.h"
#include "sim/base/error.h"

namespace {

void require(bool ok) {
  if (!ok) {
    std::abort();
  }
}

void check(const heddle::isa::Operand& o) {
  using heddle::isa::RegFile;
  const int limit = o.file == RegFile::kGpr           ? 255
                    : o.file == RegFile::kUniform     ? 63
                    : o.file == RegFile::kConvergence ? 16
                    : o.file == RegFile::kScoreboard  ? 6
                                                      : 7;
  require(o.count > 0 && o.index + o.count <= limit && o.slot < 4 && o.file != RegFile::kNone);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    const auto functions = heddle::sass::read_side_text({reinterpret_cast<const char*>(data), size}, "fuzz");
    require(!functions.empty());
    for (const auto& f : functions) {
      require(!f.code.empty() && f.text.size() == f.code.size());
      for (size_t i = 0; i < f.code.size(); ++i) {
        const auto& in = f.code[i];
        require(i == 0 || f.code[i - 1].pc < in.pc);
        require(in.opcode < f.opcodes.size());
        for (int k = 0; k < in.n_src; ++k) {
          check(in.src[k]);
        }
        for (int k = 0; k < in.n_dst; ++k) {
          check(in.dst[k]);
        }
      }
    }
  } catch (const heddle::Error& e) {
    require(std::string_view(e.what()).find('\n') == std::string_view::npos);
  }
  return 0;
}
