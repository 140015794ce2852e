// Any text is either a program that runs to its end, to a deadlock or to a limit, or one Error that names the
// file.
#include <cstdint>
#include <string>
#include <string_view>

#include "frontends/workload/reader.h"
#include "frontends/workload/run.h"
#include "sim/base/error.h"
#include "tests/sim/host/support.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace heddle;
  static const spec::GpuConfig gpu = hosttest::plain_gpu();
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const workload::Workload w = workload::parse_workload(text, "fuzz");
    for (const bool check : {false, true}) {
      host::PlatformOptions o;
      o.rules = w.rules;
      o.check = check;
      o.graphs = true;
      o.limits = {
          .steps = 5000, .commands = 2000, .nodes = 1000, .spans = 1000, .records = 100, .findings = 20};
      workload::run(w, gpu, o);
    }
  } catch (const Error& error) {
    if (!std::string_view(error.what()).starts_with("fuzz:")) {
      __builtin_trap();
    }
  }
  return 0;
}
