#include "analysis/store/record_bytes.h"

#include <boost/archive/binary_iarchive.hpp>
#include <boost/archive/binary_oarchive.hpp>
#include <boost/serialization/array.hpp>
#include <boost/serialization/array_wrapper.hpp>
#include <boost/serialization/map.hpp>
#include <boost/serialization/string.hpp>
#include <boost/serialization/vector.hpp>
#include <sstream>

// Structured bindings name every member: one more in a structure, and this does not compile.
namespace boost::serialization {

using namespace heddle;

template <class Archive>
void serialize(Archive& a, isa::Dim3& v, unsigned) {
  auto& [x, y, z] = v;
  a& x& y& z;
}

template <class Archive>
void serialize(Archive& a, isa::LaunchShape& v, unsigned) {
  auto& [grid, block, cluster, registers, static_shared, dynamic_shared, local, carveout, cooperative,
         shared_base, local_base, stream] = v;
  a& grid& block& cluster& registers& static_shared& dynamic_shared& local& carveout& cooperative;
  a& shared_base& local_base& stream;
}

template <class Archive>
void serialize(Archive& a, stats::Sampling& v, unsigned) {
  auto& [requested, detailed_blocks, total_blocks, low, high, reason, detailed_sms, total_sms] = v;
  a& requested& detailed_blocks& total_blocks& low& high& reason& detailed_sms& total_sms;
}

template <class Archive>
void serialize(Archive& a, stats::InstructionCounts& v, unsigned) {
  auto& [executed, threads, requests, sectors, hits, wavefronts, conflicts, stall] = v;
  a& executed& threads& requests& sectors& hits& wavefronts& conflicts& stall;
}

template <class Archive>
void serialize(Archive& a, stats::InstructionProfile& v, unsigned) {
  auto& [pc, opcode, text, file, line, op, mma_work, counts] = v;
  a& pc& opcode& text& file& line& op& mma_work& counts;
}

template <class Archive>
void serialize(Archive& a, stats::SeriesSample& v, unsigned) {
  auto& [cycle, growth] = v;
  a& cycle& growth;
}

template <class Archive>
void serialize(Archive& a, stats::Span& v, unsigned) {
  auto& [track, lane, name, start, end, args] = v;
  a& track& lane& name& start& end& args;
}

template <class Archive>
void serialize(Archive& a, stats::Profile& v, unsigned) {
  auto& [instructions, series, spans, dropped] = v;
  a& instructions& series& spans& dropped;
}

template <class Archive>
void serialize(Archive& a, analysis::HostTiming& v, unsigned) {
  auto& [seconds, hostname, date, threads, rss, path] = v;
  a& seconds& hostname& date& threads& rss& path;
}

template <class Archive>
void serialize(Archive& a, analysis::LaunchRecord& v, unsigned) {
  auto& [id, run_id, trace, launch, trace_hash, kernel, kernel_id, shape, core_mhz, cycles, sm_active_cycles,
         warp_instructions, used_control_bits, values, stalls, unknown_opcodes, sampling, profile, flop,
         host] = v;
  a& id& run_id& trace& launch& trace_hash& kernel& kernel_id& shape& core_mhz& cycles& sm_active_cycles;
  a& warp_instructions& used_control_bits& values& stalls& unknown_opcodes& sampling& profile& host;
  (void)flop;  // follows from the profile
}

}  // namespace boost::serialization

namespace heddle::analysis {
namespace {

constexpr auto kFlags = boost::archive::no_header | boost::archive::no_tracking;

}  // namespace

std::string to_bytes(const LaunchRecord& record) {
  std::ostringstream out;
  boost::archive::binary_oarchive(out, kFlags) << record;
  return std::move(out).str();
}

LaunchRecord record_from_bytes(const std::string& bytes) {
  std::istringstream in(bytes);
  LaunchRecord record;
  boost::archive::binary_iarchive(in, kFlags) >> record;
  record.flop = flops_of(record.profile);
  return record;
}

}  // namespace heddle::analysis
