#include "sim/memory/noc.h"

namespace heddle::memory {

std::vector<uint32_t> gpc_of_sm(const spec::Topology& t) {
  std::vector<uint32_t> out;
  for (int g = 0; g < t.tpcs_per_gpc_size(); ++g) {
    out.insert(out.end(), size_t{t.tpcs_per_gpc(g)} * t.sms_per_tpc(), static_cast<uint32_t>(g));
  }
  return out;
}

std::vector<uint32_t> first_sms(const std::vector<uint32_t>& gpc_of_sm) {
  std::vector<uint32_t> out;
  for (uint32_t sm = 0; sm < gpc_of_sm.size(); ++sm) {
    if (sm == 0 || gpc_of_sm[sm] != gpc_of_sm[sm - 1]) {
      out.push_back(sm);
    }
  }
  out.push_back(static_cast<uint32_t>(gpc_of_sm.size()));
  return out;
}

std::vector<uint32_t> sm_groups(const std::vector<uint32_t>& gpc_of_sm, uint32_t size) {
  std::vector<uint32_t> out;
  uint32_t group = 0, members = 0;
  for (size_t sm = 0; sm < gpc_of_sm.size(); ++sm) {
    if (sm > 0 && (gpc_of_sm[sm] != gpc_of_sm[sm - 1] || members == size)) {
      ++group;
      members = 0;
    }
    ++members;
    out.push_back(group);
  }
  return out;
}

Noc::Noc(const spec::GpuConfig& g)
    : header_(g.noc().packet_header_bytes()),
      request_latency_(to_ticks(g.noc().request_latency())),
      response_latency_(to_ticks(g.noc().response_latency())),
      min_round_trip_(g.noc().request_latency() + g.noc().response_latency()),
      gpc_of_sm_(memory::gpc_of_sm(g.topology())) {
  uint32_t sms = g.topology().sms();
  uint32_t gpcs = static_cast<uint32_t>(g.topology().tpcs_per_gpc_size());
  uint32_t tpcs = sms / g.topology().sms_per_tpc();
  for (uint32_t i = 0; i < sms; ++i) {
    tpc_of_sm_.push_back(i / g.topology().sms_per_tpc());
  }
  auto port = [](uint32_t n, double bytes_per_cycle) {
    return Port{std::vector<Bandwidth>(n), static_cast<double>(kTicksPerCycle) / bytes_per_cycle};
  };
  tpc_in_ = port(tpcs, g.noc().tpc_request_bytes());
  gpc_in_ = port(gpcs, g.noc().gpc_request_bytes());
  gpc_out_ = port(gpcs, g.noc().gpc_response_bytes());
  tpc_out_ = port(tpcs, g.noc().tpc_response_bytes());
  sm_out_ = port(sms, g.noc().sm_response_bytes());
}

void Noc::reset(Ticks origin) {
  for (Port* p : {&tpc_in_, &gpc_in_, &gpc_out_, &tpc_out_, &sm_out_}) {
    for (Bandwidth& s : p->servers) {
      s.reset(origin);
    }
  }
}

Ticks Noc::request(uint32_t sm, uint32_t payload, Ticks at) {
  uint32_t bytes = payload + header_;
  at = tpc_in_.pass(tpc_of_sm_[sm], bytes, at);
  at = gpc_in_.pass(gpc_of_sm_[sm], bytes, at);
  return at + request_latency_;
}

Ticks Noc::to_sm(uint32_t sm, uint32_t payload, Ticks at) {
  uint32_t bytes = payload + header_;
  at = tpc_out_.pass(tpc_of_sm_[sm], bytes, at);
  at = sm_out_.pass(sm, bytes, at);
  return at + response_latency_;
}

}  // namespace heddle::memory
