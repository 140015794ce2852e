#include "frontends/accelsim/kernelslist.h"

#include <map>

#include "frontends/workload/builder.h"
#include "frontends/workload/reader.h"

namespace heddle::workload {

Workload from_kernelslist(const std::filesystem::path& file,
                          const std::function<uint64_t(const std::filesystem::path&)>& stream_of) {
  const accelsim::KernelsList list = accelsim::read_kernelslist(file);
  Builder b;
  std::map<uint64_t, Stream> streams = {{0, b.legacy()}};
  std::map<std::filesystem::path, Kernel> kernels;
  Thread& main = b.thread("main");
  uint64_t copies = 0;
  Workload out;
  for (const accelsim::ListEntry& e : list.entries) {
    main.line(e.line);
    if (e.kind == accelsim::ListEntry::Kind::kMemcpyHtoD) {
      const std::string n = std::to_string(++copies);
      const Buffer from = b.pageable("host " + n, e.copy.bytes), to = b.device("device " + n, e.copy.bytes);
      main.memcpy(to, from);
      continue;
    }
    const uint64_t number = stream_of(e.trace);
    if (!streams.contains(number)) {
      streams[number] = b.stream("stream " + std::to_string(number));
    }
    if (!kernels.contains(e.trace)) {
      host::KernelDesc k;
      k.name = e.trace.filename().string();
      kernels[e.trace] = b.kernel(k);
      out.traces.push_back({kernels[e.trace].id, e.trace, {}});
    }
    main.launch(kernels[e.trace], streams[number]);
  }
  main.deviceSynchronize();
  out.name = out.file = file.string();
  out.rules.lazy_loading = true;  // as a workload file has it by default
  out.program = b.program();
  return out;
}

}  // namespace heddle::workload
