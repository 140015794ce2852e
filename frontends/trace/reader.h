// Reads a .heddle file: all blocks in order, or any block.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "frontends/trace/header.h"
#include "frontends/trace/packed.h"
#include "sim/isa/recording.h"

namespace heddle::trace {

// Memory: one chunk, its largest block, the table of shared paths, and 16 bytes per chunk of the file.
class Reader : public isa::BlockSource {
 public:
  virtual const Origin& origin() const = 0;
  virtual uint64_t blocks() const = 0;
  virtual uint64_t warp_instructions() const = 0;
  virtual uint64_t chunks() const = 0;
  // next(), with references left as they are stored, for those who need not all addresses: several times as
  // fast. What `out` points to holds until the next call of anything here.
  virtual bool next_packed(PackedBlock& out) = 0;
  // next() gives this block, and then those behind it. `block` counts in launch order; blocks() is the end.
  virtual void seek(uint64_t block) = 0;
  // Cluster size, instead of the file's. Throws heddle::Error when the grid is no multiple of it.
  virtual void set_cluster(const isa::Dim3& cluster) = 0;
  // From here on next() throws heddle::Error "FILE: block 3, instruction 7 of warp 0: what" for lanes,
  // addresses and operands that no GPU would have executed, which the format can hold.
  virtual void check_operands() = 0;
};

// Reads header, index and shared paths. This, next() and seek() throw heddle::Error, "FILE: byte OFFSET:
// what", when the file is truncated, damaged, of another version or no .heddle.
std::unique_ptr<Reader> open(const std::filesystem::path& file);
// Over memory, which must outlive the reader. `name` stands for the file in messages.
std::unique_ptr<Reader> open(std::string name, std::string_view data);

// Only what the static code was decoded from, for those who write the trace again.
accelsim::Listing read_listing(const std::filesystem::path& file);
// Only the origin, for those who look for traces.
Origin read_origin(const std::filesystem::path& file);
// Only the total, for those who plan the work.
uint64_t read_warp_instructions(const std::filesystem::path& file);

}  // namespace heddle::trace
