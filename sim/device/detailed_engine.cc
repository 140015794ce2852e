#include "sim/device/detailed_engine.h"

#include <algorithm>
#include <utility>

#include "sim/base/align.h"
#include "sim/base/error.h"
#include "sim/device/launch_watcher.h"
#include "sim/device/occupancy.h"

namespace heddle::device {
namespace {

void take_away(stats::CounterSet& from, const stats::CounterSet& what) {
  for (size_t i = 0; i < from.count.size(); ++i) {
    from.count[i] -= what.count[i];
  }
  for (size_t i = 0; i < from.stall.size(); ++i) {
    from.stall[i] -= what.stall[i];
  }
}

constexpr uint32_t kBlocksAhead = 4;  // of a recording, for each thread

}  // namespace

uint32_t DetailedEngine::Ranges::take(uint32_t count) {
  count = (count + kUnit - 1) / kUnit * kUnit;
  uint32_t first = 0;
  for (const auto& [begin, length] : taken_) {
    if (begin - first >= count) {
      break;
    }
    first = begin + length;
  }
  taken_[first] = std::max(count, kUnit);
  return first;
}

DetailedEngine::Launched::Launched(Launch l, const spec::GpuConfig& gpu)
    : launch(std::move(l)),
      recording(launch.owned ? launch.owned.get() : launch.recording),
      computing(recording ? recording->program(
                                {gpu.clocks().core_mhz(), static_cast<uint32_t>(gpu.topology().sms())})
                          : nullptr),
      image(computing   ? computing->image()
            : recording ? recording->image()
                        : launch.program->image()),
      occupancy(device::occupancy(gpu, image.shape)),
      timed(sm::bind(image, gpu.sm())),
      program(computing ? computing.get() : launch.program) {
  timed.address_offset = launch.address_offset;
}

DetailedEngine::DetailedEngine(const spec::GpuConfig& gpu, int threads) : loop_(gpu, threads) {}

DetailedEngine::DetailedEngine(const spec::GpuConfig& gpu, const RunOptions& options)
    : loop_(gpu, options.threads) {
  begin(options, Launches::kSeveral, "kernels that run together");
}

void DetailedEngine::begin(const RunOptions& options, Launches launches, const std::string& what) {
  if (launches != Launches::kOne && (options.profile.any() || options.watcher)) {
    throw Error("a profile, and whoever looks on, needs a launch that is alone");
  }
  options_ = options;
  mode_ = launches;
  lines_.clear();
  constants_.clear();
  profiler_.reset();
  launched_.clear();
  count_ = 0;
  Machine& m = loop_.machine();
  // A launch counts its time from there on, alone or beside others.
  const Cycle origin = m.config.launch().start_cycles();
  const bool alone = launches != Launches::kSeveral;
  first_number_ = alone ? 0 : 1;
  launched_.resize(launches == Launches::kOne
                       ? 1
                       : 1 + std::min<uint32_t>(m.config.limits().max_resident_grids(), UINT8_MAX));
  loop_.begin({.threads = options.threads,
               .quantum = options.quantum,
               .cancel = options.cancel,
               .watchdog_cycles = options.watchdog_cycles,
               .livelock_cycles = options.livelock_cycles,
               .what = what},
              alone ? origin : 0);
  m.memory->reset(options.l2, options.warm, origin, &loop_.pool());
  m.memory->set_image(options.image, false);
  image_ = options.image;
  if (host_) {
    host_->reset();
  }
  loop_.pool().parallel_for(static_cast<uint32_t>(m.sms.size()), [&](uint32_t i) {
    m.sms[i]->begin(origin, options.observer, Profiler::noting(options.profile, i), options.image);
  });
  m.distributor->begin();
}

void DetailedEngine::attach_host(const HostLink& link) {
  host_.emplace(link).attach(*loop_.machine().memory);
}

void DetailedEngine::host_memory(std::span<const HostRange> ranges) {
  host_->owners() = {};
  for (const HostRange& r : ranges) {  // whole lines
    const uint64_t first = r.address / memory::kLineBytes * memory::kLineBytes;
    const uint64_t bytes = round_up(r.address + r.bytes - first, uint64_t{memory::kLineBytes});
    if (r.page_bytes != 0) {
      host_->owners().add_pages(first, bytes, r.page_bytes, memory::kAway);
    } else {
      host_->owners().add(first, bytes, memory::kHostDevice);
    }
  }
}

void DetailedEngine::place(uint64_t page, uint8_t owner, Cycle at) {
  if (host_->place(*loop_.machine().memory, image_, page, owner, std::max(at, now()))) {
    loop_.changed();
  }
}

// A program that computes has its memory, or finds that of the options.
void DetailedEngine::give_memory(const Launched& l) {
  isa::GlobalMemory* own = l.program->memory();
  if (l.image.computed && !own && !options_.image) {
    throw Error("kernel " + l.image.name + " computes, and there is no memory for it (RunOptions::image)");
  }
  if (own) {
    const bool at_once = l.program->reads_at_once() ||
                         std::any_of(launched_.begin(), launched_.end(),
                                     [](const auto& x) { return x && x->program->reads_at_once(); });
    loop_.machine().memory->set_image(own, at_once);
    image_ = own;
  }
}

// It is on the machine, but its blocks are not.
DetailedEngine::Launched& DetailedEngine::admit(Launch request) {
  Machine& m = loop_.machine();
  const auto free = std::find(launched_.begin() + first_number_, launched_.end(), nullptr);
  auto l = std::make_unique<Launched>(std::move(request), m.config);
  if (free == launched_.end()) {
    throw Error("kernel " + l->image.name + ": " + std::to_string(most_launches()) +
                " launches are on the machine already");
  }
  const bool one = mode_ == Launches::kOne;
  if (l->recording && !l->computing) {
    const auto threads = static_cast<uint32_t>(std::max(1, options_.threads));
    l->program = &l->replay.emplace(*l->recording, threads == 1 || !one ? 1 : kBlocksAhead * threads,
                                    [this](uint32_t n, const auto& f) { loop_.pool().parallel_for(n, f); });
  }
  give_memory(*l);
  sm::number_lines(l->timed, lines_.take(l->timed.lines), constants_.take(l->timed.constants));
  loop_.watch_programs(l->image.computed);
  if (l->program->in_order()) {
    loop_.run_in_order();
  }
  loop_.skip_to(count_ == 0 ? l->launch.at : 0);
  l->number = static_cast<uint8_t>(free - launched_.begin());
  loop_.pool().parallel_for(static_cast<uint32_t>(m.sms.size()),
                            [&](uint32_t i) { m.sms[i]->add_kernel(l->timed); });
  if (options_.profile.any()) {
    profiler_.emplace(options_.profile, m, l->image, loop_.now());
  }
  *free = std::move(l);
  ++count_;
  return **free;
}

GridLaunch DetailedEngine::grid(const Launched& l) const {
  return {.number = l.number,
          .program = l.program,
          .kernel = &l.timed,
          .occupancy = l.occupancy,
          .priority = l.launch.priority,
          .watcher = options_.watcher};
}

void DetailedEngine::launch(Launch request) {
  Launched& l = admit(std::move(request));
  l.moved_before = moved_bytes();
  Machine& m = loop_.machine();
  const Cycle at = std::max(l.launch.at, loop_.now());
  const bool first = l.number == 0;
  l.at = first ? 0 : at;
  if (mode_ == Launches::kPeriod && !first) {
    l.counters = loop_.counters();
  }
  const uint64_t line_bytes = m.config.sm().fetch().line_bytes();
  // Alone, it is fetched while the device prepares it, which takes until `at`.
  m.memory->launch(l.number, l.timed.first_line * line_bytes, l.timed.lines * line_bytes, first ? 0 : at);
  m.distributor->launch(grid(l), at);
}

bool DetailedEngine::settled(uint8_t number) const {
  const auto& sms = loop_.machine().sms;
  return loop_.machine().memory->away(number) == 0 && std::all_of(sms.begin(), sms.end(), [&](const auto& s) {
           return s->outbox().last_departure(number) == 0;
         });
}

uint64_t DetailedEngine::moved_bytes() const {
  return loop_.machine().memory->counters()[stats::Counter::kL2FromSm] * memory::kSectorBytes;
}

Cycle DetailedEngine::end_of(uint8_t number, Cycle last_warp) const {
  const Machine& m = loop_.machine();
  const Cycle performed = m.memory->last_performed(number);
  if (performed == 0) {
    return last_warp;
  }
  // What is on its way is performed while the GPCs answer, and their last answer counts; more data takes
  // longer, with launches beside each other that of all of them (FINDINGS.md 54).
  const spec::Launch& c = m.config.launch();
  const Launched& l = *launched_[number];
  const uint64_t gpcs =
      std::min<uint64_t>(l.image.shape.grid.count(), m.config.topology().tpcs_per_gpc_size());
  const uint64_t bytes = moved_bytes() - l.moved_before;
  const uint64_t flush =
      c.flush_cycles() * gpcs / (gpcs + 1) + c.flush_data_cycles() * bytes / (bytes + c.flush_half_bytes());
  return std::max(last_warp + flush, performed);
}

LaunchEnd DetailedEngine::take_ended() {
  std::vector<GridEnd>& ended = loop_.machine().distributor->ended();
  const GridEnd e = ended.front();
  ended.erase(ended.begin());
  Launched& l = *launched_[e.number];
  loop_.machine().memory->settle_writes();
  const LaunchEnd out = {l.launch.tag, e.first_block, end_of(e.number, e.last_warp), e.work};
  if (mode_ == Launches::kPeriod) {
    ended_ = result_of(l, out.end);
  }
  lines_.give_back(l.timed.first_line);
  constants_.give_back(l.timed.first_constant);
  launched_[e.number].reset();
  --count_;
  return out;
}

std::optional<LaunchEnd> DetailedEngine::ended() {
  const std::vector<GridEnd>& ended = loop_.machine().distributor->ended();
  return !ended.empty() && settled(ended.front().number) ? std::optional(take_ended()) : std::nullopt;
}

std::optional<LaunchEnd> DetailedEngine::advance(Cycle until) {
  while (true) {
    if (std::optional<LaunchEnd> e = ended()) {
      return e;
    }
    if (count_ == 0 || loop_.now() >= until || has_faults()) {
      return std::nullopt;
    }
    quantum(until);
  }
}

void DetailedEngine::quantum(Cycle limit) {
  if (!loop_.runs_alone() && std::any_of(launched_.begin(), launched_.end(),
                                         [](const auto& l) { return l && l->program->in_order(); })) {
    loop_.run_alone();  // it has become so
  }
  // All wait for pages, which somebody else brings.
  if (host_ && host_->waits() && limit != kNever && loop_.next_activity() == kNever) {
    loop_.skip_to(limit);
    return;
  }
  loop_.advance(profiler_ ? std::min(limit, profiler_->next()) : limit);
  if (host_ && host_->serve(*loop_.machine().memory, image_)) {
    loop_.changed();
  }
  if (profiler_) {
    profiler_->exchange(loop_.now());
  }
  if (options_.watcher) {
    options_.watcher->quantum(loop_.now(), loop_.issued(), [this] { return loop_.counters(); });
  }
}

Progress DetailedEngine::progress() const {
  const WorkDistributor& d = *loop_.machine().distributor;
  const uint64_t left_out = options_.watcher ? options_.watcher->left_out() : 0;
  return {loop_.now(), loop_.issued(), d.blocks_done() + left_out, d.blocks_total()};
}

stats::KernelResult DetailedEngine::result() const {
  const Machine& machine = loop_.machine();
  Cycle last = machine.distributor->last_end();
  for (const auto& s : machine.sms) {
    last = std::max(last, s->last_activity());
  }
  return result_of(*launched_.front(), end_of(0, last));
}

stats::KernelResult DetailedEngine::result_of(const Launched& l, Cycle end) const {
  const isa::KernelImage& image = l.image;
  const Machine& machine = loop_.machine();
  const spec::GpuConfig& c = machine.config;
  stats::KernelResult r;
  r.kernel = image.name;
  r.kernel_id = image.id;
  r.shape = image.shape;
  r.occupancy = l.occupancy;
  r.sms = c.topology().sms();
  r.subcores_per_sm = c.sm().subcores();
  r.max_warps_per_sm = c.limits().max_warps_per_sm();
  r.core_mhz = c.clocks().core_mhz();
  r.used_control_bits = l.timed.control_bits;
  // The launch's own start comes before its first instruction.
  const Cycle begun = l.number == 0 ? 0 : l.at - c.launch().start_cycles();
  for (const auto& s : machine.sms) {
    const Cycle active = std::min(s->active_cycles(loop_.now()), l.number == 0 ? kNever : end - begun);
    r.sm_active_cycles_sum += active;
    r.sm_active_cycles_max = std::max(r.sm_active_cycles_max, active);
  }
  r.totals = loop_.counters();
  take_away(r.totals, l.counters);
  r.cycles = end - begun + c.launch().end_cycles();
  for (size_t i = 0; i < image.code.size(); ++i) {
    if (!(image.code[i].flags & isa::kFlagUnknownOpcode)) {
      continue;
    }
    uint64_t executed = 0;
    for (const auto& s : machine.sms) {
      executed += s->executed_unknown(static_cast<uint32_t>(i));
    }
    if (executed) {
      r.unknown_opcodes[image.opcodes[image.code[i].opcode]] += executed;
    }
  }
  return r;
}

stats::KernelResult DetailedEngine::finish() {
  loop_.settle();
  loop_.machine().memory->settle_writes();
  loop_.machine().memory->finish();
  stats::KernelResult r = result();
  if (options_.watcher) {
    options_.watcher->complete(r);
  }
  if (profiler_) {
    profiler_->complete(r);
  }
  abandon();
  return r;
}

}  // namespace heddle::device
