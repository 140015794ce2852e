// The experiments of host_shapes.cu: memory by size, pools, unified memory,
// pipelines of copies, host functions, threads, parameters, cooperative launches, requests of a service. Left
// out is what says nothing about the model: kernels' own durations (managed_warm_us, managed_prefetched_us),
// which it is given.
#include "analysis/validate/host/experiment.h"

namespace heddle::hostbench {
namespace {

constexpr uint64_t kKiB = 1 << 10, kMiB = 1 << 20;

// "4KiB", "256B" at the beginning of a text.
uint64_t bytes_of(const std::string& text) {
  size_t end = 0;
  const uint64_t n = std::stoull(text, &end);
  const std::string unit = text.substr(end, text.find(' ', end) - end);
  return n * (unit == "KiB" ? kKiB : unit == "MiB" ? kMiB : 1);
}
bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

std::optional<double> memory(Experiment& e, const Row& row) {
  const uint64_t n = bytes_of(row.parameter);
  const std::string& t = row.test;
  const Buffer b = e.w.later("b", t.ends_with("host_us") ? host::Memory::kPinned : host::Memory::kDevice, n);
  if (t == "malloc_us" || t == "malloc_host_us") {
    return e.last_call([&] { e.main.malloc(b); });
  }
  if (t == "free_us" || t == "free_host_us") {
    e.main.malloc(b);
    return e.last_call([&] { e.main.free(b); });
  }
  return std::nullopt;  // cudaHostRegister
}

std::optional<double> pools(Experiment& e, const Row& row) {
  const std::string &t = row.test, &p = row.parameter;
  const bool kept = has(p, " kept") || t == "pool_trim_us";
  e.main.memPoolSetAttribute({}, host::PoolAttribute::kReleaseThreshold, kept ? UINT64_MAX : 0);
  const auto buffer = [&](uint64_t n, uint32_t i = 0) {
    return e.w.later("b" + std::to_string(i), host::Memory::kDevice, n);
  };
  if (t == "pool_many_us") {
    const uint64_t n = leading_number(p), bytes = bytes_of(p.substr(p.find(" of ") + 4));
    std::vector<Buffer> all;
    for (uint32_t i = 0; i < n; ++i) {
      all.push_back(buffer(bytes, i));
    }
    return e.last_call([&] {
      for (const Buffer b : all) {
        e.main.mallocAsync(b, e.s);
      }
      for (const Buffer b : all) {
        e.main.freeAsync(b, e.s);
      }
      e.main.deviceSynchronize();
    });
  }
  const Buffer b = buffer(bytes_of(p));
  if (t == "pool_streams_us") {
    const Kernel k = e.spin(20000);
    const Buffer c = buffer(bytes_of(p), 1);
    const auto once = [&](Thread& m) {
      m.mallocAsync(b, e.s).launch(k, e.s).freeAsync(b, e.s);
      m.mallocAsync(c, e.s2).launch(k, e.s2).freeAsync(c, e.s2);
    };
    e.main.repeat(5, once).deviceSynchronize();
    return e.last_call([&] { e.main.repeat(5, once).deviceSynchronize(); }) / 10;
  }
  if (t == "pool_cycle_us") {
    const bool waits = p.ends_with("with synchronisation");
    const Kernel k = e.spin(0);
    const auto once = [&](Thread& m) {
      m.mallocAsync(b, e.s).launch(k, e.s).freeAsync(b, e.s);
      if (waits) {
        m.streamSynchronize(e.s);
      }
    };
    e.main.repeat(10, once).deviceSynchronize();
    return e.last_call([&] { e.main.repeat(10, once).deviceSynchronize(); }) / 10;
  }
  if (t == "pool_first_us") {
    return e.last_call([&] { e.main.mallocAsync(b, e.s); });
  }
  e.main.mallocAsync(b, e.s).freeAsync(b, e.s);
  if (t == "pool_again_us") {
    return e.last_call([&] { e.main.mallocAsync(b, e.s); });
  }
  if (t == "pool_trim_us") {
    e.main.deviceSynchronize();
    return e.last_call([&] { e.main.memPoolTrimTo({}, 0); });
  }
  e.main.mallocAsync(b, e.s);
  if (t == "pool_free_us") {
    return e.last_call([&] { e.main.freeAsync(b, e.s); });
  }
  e.main.freeAsync(b, e.s);
  return t == "pool_sync_us" ? std::optional(e.last_call([&] { e.main.streamSynchronize(e.s); }))
                             : std::nullopt;
}

// A kernel of so many bytes a microsecond that touches all of the buffer, or a word of each `stride` bytes.
Kernel touching(Experiment& e, uint64_t bytes, const host::Access& a) {
  constexpr double kBytesPerUs = 1e6;  // in device memory; what moves takes fifty times as long
  host::KernelDesc d;
  d.name = "touch";
  d.has_grid = true;
  d.grid.x = 132;
  d.block.x = 256;
  d.duration = host::from_us(1 + static_cast<double>(bytes) / kBytesPerUs);
  d.accesses = {a};
  return e.w.kernel(d);
}

std::optional<double> managed(Experiment& e, const Row& row) {
  const std::string& t = row.test;
  const uint64_t n = bytes_of(row.parameter);
  const Buffer b = e.w.later("b", host::Memory::kManaged, n);
  if (t == "managed_malloc_us") {
    return e.last_call([&] { e.main.malloc(b); });
  }
  e.main.malloc(b);
  const Kernel touch = touching(e, n, updates(b));
  if (t == "managed_device_first_us") {
    return e.between_events([&] { e.main.launch(touch, e.s); });
  }
  const auto on_host = [&] { e.main.hostAccess({updates(b)}); };
  if (t == "managed_host_first_us") {
    return e.last_call(on_host);
  }
  on_host();
  if (t == "managed_cold_us") {
    return e.between_events([&] { e.main.launch(touch, e.s); });
  }
  const Kernel read = touching(e, n, reads(b));
  if (t == "managed_read_mostly_us") {
    e.main.memAdvise(b, host::Advice::kSetReadMostly);
    return e.between_events([&] { e.main.launch(read, e.s); });
  }
  if (t == "managed_read_us") {
    return e.between_events([&] { e.main.launch(read, e.s); });
  }
  if (t == "managed_prefetch_us") {
    return e.between_events([&] { e.main.memPrefetchAsync(b, 0, e.s); });
  }
  if (t == "managed_prefetch_return_us") {
    return e.last_call([&] { e.main.memPrefetchAsync(b, 0, e.s); });
  }
  e.main.launch(touch, e.s).deviceSynchronize();
  if (t == "managed_back_us") {
    return e.last_call(on_host);
  }
  if (t == "managed_prefetch_home_us") {
    return e.between_events([&] { e.main.memPrefetchAsync(b, host::kNone, e.s); });
  }
  return t == "managed_free_us" ? std::optional(e.last_call([&] { e.main.free(b); })) : std::nullopt;
}

// "4 streams 16MiB spin20000 skewed"
double pipeline(Experiment& e, const std::string& p) {
  const auto n = static_cast<uint32_t>(leading_number(p));
  const uint64_t piece = bytes_of(p.substr(p.find("streams ") + 8)) / n;
  const double cycles = std::stod(p.substr(p.find("spin") + 4));
  const Kernel k = e.spin(cycles / n, 16, 128);
  const Buffer in = e.w.pinned("in", piece * n), out = e.w.pinned("out", piece * n),
               dev = e.w.device("dev", piece * n);
  std::vector<Stream> q;
  for (uint32_t i = 0; i < n; ++i) {
    q.push_back(e.w.stream("q" + std::to_string(i), true));
  }
  const auto to = [&](uint32_t i) { e.main.memcpyAsync(dev, in, q[i], piece).at(i * piece, i * piece); };
  const auto run = [&](uint32_t i) { e.main.launch(k, q[i]); };
  const auto from = [&](uint32_t i) { e.main.memcpyAsync(out, dev, q[i], piece).at(i * piece, i * piece); };
  return e.last_call([&] {
    e.main.eventRecord(e.a, e.s);
    for (const Stream s : q) {
      e.main.streamWaitEvent(s, e.a);
    }
    const uint32_t apart = p.ends_with("depth-first") ? 0 : p.ends_with("skewed") ? 1 : n;
    if (apart == 0) {
      for (uint32_t i = 0; i < n; ++i) {
        to(i), run(i), from(i);
      }
    }
    for (uint32_t i = 0; apart != 0 && i < n + 2 * apart; ++i) {
      if (i < n) {
        to(i);
      }
      if (i >= apart && i < n + apart) {
        run(i - apart);
      }
      if (i >= 2 * apart) {
        from(i - 2 * apart);
      }
    }
    e.main.deviceSynchronize();
  });
}

// "h2d 64 of 4KiB in 4 streams", "both ways ..."
double copies(Experiment& e, const std::string& p) {
  const uint64_t n = bytes_of(p.substr(p.find(" of ") + 4)),
                 streams = leading_number(p.substr(p.find(" in ") + 4));
  const Buffer h = e.w.pinned("h", 64 * n), h2 = e.w.pinned("h2", 64 * n), d = e.w.device("d", 64 * n);
  std::vector<Stream> q;
  for (uint64_t i = 0; i < streams; ++i) {
    q.push_back(e.w.stream("q" + std::to_string(i), true));
  }
  return e.last_call([&] {
    for (uint64_t i = 0; i < 64; ++i) {
      const bool to = p.starts_with("h2d") || (p.starts_with("both") && i % 2 == 0);
      e.main.memcpyAsync(to ? d : h2, to ? h : d, q[i % streams], n).at(i * n, i * n);
    }
    e.main.deviceSynchronize();
  });
}

// "h2d 256 by 2048": so many rows; "h2d 32": a cube.
double rows(Experiment& e, const Row& row) {
  const std::string& p = row.parameter;
  const uint64_t width = leading_number(p.substr(4)),
                 high = row.test == "copy3d_us" ? width * width : leading_number(p.substr(p.find("by ") + 3));
  const Buffer h = e.w.pinned("h", width * high), d = e.w.device("d", width * high),
               d2 = e.w.device("d2", width * high);
  const Buffer to = p.starts_with("h2d")   ? d
                    : p.starts_with("d2h") ? h
                                           : d2,
               from = p.starts_with("h2d") ? h : d;
  return e.between_events([&] { e.main.memcpyAsync(to, from, e.s, 0, high); });
}

std::optional<double> host_functions(Experiment& e, const std::string& p) {
  const uint64_t n = leading_number(p);
  const Kernel k = e.spin(0);
  return e.last_call([&] {
    for (uint64_t i = 0; i < n; ++i) {
      if (p.ends_with("between kernels")) {
        e.main.launch(k, e.s);
      }
      e.main.launchHostFunc(e.s, 0);
    }
    if (p.ends_with("between kernels")) {
      e.main.launch(k, e.s);
    }
    e.main.deviceSynchronize();
  });
}

// The longest of the threads, for each launch.
double threads(Experiment& e, const std::string& p) {
  const uint64_t n = leading_number(p);
  const Kernel k = e.spin(0);
  for (uint64_t i = 0; i < n; ++i) {
    Thread& t = i == 0 ? e.main : e.w.thread("t" + std::to_string(i));
    const Stream q = p.ends_with("own streams") && i > 0 ? e.w.stream("q" + std::to_string(i), true) : e.s;
    t.repeat(200, [&](Thread& x) { x.launch(k, q); });
  }
  return e.longest_thread() / 200;
}

std::optional<double> parameters(Experiment& e, const Row& row) {
  const Kernel k = e.spin(0);
  e.w.program().kernels[k.id].parameter_bytes = static_cast<uint32_t>(leading_number(row.parameter));
  if (row.test == "parameters_return_us") {
    return e.last_call([&] { e.main.launch(k, e.s); });
  }
  return e.last_call([&] { e.main.repeat(200, [&](Thread& t) { t.launch(k, e.s); }).deviceSynchronize(); }) /
         200;
}

std::optional<double> cooperative(Experiment& e, const Row& row) {
  const std::string& p = row.parameter;
  const bool plain = p.starts_with("plain");
  const auto blocks = static_cast<uint32_t>(leading_number(plain ? p.substr(6) : p));
  const Kernel k = e.spin(0, blocks, 128);
  host::KernelDesc& d = e.w.program().kernels[k.id];
  d.cooperative = !plain;
  if (row.test == "cooperative_return_us") {
    return e.last_call([&] { e.main.launch(k, e.s); });
  }
  if (row.test == "cooperative_period_us") {
    return e.last_call([&] {
      e.main.repeat(100, [&](Thread& t) { t.launch(k, e.s); }).deviceSynchronize();
    }) / 100;
  }
  // A program says that a kernel has a barrier, not how many.
  const uint64_t barriers = leading_number(p.substr(p.find("blocks ") + 7));
  if (barriers > 1) {
    return std::nullopt;
  }
  d.grid_barrier = barriers == 1;
  return e.between_events([&] { e.main.launch(k, e.s); });
}

// "64KiB spin2000 event synchronize"
std::optional<double> request(Experiment& e, const std::string& p) {
  const uint64_t n = bytes_of(p);
  const Kernel k = e.spin(std::stod(p.substr(p.find("spin") + 4)), 16, 128);
  const Buffer h = e.w.pinned("h", n), d = e.w.device("d", n);
  const Event plain = e.w.event("plain", false);
  const auto work = [&] { e.main.memcpyAsync(d, h, e.s).launch(k, e.s).memcpyAsync(h, d, e.s); };
  if (p.ends_with("stream synchronize")) {
    return e.last_call([&] { work(), e.main.streamSynchronize(e.s); });
  }
  if (p.ends_with("event synchronize")) {
    return e.last_call([&] { work(), e.main.eventRecord(plain, e.s).eventSynchronize(plain); });
  }
  if (p.ends_with("host function")) {
    const Flag f = e.w.flag("f");
    return e.last_call([&] { work(), e.main.launchHostFunc(e.s, 0, f).waitFlag(f); });
  }
  if (p.ends_with("graph")) {
    const Graph g = add_graph(e.w, "g");
    const Node in = memcpy_node(e.w, g, d, h);
    memcpy_node(e.w, g, h, d, {kernel_node(e.w, g, k, {in})});
    const GraphExec x = add_graph_exec(e.w, "x");
    e.main.graphInstantiate(x, g).graphLaunch(x, e.s).deviceSynchronize();
    return e.last_call([&] { e.main.graphLaunch(x, e.s).streamSynchronize(e.s); });
  }
  if (p.ends_with("synchronous copies")) {
    return e.last_call([&] { e.main.memcpy(d, h).launch(k, e.s).streamSynchronize(e.s).memcpy(h, d); });
  }
  if (p.ends_with("blocking event")) {
    const Event blocking = e.w.event("blocking", false, 0, true);
    return e.last_call([&] { work(), e.main.eventRecord(blocking, e.s).eventSynchronize(blocking); });
  }
  return std::nullopt;  // a loop that polls
}

std::optional<double> blocking(Experiment& e, const std::string& p) {
  e.rules.wait = host::Rules::Wait::kBlock;
  const Kernel k = e.spin(std::stod(p.substr(4)));
  return e.last_call([&] {
    e.main.launch(k, e.s);
    p.ends_with("device synchronize") ? e.main.deviceSynchronize() : e.main.streamSynchronize(e.s);
  });
}

}  // namespace

std::optional<double> service_experiments(Experiment& e, const Row& row) {
  const std::string &t = row.test, &p = row.parameter;
  if (t == "malloc_us" || t == "free_us" || t == "malloc_host_us" || t == "free_host_us") {
    return memory(e, row);
  }
  if (t.starts_with("pool_")) {
    return pools(e, row);
  }
  if (t.starts_with("managed_")) {
    return managed(e, row);
  }
  return t == "pipeline_us"                     ? std::optional(pipeline(e, p))
         : t == "copies_us"                     ? std::optional(copies(e, p))
         : t == "copy2d_us" || t == "copy3d_us" ? std::optional(rows(e, row))
         : t == "host_functions_us"             ? host_functions(e, p)
         : t == "threads_launch_us"             ? std::optional(threads(e, p))
         : t.starts_with("parameters_")         ? parameters(e, row)
         : t.starts_with("cooperative_")        ? cooperative(e, row)
         : t == "request_us"                    ? request(e, p)
         : t == "blocking_us"                   ? blocking(e, p)
                                                : std::nullopt;
}

}  // namespace heddle::hostbench
