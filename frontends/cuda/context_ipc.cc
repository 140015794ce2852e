// Memory and events of several processes (MU07).
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <iterator>

#include "frontends/cuda/context.h"

namespace heddle::cuda {
namespace {

constexpr char kMemory[] = "HdlIpcM", kEvent[] = "HdlIpcE";

template <class H>
bool is(const H& h, const char* kind) {
  return std::memcmp(h.kind, kind, sizeof h.kind) == 0;
}

// The exporter's memory, by its descriptor there.
struct File {
  explicit File(const Context::MemoryHandle& h) {
    const std::string path = fmt::format("/proc/{}/fd/{}", h.process, h.file);
    char name[64] = {};
    // Only what AddressSpace has made: a handle is bytes from anywhere.
    if (readlink(path.c_str(), name, sizeof name - 1) > 0 &&
        std::strstr(name, "memfd:heddle-ipc") != nullptr) {
      fd = open(path.c_str(), O_RDWR | O_CLOEXEC);
    }
    struct stat s {};
    require(fd >= 0 && fstat(fd, &s) == 0 && static_cast<uint64_t>(s.st_size) >= h.bytes && h.bytes != 0,
            Status::kInvalidResourceHandle, "what the handle stands for is not there any more");
  }
  ~File() {
    if (fd >= 0) {
      close(fd);
    }
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int fd = -1;
};

}  // namespace

Context::MemoryHandle Context::export_memory(uint64_t address) {
  Allocation* const a = space_.find(address);
  require(a != nullptr && a->kind == host::Memory::kDevice && !a->imported && !a->graph &&
              !pools_.owns(a->address),
          Status::kInvalidValue, "no memory of cudaMalloc is there");
  MemoryHandle h;
  std::copy_n(kMemory, sizeof h.kind, h.kind);
  h.process = getpid();
  h.file = space_.export_file(*a);
  h.bytes = a->bytes;
  h.allocation = a->address;
  return h;
}

uint64_t Context::import_memory(const MemoryHandle& h) {
  require(is(h, kMemory), Status::kInvalidResourceHandle, "no handle of memory");
  require(h.process != getpid(), Status::kInvalidContext, "the handle is of the process itself");
  const auto known = std::find_if(imported_.begin(), imported_.end(), [&](const auto& i) {
    return std::memcmp(&i.second.handle, &h, sizeof h) == 0;
  });
  if (known != imported_.end()) {
    ++known->second.users;
    return known->first;
  }
  const File file(h);
  Allocation& a = space_.import(file.fd, h.bytes);
  a.buffer = timeline_.builder().device(
      fmt::format("memory of process {} {}", h.process, timeline_.builder().program().buffers.size()),
      a.bytes);
  imported_[a.address] = {h, 1};
  assumptions_.ipc();
  return a.address;
}

void Context::close_memory(uint64_t address) {
  const auto it = imported_.find(address);
  require(it != imported_.end(), Status::kInvalidValue, "no memory of another process begins there");
  if (--it->second.users == 0) {
    imported_.erase(it);
    when_idle([this, address] { space_.release(address, false); });
  }
}

Context::EventHandle Context::export_event(Event& e) {
  require((e.flags & kInterprocess) != 0, Status::kInvalidResourceHandle,
          "the event was not made with cudaEventInterprocess");
  require(e.is_shared(), Status::kNotSupported,
          "events of several processes need the simulated clock (legal: heddle exec without --clock host)");
  EventHandle h;
  std::copy_n(kEvent, sizeof h.kind, h.kind);
  h.number = e.shared;
  return h;
}

Event& Context::import_event(const EventHandle& h) {
  require(is(h, kEvent) && shared() != nullptr && shared()->open_event(h.number),
          Status::kInvalidResourceHandle, "no handle of an event");
  Event& e = create_event(kDisableTiming);
  e.flags |= kInterprocess;
  e.shared = h.number;
  e.recorded = true;
  assumptions_.ipc();
  return e;
}

void Context::tell_use() {
  if (shared() != nullptr) {
    shared()->uses(space_.device_used() + params_.memory.context);
  }
}

uint64_t Context::device_free() {
  const uint64_t own = space_.device_bytes() - space_.device_used();
  return shared() == nullptr ? own : own - std::min(own, shared()->others_use());
}

void Context::record_shared(Event& e, Stream& s) {
  RecordWork work{e.shared_from_this(), shared()->record(e.shared)};
  const uint64_t values = keep(std::move(work), false);
  submitted(values, timeline_.call([&](auto& t) {
    t.eventRecord(e.model, s.model);
    t.values(values);
  }));
}

bool Context::is_others(const Event& e) {
  return e.is_shared() && shared()->last_record(e.shared).number != 0 && !shared()->last_record(e.shared).own;
}

void Context::wait_others(Stream& s, Event& e) {
  const Share::Record r = shared()->last_record(e.shared);
  const uint64_t values = ++value_ids_;
  timeline_.threads().await(values, e.shared, r.number);
  timeline_.call([&](auto& t) {
    t.streamWaitEvent(s.model, e.model);
    t.values(values);
  });
}

void Context::synchronize_others(Event& e) {
  const Share::Record r = shared()->last_record(e.shared);
  if (!timeline_.threads().wait_outside([&] { return shared()->done(e.shared, r.number).has_value(); })) {
    throw CallFailed(Status::kUnknown, "nobody records the event any more");
  }
  timeline_.call([&](auto& t) { t.eventQuery(e.model); });
  settle_values();
  flush();
}

bool Context::others_done(Event& e) {
  timeline_.done(e);
  return shared()->last_record(e.shared).done;
}

}  // namespace heddle::cuda
