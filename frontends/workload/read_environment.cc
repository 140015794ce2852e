#include "frontends/workload/read_environment.h"

#include <algorithm>
#include <sstream>

namespace heddle::workload {

std::vector<uint32_t> visible_devices(const std::string& list, uint32_t devices) {
  std::vector<uint32_t> out;
  std::stringstream numbers(list);
  for (std::string text; std::getline(numbers, text, ',');) {
    const bool number =
        !text.empty() && text.size() < 4 && text.find_first_not_of("0123456789") == std::string::npos;
    const auto d = number ? static_cast<uint32_t>(std::stoul(text)) : devices;
    if (d >= devices || std::find(out.begin(), out.end(), d) != out.end()) {
      break;
    }
    out.push_back(d);
  }
  return out;
}

host::Rules read_environment(const proto::Environment& e,
                             const std::function<void(const std::string&)>& refuse) {
  host::Rules r;
  r.implicit_sync_12_4 = e.implicit_sync() == proto::Environment::GUIDE_12_4;
  r.launch_blocking = e.launch_blocking();
  r.per_thread_default = e.per_thread_default_stream();
  if (e.has_max_connections() && (e.max_connections() < 1 || e.max_connections() > 32)) {
    refuse("max_connections: 1 to 32");
  }
  if (e.has_max_copy_connections() && (e.max_copy_connections() < 1 || e.max_copy_connections() > 32)) {
    refuse("max_copy_connections: 1 to 32");
  }
  r.connections = e.max_connections();
  r.copy_connections = e.max_copy_connections();
  if (e.has_scale_launch_queues()) {
    const double s = e.scale_launch_queues();
    if (s != 0.25 && s != 0.5 && s != 2 && s != 4) {
      refuse("scale_launch_queues: 0.25, 0.5, 2 or 4");
    }
    r.launch_queue_scale = s;
  }
  r.wait = e.schedule() == proto::Environment::SPIN    ? host::Rules::Wait::kSpin
           : e.schedule() == proto::Environment::YIELD ? host::Rules::Wait::kYield
                                                       : host::Rules::Wait::kBlock;
  r.pageable_overlaps = e.pageable_overlaps();
  if (e.has_graphs_use_node_priority()) {
    r.node_priority =
        e.graphs_use_node_priority() ? host::Rules::NodePriority::kAlways : host::Rules::NodePriority::kNever;
  }
  r.small_pinned_copies_return = e.small_pinned_copies_return();
  if (!(e.l2_reset_after_us() >= 0 && e.l2_reset_after_us() <= 1e12)) {
    refuse("l2_reset_after_us: 0 to 1e12");
  }
  r.lazy_loading = e.module_loading() == proto::Environment::LAZY;
  r.lazy_start = e.lazy_start();
  r.lazy_children = e.lazy_children();
  r.host_threads = e.host_threads();
  if (e.has_jitter()) {
    r.jitter = e.jitter();
  }
  r.l2_reset_after = host::from_us(e.l2_reset_after_us());
  return r;
}

}  // namespace heddle::workload
