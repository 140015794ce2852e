#include "frontends/cuda/address_space.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "frontends/cuda/status.h"
#include "sim/base/align.h"
#include "sim/base/error.h"

namespace heddle::cuda {
namespace {

constexpr uint64_t kBase = AddressSpace::kFirst, kReserved = AddressSpace::kAddresses;
constexpr uint64_t kPage = 4096;
constexpr const char* kExported = "heddle-ipc";
constexpr uint64_t kPagedUnit = 2 << 20;          // whole blocks of unified memory
constexpr uint64_t kDeviceUnit = 512;             // of cudaMalloc's addresses
constexpr uint64_t kHostEnd = uint64_t{1} << 47;  // of all addresses that a process may have

// Whether a program may have memory of its own there: the system gives nobody the first page.
bool is_hosts(uint64_t address, uint64_t bytes) {
  return address >= kPage && address < kHostEnd && bytes <= kHostEnd - address &&
         (address >= kBase + kReserved || (address < kBase && bytes <= kBase - address));
}

}  // namespace

AddressSpace::AddressSpace(uint64_t device_bytes)
    : device_bytes_(device_bytes), top_(kBase), memory_(std::make_unique<exec::Memory>(kBase)) {
  memory_->back_with(this);
}

void AddressSpace::clear() {
  for (const auto& [address, a] : allocations_) {
    if (a.file >= 0) {
      close(a.file);
    }
  }
  allocations_.clear();
  device_used_ = 0;
  memory_ = nullptr;  // gives back all of it
  memory_ = std::make_unique<exec::Memory>(top_);
  memory_->back_with(this);
  ++host_version_;
}

uint64_t AddressSpace::unit() const {
  return sight_ == Sight::kDevice ? kDeviceUnit : sight_ == Sight::kPaged ? kPagedUnit : kPage;
}

AddressSpace::Reservation::Reservation() {
  void* at = mmap(pointer(kBase), kReserved, PROT_NONE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (at != pointer(kBase)) {
    throw Error(fmt::format("{} bytes of addresses at 0x{:x} are not to be had: {} (ulimit -v?)", kReserved,
                            kBase, std::strerror(errno)));
  }
}

AddressSpace::Reservation::~Reservation() { munmap(pointer(kBase), kReserved); }

uint8_t* AddressSpace::map(uint64_t address, uint64_t bytes) {
  const uint64_t size = round_up(std::max(bytes, kPage), kPage);
  // The host gives pages when they are touched: a program may allocate more than there is.
  void* at = MAP_FAILED;
  if (sight_ == Sight::kPaged) {
    const int file = memfd_create("heddle", MFD_CLOEXEC);
    if (file >= 0 && ftruncate(file, static_cast<off_t>(size)) == 0 &&
        mmap(pointer(address), size, PROT_NONE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED, file, 0) !=
            MAP_FAILED) {
      at = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
    }
    const int error = errno;
    if (file >= 0) {
      close(file);
    }
    errno = error;
  } else {
    const bool both = sight_ == Sight::kBoth;
    const int kind = import_ < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
    at = mmap(both ? pointer(address) : nullptr, size, PROT_READ | PROT_WRITE,
              kind | MAP_NORESERVE | (both ? MAP_FIXED : 0), import_, 0);
  }
  if (at == MAP_FAILED) {
    throw Error(fmt::format("no memory for {} bytes: {}", bytes, std::strerror(errno)));
  }
  if (sight_ != Sight::kBoth) {
    elsewhere_[address] = {at, sight_ == Sight::kPaged};
  }
  top_ = std::max(top_, round_up(address + bytes + 1, kPage));
  return static_cast<uint8_t*>(at);
}

void AddressSpace::unmap(uint64_t address, uint64_t bytes) {
  const uint64_t size = round_up(std::max(bytes, kPage), kPage);
  bool at_address = true;
  if (const auto it = elsewhere_.find(address); it != elsewhere_.end()) {
    at_address = it->second.paged;
    munmap(it->second.bytes, size);
    elsewhere_.erase(it);
  }
  if (at_address) {
    // Where this fails the pages stay what they are: nothing is put at these addresses again.
    static_cast<void>(mmap(pointer(address), size, PROT_NONE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0));
  }
}

bool AddressSpace::show(uint64_t address, uint64_t bytes, bool loads, bool stores) {
  return mprotect(pointer(address), round_up(bytes, kPage),
                  (loads ? PROT_READ : PROT_NONE) | (stores ? PROT_WRITE : 0)) == 0;
}

Allocation& AddressSpace::allocate(uint64_t bytes, host::Memory kind, bool paged) {
  const bool device = kind == host::Memory::kDevice;
  const uint64_t taken = device ? bytes : 0;
  require(bytes <= kReserved / 2 && taken <= device_bytes_ - device_used_, Status::kMemoryAllocation,
          "more than the device has");
  sight_ = device ? Sight::kDevice : paged ? Sight::kPaged : Sight::kBoth;
  uint64_t at = 0;
  try {
    at = memory_->allocate(bytes);
  } catch (const Error& e) {
    visible_to_host(false);
    throw CallFailed(Status::kMemoryAllocation, e.what());
  }
  visible_to_host(false);
  host_version_ += device ? 0 : 1;
  device_used_ += taken;
  Allocation& a = allocations_[at];
  a.address = at;
  a.bytes = bytes;
  a.kind = kind;
  return a;
}

int AddressSpace::export_file(Allocation& a) {
  if (a.file >= 0) {
    return a.file;
  }
  const auto fails = [] { throw CallFailed(Status::kMemoryAllocation, std::strerror(errno)); };
  auto* const bytes = static_cast<uint8_t*>(elsewhere_.at(a.address).bytes);
  const uint64_t size = round_up(std::max(a.bytes, kPage), kPage);
  const int file = memfd_create(kExported, MFD_CLOEXEC);
  if (file < 0 || ftruncate(file, static_cast<off_t>(size)) != 0) {
    fails();
  }
  // What was never touched is zero there, too.
  std::vector<unsigned char> there(size / kPage);
  if (mincore(bytes, size, there.data()) != 0) {
    fails();
  }
  for (uint64_t page = 0; page < there.size(); ++page) {
    if ((there[page] & 1) != 0 && pwrite(file, bytes + page * kPage, kPage,
                                         static_cast<off_t>(page * kPage)) != static_cast<ssize_t>(kPage)) {
      fails();
    }
  }
  if (mmap(bytes, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED, file, 0) ==
      MAP_FAILED) {
    fails();
  }
  a.file = file;
  return file;
}

Allocation& AddressSpace::import(int file, uint64_t bytes) {
  import_ = file;
  uint64_t at = 0;
  try {
    at = memory_->allocate(bytes);
  } catch (const Error& e) {
    import_ = -1;
    throw CallFailed(Status::kMemoryAllocation, e.what());
  }
  import_ = -1;
  Allocation& a = allocations_[at];
  a.address = at;
  a.bytes = bytes;
  a.imported = true;
  return a;
}

Allocation& AddressSpace::adopt(uint64_t address, uint64_t bytes) {
  require(is_hosts(address, bytes), Status::kInvalidValue, "no memory of the host's");
  try {
    memory_->adopt(address, {static_cast<uint8_t*>(pointer(address)), bytes});
  } catch (const Error& e) {
    throw CallFailed(Status::kHostMemoryAlreadyRegistered, e.what());
  }
  ++host_version_;
  Allocation& a = allocations_[address];
  a.address = address;
  a.bytes = bytes;
  a.kind = host::Memory::kPinned;
  a.registered = true;
  return a;
}

void AddressSpace::release(uint64_t address, bool registered) {
  const auto it = allocations_.find(address);
  require(it != allocations_.end() && it->second.registered == registered,
          registered ? Status::kHostMemoryNotRegistered : Status::kInvalidValue, "no such allocation");
  device_used_ -= it->second.kind == host::Memory::kDevice && !it->second.imported ? it->second.bytes : 0;
  if (it->second.file >= 0) {
    close(it->second.file);
  }
  host_version_ += it->second.kind == host::Memory::kDevice ? 0 : 1;
  memory_->release(address);
  allocations_.erase(it);
}

Allocation* AddressSpace::at(uint64_t address) {
  const auto it = allocations_.find(address);
  return it == allocations_.end() || it->second.idle ? nullptr : &it->second;
}

Allocation* AddressSpace::find(uint64_t address) {
  auto it = allocations_.upper_bound(address);
  if (it == allocations_.begin()) {
    return nullptr;
  }
  --it;
  return !it->second.idle && address - it->first < it->second.bytes ? &it->second : nullptr;
}

uint8_t* AddressSpace::bytes(uint64_t address, uint64_t size) {
  if (const exec::Memory::Range* r = memory_->range(address)) {
    uint8_t* at = r->at(address, size);
    require(at != nullptr, Status::kInvalidValue, "beyond the allocation's end");
    return at;
  }
  require(is_hosts(address, size), Status::kInvalidValue, "no memory is allocated there");
  return static_cast<uint8_t*>(pointer(address));
}

uint64_t AddressSpace::behind(uint64_t address, uint64_t bytes) const {
  const exec::Memory::Range* r = memory_->range(address);
  require(r != nullptr ? bytes < r->bytes - (address - r->base) : is_hosts(address, bytes),
          Status::kInvalidValue, "beyond the allocation's end");
  return address + bytes;
}

}  // namespace heddle::cuda
