#include "sim/host/links/kernel_traffic.h"

#include <algorithm>

#include "sim/base/align.h"
#include "sim/host/kernels/resources.h"

namespace heddle::host {
namespace {

constexpr uint64_t kLine = 128, kSector = 32;

// What `sms` SMs have under way where each adds `each` as long as little is, and all can have `most`.
double saturating(uint64_t sms, double each, double most) {
  const double all = static_cast<double>(sms) * each;
  return all > 0 && most > 0 ? 1 / (1 / all + 1 / most) : 0;
}

bool of_host(Memory m) { return m == Memory::kMapped || m == Memory::kPinned || m == Memory::kWriteCombined; }

}  // namespace

KernelTraffic::KernelTraffic(const Core& core, const AddressSpace& space, Allocations& memory)
    : core_(core), space_(space), memory_(memory), devices_(core.program.devices) {
  const Program& p = core.program;
  const auto any = [&](const Access& a) {
    return of_host(p.buffers[a.buffer].memory) || p.buffers[a.buffer].reserved ||
           (p.devices > 1 && p.buffers[a.buffer].memory == Memory::kDevice);
  };
  used_ = std::any_of(p.accesses.begin(), p.accesses.end(), any);
  for (const KernelDesc& k : p.kernels) {
    used_ |= std::any_of(k.accesses.begin(), k.accesses.end(), any);
  }
}

bool KernelTraffic::remote(uint32_t device, const Access& a) const {
  const BufferDesc& b = core_.program.buffers[a.buffer];
  return of_host(b.memory) || (b.memory == Memory::kDevice && b.device != device);
}

// Memory of pools by the pool's access, whether peer access is enabled or not (SO12).
bool KernelTraffic::reaches(uint32_t device, uint32_t buffer) const {
  const uint32_t pool = memory_.buffer(buffer).pool;
  return pool == kNone ? core_.program.peer_access : memory_.pool(pool).access.contains(device);
}

LinkTraffic packets_of(const Access& a, uint64_t buffer_bytes, bool write, const Params& p) {
  const uint64_t length = a.bytes ? a.bytes : buffer_bytes - a.offset;
  const uint64_t stride = std::max<uint64_t>(a.stride, a.element);
  const uint64_t elements = divide_up(length, stride);
  LinkTraffic t{};
  if (!write) {
    const uint64_t piece = p.access.read_piece;
    // Elements close enough to touch every piece; or pieces of their own, two of which may share a line.
    t.bytes = stride <= piece ? length : elements * divide_up(a.element, piece) * piece;
    t.packets = stride <= kLine ? divide_up(length, kLine) : elements * divide_up(a.element, kLine);
  } else if (stride == a.element) {
    t.bytes = length;
    t.packets = divide_up(length, kLine);
  } else {
    t.packets = stride < kSector ? divide_up(length, kSector) : elements * divide_up(a.element, kSector);
    t.bytes = t.packets * kSector;
    t.partial = a.element % kSector == 0 ? 0 : t.packets;
  }
  return t;
}

std::vector<LinkTraffic> KernelTraffic::of(uint32_t kernel, uint32_t device,
                                           const std::vector<Access>& accesses, bool& legal) {
  const KernelDesc& k = core_.program.kernels[kernel];
  const Params& p = core_.params;
  // Each thread has one element under way (HM04: the link's latency is hidden by many threads only).
  uint64_t threads = 0;
  uint64_t all_threads = uint64_t{p.sms} * p.limits.max_warps_per_sm() * 32;
  uint64_t sms = p.sms;
  if (k.has_grid) {
    const uint64_t at_once = uint64_t{blocks_per_sm(k, p)} * p.sms;
    threads = all_threads = std::min(k.grid.count(), at_once) * k.block.count();
    sms = std::min<uint64_t>(k.grid.count(), p.sms);
  }
  std::vector<LinkTraffic> out;
  const auto add = [&](const Access& a, uint32_t peer, bool write) {
    const BufferDesc& b = core_.program.buffers[a.buffer];
    LinkTraffic t = packets_of(a, b.bytes, write, p);
    const bool host = of_host(b.memory);
    t.path = host ? (write ? Path::kMappedWrite : Path::kMappedRead)
                  : (write ? Path::kPeerWrite : Path::kPeerRead);
    t.peer = peer;
    if (!write && threads > 0 && p.access.latency > Ps()) {
      t.limit = static_cast<double>(threads * a.element) / in_ps(p.access.latency);
    }
    if (write && host) {
      t.limit = static_cast<double>(sms) * p.access.store_sm_rate;
    }
    // Stores need no answer: they fill what holds them on their way.
    t.under_way = write ? saturating(sms, p.access.posted_sm_bytes, p.access.posted_bytes)
                        : static_cast<double>(all_threads * a.element);
    t.queued = write ? saturating(sms, p.access.flush_sm_bytes, p.access.flush_bytes) : 0;
    Bytes& n = devices_[device];
    (host ? (write ? n.mapped_written : n.mapped_read) : (write ? n.peer_written : n.peer_read)) += t.bytes;
    out.push_back(t);
  };
  const auto add_all = [&](const Access& a, uint32_t peer) {
    if (a.reads) {
      add(a, peer, false);
    }
    if (a.writes) {
      add(a, peer, true);
    }
  };
  for (const Access& a : accesses) {
    const BufferDesc& b = core_.program.buffers[a.buffer];
    if (b.reserved) {  // VM01, VM02
      if (!space_.reaches(device, a.buffer, a.offset, a.bytes, a.writes)) {
        legal = false;
        continue;
      }
      const auto mapped = space_.pieces(a.buffer, device, a.offset, a.bytes);
      for (const AddressSpace::Piece& piece : *mapped) {
        if (piece.device != device) {
          Access part = a;
          part.bytes = piece.bytes;
          add_all(part, piece.device);
        }
      }
      continue;
    }
    if (!remote(device, a)) {
      continue;
    }
    if (!of_host(b.memory) && !reaches(device, a.buffer)) {
      legal = false;
      continue;
    }
    add_all(a, b.device);
  }
  // The threads of a kernel that does both store when they have loaded.
  const auto read =
      std::find_if(out.begin(), out.end(), [](const LinkTraffic& t) { return t.path == Path::kMappedRead; });
  for (LinkTraffic& t : out) {
    if (t.path == Path::kMappedWrite && read != out.end()) {
      t.under_way = read->under_way * static_cast<double>(t.bytes) / static_cast<double>(read->bytes);
    }
  }
  return out;
}

void KernelTraffic::count(Result& result) const {
  if (!used_) {
    return;
  }
  for (size_t i = 0; i < devices_.size(); ++i) {
    const std::string name = "device " + std::to_string(i) + " kernels' ";
    const Bytes& n = devices_[i];
    result.counters.push_back({name + "bytes from host memory", n.mapped_read});
    result.counters.push_back({name + "bytes to host memory", n.mapped_written});
    if (devices_.size() > 1) {
      result.counters.push_back({name + "bytes from other devices", n.peer_read});
      result.counters.push_back({name + "bytes to other devices", n.peer_written});
    }
  }
}

}  // namespace heddle::host
