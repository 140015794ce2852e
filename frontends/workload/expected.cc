#include "frontends/workload/expected.h"

namespace heddle::workload {

std::vector<std::string> unexpected(const Workload& w, const host::Result& r) {
  std::vector<std::string> out;
  std::map<std::pair<uint32_t, uint32_t>, std::string> open = w.expected;
  for (const host::CallError& e : r.errors) {
    const auto it = w.expected.find({e.thread, e.line});
    if (it == w.expected.end() || it->second != e.error) {
      out.push_back("line " + std::to_string(e.line) + ": " + e.api + " returned " + e.error + " (" + e.why +
                    ")" + (it == w.expected.end() ? "" : ", expected " + it->second));
    }
    open.erase({e.thread, e.line});
  }
  for (const auto& [where, error] : open) {
    out.push_back("line " + std::to_string(where.second) + ": did not return " + error);
  }
  for (const host::DeviceError& e : r.device_errors) {
    out.push_back("device: " + e.call + " returned " + e.error + " (" + e.why + ")");
  }
  return out;
}

}  // namespace heddle::workload
