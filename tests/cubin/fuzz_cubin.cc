// Any bytes as a file with code for GPUs: either images, of which those of machine code become text and are
// loaded and translated, or a heddle::Error of one line.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "frontends/cubin/disassemble.h"
#include "frontends/cubin/execute/program.h"
#include "frontends/cubin/fatbin/fatbin.h"
#include "sim/base/error.h"

namespace {

using namespace heddle;
using namespace heddle::cubin;

void require(bool good) {
  if (!good) {
    std::abort();
  }
}

template <class F>
void one_line_or_good(const F& f) {
  try {
    f();
  } catch (const Error& e) {
    const std::string_view message = e.what();
    require(message.starts_with("f:") && message.find("byte ") != std::string_view::npos &&
            message.find('\n') == std::string_view::npos);
  }
}

void read(const Image& image) {
  const Object o = object_of("f", image);
  for (const Function& f : o.functions) {
    require(o.find(f.name) == &f);
    for (size_t i = 0; i < f.code.size(); ++i) {
      disassembled(f.code[i], i * sizeof(Word));
    }
  }
}

// Variables into memory and every kernel ready for a launch; what cannot be is an Error.
void load(const Image& image) {
  exec::Memory memory;
  try {
    Program p(object_of("f", image), memory);
    for (const Function& f : p.object().functions) {
      try {
        if (f.kernel) {
          p.launch(f);
        }
      } catch (const Error&) {
        // of this kernel
      }
    }
  } catch (const Error&) {
    // of all
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  one_line_or_good([&] {
    for (const Image& image : images_of("f", {data, size})) {
      if (image.kind == Image::Kind::kCubin) {
        one_line_or_good([&] { read(image); });
        load(image);
      }
    }
  });
  return 0;
}
