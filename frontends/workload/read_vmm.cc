#include "frontends/workload/read_vmm.h"

namespace heddle::workload {

bool read_vmm_call(Thread& t, const proto::Call& c, const VmmNames& names) {
  using What = proto::Call::WhatCase;
  switch (c.what_case()) {
    case What::kMemGetAllocationGranularity:
      t.memGetAllocationGranularity(c.mem_get_allocation_granularity());
      return true;
    case What::kMemCreate:
      t.memCreate(names.physical(c.mem_create()));
      return true;
    case What::kMemRelease:
      t.memRelease(names.physical(c.mem_release()));
      return true;
    case What::kMemAddressReserve:
      t.memAddressReserve(names.range(c.mem_address_reserve()));
      return true;
    case What::kMemAddressFree:
      t.memAddressFree(names.range(c.mem_address_free().buffer()), c.mem_address_free().bytes());
      return true;
    case What::kMemMap: {
      const proto::VirtualRange& m = c.mem_map();
      t.memMap(names.range(m.buffer()), names.physical(m.physical()), m.offset(), m.bytes(),
               m.physical_offset());
      return true;
    }
    case What::kMemUnmap:
      t.memUnmap(names.range(c.mem_unmap().buffer()), c.mem_unmap().offset(), c.mem_unmap().bytes());
      return true;
    case What::kMemSetAccess: {
      const proto::VirtualRange& a = c.mem_set_access();
      t.memSetAccess(names.range(a.buffer()), a.device(), a.offset(), a.bytes(),
                     static_cast<host::Protection>(a.protection()));
      return true;
    }
    case What::kMulticastCreate:
      t.multicastCreate(c.multicast_create().devices(), c.multicast_create().bytes());
      return true;
    default:
      return false;
  }
}

}  // namespace heddle::workload
