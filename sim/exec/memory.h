// Global memory of a program that is executed: ranges with bounds. Loads and stores go through the pointers
// that it gives; aligned ones of up to 8 bytes are atomic (memory_op.cc), so blocks may run on several
// threads.
#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "sim/engine/zeroed.h"
#include "sim/exec/layout.h"
#include "sim/isa/program.h"

namespace heddle {
class Archive;  // sim/engine/archive.h
}

namespace heddle::exec {

class Memory final : public isa::GlobalMemory {
 public:
  // Where the bytes of allocations are, if not in memory of this class's own.
  class Backing {
   public:
    virtual ~Backing() = default;
    // What the next allocation's address and size are to be multiples of.
    virtual uint64_t unit() const = 0;
    // So many bytes, all 0, for the allocation at this address. Throws Error when there is no room.
    virtual uint8_t* map(uint64_t address, uint64_t bytes) = 0;
    virtual void unmap(uint64_t address, uint64_t bytes) = 0;
  };

  Memory() = default;
  ~Memory() override;
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  // Whose first allocation lies at this address, a multiple of 512: that of a recording, to compare with it.
  explicit Memory(uint64_t first) : next_(first) {}

  // So many zero bytes, at a multiple of 512, with nothing just before and behind them; the host needs no
  // room for pages that are not written. Not while a kernel runs.
  uint64_t allocate(uint64_t bytes);
  // What was allocated or adopted at this address. False when nothing was.
  bool release(uint64_t address);
  // Of allocations from now on; it outlives them. Null: this class's own memory.
  void back_with(Backing* backing) { backing_ = backing; }
  // Bytes of the host's that programs find at this address, until they are released. Not while a kernel runs.
  // Throws Error when something else is there.
  void adopt(uint64_t address, std::span<uint8_t> bytes);

  // Where the descriptors of textures and surfaces are that programs know by numbers
  // (texture/descriptor.h); 0: nowhere.
  void objects_at(uint64_t address) { objects_at_ = address; }
  uint64_t objects() const { return objects_at_; }

  // Before anything is allocated: which bytes have been written is known from now on.
  void track_writes() { tracks_ = true; }
  // These bytes count as written; of memory that is zero at first.
  void mark_written(uint64_t address, uint64_t bytes);

  // For the host. Throw Error when not all of it is one allocation's.
  void write(uint64_t address, std::span<const uint8_t> bytes);
  void read(uint64_t address, std::span<uint8_t> bytes) const;

  struct Range {
    uint64_t base = 0, bytes = 0;
    uint8_t* data = nullptr;
    uint8_t* written = nullptr;  // a byte for each byte, not 0: it was; null when that is not tracked
    // Null unless all of the bytes are in it.
    uint8_t* at(uint64_t address, uint64_t size) const {
      const uint64_t offset = address - base;
      return offset < bytes && size <= bytes - offset ? data + offset : nullptr;
    }
  };
  // Null unless all of the bytes are one allocation's.
  uint8_t* find(uint64_t address, uint64_t bytes) override {
    const Range* r = nearest(address);
    return r != nullptr ? r->at(address, bytes) : nullptr;
  }
  // The range that the address is in; null when there is none. It stays until allocate or release is called.
  const Range* range(uint64_t address) const;
  // The nearest range, for messages; null when there are none.
  const Range* nearest(uint64_t address) const;

  // malloc and free of kernels: from a heap of this size, made by the first call of make_heap. Any thread.
  void make_heap(uint64_t bytes);
  uint64_t heap_allocate(uint64_t bytes);  // 0: no room
  void heap_release(uint64_t address);

  // What its bytes are and what of the heap is taken. Reading: of one with the same allocations
  // (serialize.cc).
  void serialize(Archive& ar);

 private:
  struct Piece {
    uint64_t base, bytes;
    bool used;

    template <class A>
    void serialize(A& ar) {
      ar(base, bytes, used);
    }
  };
  struct Owned {
    Zeroed<uint8_t> data, written;  // empty: somebody else's; not tracked
    Backing* backing = nullptr;
  };
  void insert(Range range, Owned owned);
  std::vector<Range> ranges_;  // by address
  std::vector<Owned> owned_;   // of the ranges
  Backing* backing_ = nullptr;
  bool tracks_ = false;
  uint64_t next_ = kGlobalBase;
  uint64_t objects_at_ = 0;
  std::mutex heap_mutex_;
  std::vector<Piece> heap_;  // by address, without gaps
};

}  // namespace heddle::exec
