#include "tests/sim/host/support.h"

#include <algorithm>

#include "tests/sim/support/test_config.h"

namespace heddle::hosttest {

spec::GpuConfig plain_gpu(uint32_t sms) {
  spec::GpuConfig g = simtest::test_gpu(1);
  g.mutable_topology()->set_sms(sms);
  g.mutable_topology()->set_sms_per_tpc(1);
  g.mutable_topology()->clear_tpcs_per_gpc();
  g.mutable_topology()->add_tpcs_per_gpc(sms);
  g.mutable_dram()->set_total_bytes(1 << 30);
  g.mutable_launch()->set_block_interval(0);
  g.mutable_launch()->set_sm_block_interval(0);
  g.mutable_launch()->set_block_start_latency(0);
  g.mutable_launch()->set_block_retire_latency(0);
  return g;
}

// Packets of 256 bytes and 20 (completions) or 24 (writes) more; 8 bytes per nanosecond: 32 lanes of 2
// Gbit/s. A whole number of microseconds is a multiple of 69 (276 / 4) or 35 (280 / 8) packets ... so count
// the packets of 1 us.
uint64_t h2d_bytes(uint32_t us) { return uint64_t{us} * 8000 * 256 / 276; }
uint64_t d2h_bytes(uint32_t us) { return uint64_t{us} * 8000 * 256 / 280; }

Times span(const host::Result& r, const std::string& track, const std::string& name, size_t index) {
  std::vector<const host::TrackSpan*> found;
  for (const host::TrackSpan& s : r.spans) {
    const std::string& of = r.tracks[s.track].name;
    if ((of == track || of.starts_with(track + " graph ")) && r.names[s.name] == name) {
      found.push_back(&s);
    }
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const host::TrackSpan* a, const host::TrackSpan* b) { return a->start < b->start; });
  return index < found.size() ? Times{host::to_us(found[index]->start), host::to_us(found[index]->end)}
                              : Times{};
}

Times in_stream(const host::Result& r, const std::string& stream, const std::string& name, size_t index) {
  return span(r, "device 0 stream " + stream, name, index);
}

double us(host::Ps t) { return host::to_us(t); }

uint64_t counter_of(const host::Result& r, const std::string& name) {
  const auto c = std::find_if(r.counters.begin(), r.counters.end(),
                              [&](const host::RunCounter& each) { return each.name == name; });
  return c == r.counters.end() ? UINT64_MAX : c->value;
}

std::vector<std::string> errors(const host::Result& r) {
  std::vector<std::string> out;
  out.reserve(r.errors.size());
  for (const host::CallError& e : r.errors) {
    out.push_back(e.error);
  }
  return out;
}

std::vector<std::string> answers(const host::Result& r) {
  std::vector<std::string> out;
  out.reserve(r.answers.size());
  for (const host::Answer& a : r.answers) {
    out.push_back(a.value);
  }
  return out;
}

}  // namespace heddle::hosttest
