// The experiments of tools/microbench/host_links.cu.
#include <algorithm>
#include <cstdio>
#include <vector>

#include "analysis/validate/host/experiment.h"
#include "sim/base/error.h"

namespace heddle::hostbench {
namespace {

constexpr uint64_t kMiB = 1 << 20;

// The spans of that name in a stream, by start, in microseconds.
std::vector<std::pair<double, double>> spans(const host::Result& r, const std::string& stream,
                                             const std::string& name) {
  std::vector<std::pair<double, double>> out;
  for (const host::TrackSpan& s : r.spans) {
    const std::string& track = r.tracks[s.track].name;  // a graph's: the stream's, and what it is
    const std::string mine = "device 0 stream " + stream;
    if (r.names[s.name] == name && (track == mine || track.starts_with(mine + " "))) {
      out.emplace_back(host::to_us(s.start), host::to_us(s.end));
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

double median(std::vector<double> v) {
  if (v.empty()) {
    throw Error("an experiment of links that measured nothing");
  }
  std::sort(v.begin(), v.end());
  return v[v.size() / 2];
}

// 256 threads a block, 16 bytes each, for about so many milliseconds where nothing else uses the link.
Kernel mover(Experiment& e, bool write, uint32_t blocks, double ms, uint64_t& bytes) {
  // Of loads, 3 GB/s a block (their latency), of all at most 52.
  const double rate = write ? 52 : std::min(52.0, 3.0 * blocks);
  bytes = static_cast<uint64_t>(rate * 1e6 * ms) / 128 * 128;
  const Buffer m = e.w.buffer("m", host::Memory::kMapped, bytes);
  const Kernel k = e.w.kernel_blocks("mover", blocks, 256, 0);
  e.w.program().kernels[k.id].accesses = {by_threads(write ? writes(m) : reads(m), 16)};
  return k;
}

// "read 16 blocks gap 0 h2d", "no kernel 0 blocks gap 0 h2d": GB/s of the kernel, of copies.
std::optional<double> beside(Experiment& e, const Row& row) {
  char kind[16] = "", copy[8] = "";
  uint32_t blocks = 0, gap = 0;
  const bool kernel = row.parameter.starts_with("read") || row.parameter.starts_with("write");
  const std::string p = kernel ? row.parameter : row.parameter.substr(3);
  if (std::sscanf(p.c_str(), "%15s %u blocks gap %u %7s", kind, &blocks, &gap, copy) != 4 || gap > 0) {
    return std::nullopt;
  }
  uint64_t bytes = 0;
  if (kernel) {
    e.main.launch(mover(e, kind[0] == 'w', blocks, 30, bytes), e.s2);
  }
  const std::string direction = copy;
  if (direction != "none") {
    const Buffer h = e.w.pinned("h", 16 * kMiB), d = e.w.device("d", 16 * kMiB);
    e.main.repeat(kernel ? 400 : 20, [&](Thread& t) {
      direction == "h2d" ? t.memcpyAsync(d, h, e.s) : t.memcpyAsync(h, d, e.s);
    });
  }
  const host::Result r = host::run(e.w.program(), e.gpu());
  const auto moved = spans(r, "s2", "mover");
  if (row.test == "link_kernel_rate") {
    return static_cast<double>(bytes) / (moved.at(0).second - moved.at(0).first) / 1e3;
  }
  std::vector<double> rates;
  double before = 0;
  for (const auto& [start, end] : spans(r, "s", direction == "h2d" ? "copy H2D" : "copy D2H")) {
    if (before > 0 && (moved.empty() || end < moved[0].second)) {
      rates.push_back(static_cast<double>(16 * kMiB) / (end - before) / 1e3);
    }
    before = end;
  }
  return median(rates);
}

// A kernel that reads the clock and stores it: its own time, over an empty one's.
constexpr double kStampUs = 0.2;

// "mapped reads 64 blocks in default; in remote; graph device store": from start to start of a hundred
// kernels.
std::optional<double> chain(Experiment& e, const std::string& p) {
  const size_t second = p.find("; in "), third = p.find("; ", second + 1);
  const std::string noise = p.substr(0, second), what = p.substr(third + 2);
  const auto domain = [](bool remote) {
    return LaunchAttributes{.domain = {static_cast<int8_t>(remote), -1, -1}};
  };
  const LaunchAttributes mine = domain(p.substr(second, third - second).ends_with("remote"));
  const bool graph = what.starts_with("graph ");
  const Buffer flag = e.w.buffer("flag", host::Memory::kMapped, 128);
  host::KernelDesc d = e.w.program().kernels[e.w.kernel_blocks("stamp", 1, 1, kStampUs).id];
  if (what.ends_with("mapped store")) {
    d.accesses = {writes(flag, 0, 4)};
  }
  const Kernel stamp = e.w.kernel(d), gate = e.w.kernel_blocks("gate", 1, 1, 1500);
  const Graph g = add_graph(e.w, "g");
  const GraphExec x = add_graph_exec(e.w, "x");
  if (graph) {
    e.main.streamBeginCapture(e.s);
  }
  e.main.launch(gate, e.s, mine).repeat(100, [&](Thread& t) { t.launch(stamp, e.s, mine); });
  if (graph) {
    e.main.streamEndCapture(e.s, g)
        .graphInstantiate(x, g)
        .graphUpload(x, e.s)
        .streamSynchronize(e.s)
        .graphLaunch(x, e.s);
  }
  if (noise.starts_with("mapped ")) {
    uint64_t bytes = 0;
    const auto blocks =
        static_cast<uint32_t>(leading_number(noise.substr(noise.find_first_of("0123456789"))));
    e.main.launch(mover(e, noise.starts_with("mapped writes"), blocks, 60, bytes), e.s2,
                  domain(noise.ends_with("remote")));
  }
  const auto starts = spans(host::run(e.w.program(), e.gpu()), "s", "stamp");
  std::vector<double> periods;
  for (size_t i = 10; i + 1 < starts.size(); ++i) {
    periods.push_back(starts[i + 1].first - starts[i].first);
  }
  return median(periods);
}

}  // namespace

std::optional<double> link_experiments(Experiment& e, const Row& row) {
  if (row.test == "link_kernel_rate" || row.test == "link_copy_rate") {
    return beside(e, row);
  }
  if (row.test == "domain_kernel_us") {
    return chain(e, row.parameter);
  }
  return std::nullopt;
}

}  // namespace heddle::hostbench
