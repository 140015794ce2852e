// Memory synchronisation domains (A10): kernels tag their writes and fences with one, and a fence, or a
// kernel's end, waits for what its own domain has under way only.
#pragma once

#include <cstdint>
#include <optional>

namespace heddle::host {

// cudaLaunchAttributeMemSyncDomain and ...MemSyncDomainMap, of a stream, a launch or a node (MD05). -1: not
// set.
struct SyncDomain {
  int8_t remote = -1;                      // 0: cudaLaunchMemSyncDomainDefault, 1: ...Remote
  int8_t of_default = -1, of_remote = -1;  // the map

  // What is not set here is as `under` has it: of a launch, its stream.
  SyncDomain over(const SyncDomain& under) const {
    return {remote >= 0 ? remote : under.remote, of_default >= 0 ? of_default : under.of_default,
            of_remote >= 0 ? of_remote : under.of_remote};
  }
  // cudaDevAttrMemSyncDomainCount (MD03).
  static int count(uint32_t compute_capability) { return compute_capability >= 90 ? 4 : 1; }
  // The device's; where there is one only, all are that.
  uint8_t of_device(uint32_t compute_capability) const {
    const int number = remote == 1 ? (of_remote >= 0 ? of_remote : 1) : (of_default >= 0 ? of_default : 0);
    return static_cast<uint8_t>(count(compute_capability) == 1 ? 0 : number);
  }
  bool legal(uint32_t compute_capability) const {
    const int most = count(compute_capability) - 1;
    return of_default <= most && of_remote <= most;
  }
};

}  // namespace heddle::host
