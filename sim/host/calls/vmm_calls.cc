// Virtual memory management: the driver's calls, carried out by AddressSpace.
#include "sim/host/calls/threads.h"
#include "sim/host/program/program_error.h"

namespace heddle::host {
namespace {

void check_reserved(const Program& p, const Call& c) {
  if (!p.buffers[c.object].reserved) {
    throw ProgramError(c.line, "buffer " + p.buffers[c.object].name + " is no range of virtual memory");
  }
}

void check_range(const Program& p, const Call& c) {
  check_reserved(p, c);
  const BufferDesc& b = p.buffers[c.object];
  if (c.offset > b.bytes || c.bytes > b.bytes - c.offset) {
    throw ProgramError(c.line, "a range beyond the end of buffer " + b.name);
  }
}

void check_map(const Program& p, const Call& c) {
  check_reserved(p, c);
  if (c.offset > p.buffers[c.object].bytes) {
    throw ProgramError(c.line, "a range beyond the end of buffer " + p.buffers[c.object].name);
  }
}

}  // namespace

std::span<const CallType> Threads::vmm_calls() {
  using K = Argument::Kind;
  static const Argument bytes = {"bytes", K::kNumber, &Call::bytes};
  static const Argument physical = {"", K::kPhysical, &Call::object};
  static const auto cost = [](const Threads& t, uint32_t, const Call& c) { return t.space_.cost(c); };
  static const std::vector<CallType> all = {
      {.op = Op::kMemGranularity,
       .name = "cuMemGetAllocationGranularity",
       .field = "mem_get_allocation_granularity",
       .arguments = {{"", K::kNumber, &Call::object}},
       .cost = cost,
       .effect =
           [](Threads& t, uint32_t thread, const Call&) {
             t.answer(thread, std::to_string(t.core_.params.memory.granularity));
             return true;
           }},
      {.op = Op::kMemCreate,
       .name = "cuMemCreate",
       .field = "mem_create",
       .arguments = {physical},
       .cost = cost,
       .effect = does<&Threads::create_physical>},
      {.op = Op::kMemRelease,
       .name = "cuMemRelease",
       .field = "mem_release",
       .arguments = {physical},
       .cost = cost,
       .effect =
           [](Threads& t, uint32_t thread, const Call& c) {
             t.done(thread, t.space_.release(c.object));
             return true;
           }},
      {.op = Op::kMulticastCreate,
       .name = "cuMulticastCreate",
       .field = "multicast_create",
       .arguments = {{"devices", K::kNumber, &Call::count}, bytes},
       .cost = cost,
       .effect =
           [](Threads& t, uint32_t thread, const Call&) {  // VM07
             t.fail(thread, "CUDA_ERROR_NOT_SUPPORTED", "no multicast on this machine (VM07)");
             return true;
           }},
  };
  return all;
}

std::span<const CallType> Threads::mapping_calls() {
  using K = Argument::Kind;
  static const Argument range = {"buffer", K::kBuffer, &Call::object};
  static const Argument offset = {"offset", K::kNumber, &Call::offset};
  static const Argument bytes = {"bytes", K::kNumber, &Call::bytes};
  static const auto cost = [](const Threads& t, uint32_t, const Call& c) { return t.space_.cost(c); };
  static const std::vector<CallType> all = {
      {.op = Op::kMemAddressReserve,
       .name = "cuMemAddressReserve",
       .field = "mem_address_reserve",
       .arguments = {range},
       .check = check_range,
       .cost = cost,
       .effect = does<&Threads::reserve_addresses>},
      {.op = Op::kMemAddressFree,
       .name = "cuMemAddressFree",
       .field = "mem_address_free",
       .arguments = {range, bytes},
       .check = check_range,
       .cost = cost,
       .effect = maps<&AddressSpace::free>},
      {.op = Op::kMemMap,
       .name = "cuMemMap",
       .field = "mem_map",
       .arguments = {range,
                     {"physical", K::kPhysical, &Call::source},
                     offset,
                     bytes,
                     {"physical_offset", K::kNumber, &Call::source_offset}},
       .check = check_map,
       .cost = cost,
       .effect = maps<&AddressSpace::map>},
      {.op = Op::kMemUnmap,
       .name = "cuMemUnmap",
       .field = "mem_unmap",
       .arguments = {range, offset, bytes},
       .check = check_range,
       .cost = cost,
       .effect = does<&Threads::unmap>},
      {.op = Op::kMemSetAccess,
       .name = "cuMemSetAccess",
       .field = "mem_set_access",
       .arguments = {range,
                     {"device", K::kDevice, &Call::source},
                     offset,
                     bytes,
                     {"protection", K::kChoice, &Call::protection}},
       .check = check_range,
       .cost = cost,
       .effect = maps<&AddressSpace::set_access>},
  };
  return all;
}

bool Threads::create_physical(uint32_t thread, const Call& c) {
  if (done(thread, space_.create(c.object)) && checker_.on()) {
    checker_.created(c.object);
  }
  return true;
}

bool Threads::reserve_addresses(uint32_t thread, const Call& c) {
  if (done(thread, space_.reserve(c.object)) && checker_.on()) {
    checker_.allocated(c.object, clocks_.host_access(thread), site(thread));
  }
  return true;
}

bool Threads::unmap(uint32_t thread, const Call& c) {
  if (checker_.on()) {
    checker_.unmapped(c.object, c.offset, c.bytes, clocks_.of_thread(thread), site(thread));
  }
  done(thread, space_.unmap(c));
  return true;
}

}  // namespace heddle::host
