#include "frontends/trace/reader.h"

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>
#include <vector>

#include "frontends/accelsim/trace_header.h"
#include "frontends/input/limits.h"
#include "frontends/input/out_of_memory.h"
#include "frontends/sass/operand_check.h"
#include "frontends/trace/chunk_decoder.h"
#include "frontends/trace/elements.h"
#include "frontends/trace/file_bytes.h"
#include "frontends/trace/section.h"
#include "frontends/trace/trace.pb.h"
#include "sim/base/error.h"

namespace heddle::trace {

namespace {

constexpr size_t kMostHeld = size_t{1} << 20;  // references of blocks that are written at a time

// Reads the section at `offset` as a message; returns the offset behind it.
template <typename Message>
uint64_t read_message(const FileBytes& file, uint64_t offset, SectionKind kind, Message& m) {
  std::string bytes;
  const uint64_t end = read_section(file, offset, kind, bytes);
  const input::Limit& most = input::limits().elements;
  if (!has_at_most(bytes, *Message::descriptor(), most.value)) {
    file.fail(offset, "the " + std::string(name(kind)) + " has more than " + std::to_string(most.value) +
                          " elements in its lists, or is not the protobuf message it should be (legal: " +
                          most.legal() + ")");
  }
  if (!m.ParseFromString(bytes)) {
    file.fail(offset,
              "damaged: the " + std::string(name(kind)) + " is not the protobuf message it should be");
  }
  return end;
}

pb::Header read_header(const FileBytes& file) {
  check_preamble(file);
  pb::Header h;
  read_message(file, kPreambleBytes, SectionKind::kHeader, h);
  return h;
}

class FileReader final : public Reader {
 public:
  explicit FileReader(std::unique_ptr<FileBytes> file)
      : file_(std::move(file)), header_(read_header(*file_)) {
    // Before anything is decoded: a truncated file is to be reported as that.
    const uint64_t index_offset = read_trailer(*file_);
    image_ = image_of(header_, file_->name());
    origin_ = origin_of(header_, file_->name());
    header_.Clear();
    read_message(*file_, index_offset, SectionKind::kIndex, index_);
    check_index(index_offset);
    read_source_lines(index_offset);
    read_paths();
    decoder_ =
        std::make_unique<ChunkDecoder>(image_, origin_.part ? origin_.part->grid : image_.shape.grid, paths_);
  }

  const isa::KernelImage& image() const override { return image_; }
  void set_cluster(const isa::Dim3& c) override {
    if (!accelsim::is_cluster_of(c, image_.shape.grid)) {
      throw Error(file_->name() + ": cluster (" + std::to_string(c.x) + "," + std::to_string(c.y) + "," +
                  std::to_string(c.z) + ") (legal: " + accelsim::kLegalCluster + ")");
    }
    image_.shape.cluster = c;
  }
  void check_operands() override { check_.emplace(image_); }
  const Origin& origin() const override { return origin_; }
  uint64_t blocks() const override { return index_.blocks(); }
  uint64_t warp_instructions() const override { return index_.warp_instructions(); }
  uint64_t chunks() const override { return static_cast<uint64_t>(index_.chunks_size()); }

  bool next(isa::BlockTrace& out) override {
    if (!decode([&] { decoder_->next(out); })) {
      return false;
    }
    check(out);
    return true;
  }
  // Decoding is one block after the other, within a chunk; what takes most of the time is not.
  size_t next_batch(std::span<isa::BlockTrace> out, const isa::ParallelFor& parallel) override {
    if (error_) {
      std::rethrow_exception(std::exchange(error_, nullptr));
    }
    held_.resize(std::max(held_.size(), out.size()));
    std::vector<std::exception_ptr> faults(out.size());
    size_t n = 0;
    for (size_t references = 0; n < out.size() && references < kMostHeld; ++n) {
      if (n > 0 && decoder_->left() == 0) {
        break;  // what is held is of this chunk
      }
      try {
        if (!decode([&] { decoder_->hold(held_[n]); })) {
          break;
        }
      } catch (...) {
        faults[n++] = std::current_exception();
        break;
      }
      references += held_[n].references.size();
    }
    parallel(static_cast<uint32_t>(n), [&](uint32_t i) {
      try {
        if (!faults[i]) {
          of_chunk([&] { decoder_->write(held_[i], out[i]); });
          check(out[i]);
        }
      } catch (...) {
        faults[i] = std::current_exception();
      }
    });
    const auto fault = std::find_if(faults.begin(), faults.end(), [](const auto& f) { return f != nullptr; });
    if (fault == faults.begin()) {
      std::rethrow_exception(*fault);
    }
    if (fault != faults.end()) {
      error_ = *fault;
    }
    return std::min(n, static_cast<size_t>(fault - faults.begin()));
  }
  bool next_packed(PackedBlock& out) override {
    return decode([&] { decoder_->next_packed(out); });
  }

  bool start_over() override {
    error_ = nullptr;
    seek(0);
    return true;
  }
  void seek(uint64_t block) override {
    if (block > blocks()) {
      throw Error(file_->name() + ": no block " + std::to_string(block) + " (legal: 0.." +
                  std::to_string(blocks()) + ")");
    }
    const auto& chunks = index_.chunks();
    const auto it =
        std::upper_bound(chunks.begin(), chunks.end(), block,
                         [](uint64_t b, const pb::Index::Entry& e) { return b < e.first_block(); });
    load(static_cast<int>(it - chunks.begin()) - 1);
    PackedBlock skipped;
    for (uint64_t b = chunks[chunk_].first_block(); b < block; ++b) {
      next_packed(skipped);
    }
  }

 private:
  // False when there is no block for it.
  template <typename Decode>
  bool decode(const Decode& next) {
    if (decoder_->left() == 0) {
      if (next_chunk_ == index_.chunks_size()) {
        return false;
      }
      load(next_chunk_);
    }
    of_chunk(next);
    return true;
  }
  // f(), whose errors are the chunk's.
  template <typename F>
  void of_chunk(const F& f) const {
    try {
      f();
    } catch (const ChunkError& e) {
      fail_chunk(e.what);
    } catch (const std::bad_alloc&) {
      throw input::OutOfMemory(file_->name() + ": byte " + std::to_string(index_.chunks(chunk_).offset()));
    }
  }
  void check(const isa::BlockTrace& block) const {
    for (size_t i = 0; check_ && i < block.warps.size(); ++i) {
      if (const std::string what = check_->fault_of(block.warps[i]); !what.empty()) {
        throw Error(file_->name() + ": block " + std::to_string(block.linear) + ", " + what);
      }
    }
  }

  uint64_t end_of(int chunk) const {
    return chunk + 1 < index_.chunks_size() ? index_.chunks(chunk + 1).first_block() : index_.blocks();
  }

  void check_index(uint64_t offset) const {
    const auto damaged = [&](const std::string& what) { file_->fail(offset, "damaged: the index: " + what); };
    if (index_.blocks() != image_.shape.grid.count()) {
      damaged(std::to_string(index_.blocks()) + " blocks for a grid of " +
              std::to_string(image_.shape.grid.count()));
    }
    if (index_.chunks_size() == 0 || index_.chunks(0).first_block() != 0) {
      damaged("no chunk with block 0");
    }
    for (int i = 0; i < index_.chunks_size(); ++i) {
      if (end_of(i) <= index_.chunks(i).first_block() ||
          end_of(i) - index_.chunks(i).first_block() > UINT32_MAX) {
        damaged("chunks out of order");
      }
    }
  }

  void read_source_lines(uint64_t offset) {
    if (index_.source_pc_size() == 0) {
      return;
    }
    auto source = std::make_shared<isa::SourceMap>();
    source->lines.resize(image_.code.size());
    for (int i = 0; i < index_.source_pc_size(); ++i) {
      const int64_t at = image_.index_of(index_.source_pc(i));
      if (at < 0 || i >= index_.source_line_size()) {
        file_->fail(offset, "damaged: the index: a source line of no instruction");
      }
      source->lines[static_cast<size_t>(at)].line = index_.source_line(i);
    }
    image_.source = std::move(source);
  }

  void read_paths() {
    pb::Paths p;
    const uint64_t offset = index_.paths_offset();
    read_message(*file_, offset, SectionKind::kPaths, p);
    RunCoder coder(image_.code.size());
    ColumnReader runs(p.runs()), masks(p.masks());
    // Each takes a byte or more of the column.
    if (p.count() > p.runs().size()) {
      file_->fail(offset, "damaged: " + std::to_string(p.count()) + " paths in " +
                              std::to_string(p.runs().size()) + " bytes");
    }
    if (const uint64_t bytes = p.count() * sizeof(Path) + p.runs().size() * sizeof(isa::Run);
        bytes > block_limit_.value) {
      file_->fail(offset, "the table of paths may need " + std::to_string(bytes) +
                              " bytes of memory (legal: " + block_limit_.legal() + ")");
    }
    paths_.reserve(p.count());
    for (uint32_t i = 0; i < p.count(); ++i) {
      paths_.emplace_back();
      if (!coder.get(runs, masks, paths_.back())) {
        file_->fail(offset, "damaged: path " + std::to_string(i) + " of " + std::to_string(p.count()) +
                                " ends early or leaves the code");
      }
      if (!within(paths_.back(), warp_limit_)) {
        file_->fail(offset, too_long(warp_limit_));
      }
    }
    if (!runs.at_end() || !masks.at_end()) {
      file_->fail(offset, "damaged: there are bytes behind the last path");
    }
  }

  void load(int chunk) {
    chunk_ = chunk;
    const pb::Index::Entry& e = index_.chunks(chunk);
    read_message(*file_, e.offset(), SectionKind::kChunk, data_);
    if (data_.first_block() != e.first_block() || data_.blocks() != end_of(chunk) - e.first_block()) {
      fail_chunk("it does not hold the blocks that the index says");
    }
    try {
      decoder_->begin(data_);
    } catch (const ChunkError& e) {
      fail_chunk(e.what);
    }
    next_chunk_ = chunk + 1;
  }

  [[noreturn]] void fail_chunk(const std::string& what) const {
    const pb::Index::Entry& e = index_.chunks(chunk_);
    file_->fail(e.offset(), "damaged: the chunk of blocks " + std::to_string(e.first_block()) + " to " +
                                std::to_string(end_of(chunk_) - 1) + ": " + what);
  }

  std::unique_ptr<FileBytes> file_;
  pb::Header header_;
  isa::KernelImage image_;
  Origin origin_;
  pb::Index index_;
  std::optional<sass::OperandCheck> check_;
  std::vector<Path> paths_;
  const input::Limit warp_limit_ = input::limits().warp_instructions;
  const input::Limit block_limit_ = input::limits().block_bytes;
  std::unique_ptr<ChunkDecoder> decoder_;
  pb::Chunk data_;
  std::vector<HeldBlock> held_;  // of next_batch()
  std::exception_ptr error_;     // of the block behind those that it gave last
  int chunk_ = 0;
  int next_chunk_ = 0;
};

}  // namespace

std::unique_ptr<Reader> open(const std::filesystem::path& file) {
  return input::naming(file.string(), [&] { return std::make_unique<FileReader>(open_file(file)); });
}

std::unique_ptr<Reader> open(std::string name, std::string_view data) {
  return std::make_unique<FileReader>(open_memory(std::move(name), data));
}

accelsim::Listing read_listing(const std::filesystem::path& file) {
  return listing_of(read_header(*open_file(file)), file.string());
}

Origin read_origin(const std::filesystem::path& file) {
  return origin_of(read_header(*open_file(file)), file.string());
}

uint64_t read_warp_instructions(const std::filesystem::path& file) {
  const std::unique_ptr<FileBytes> bytes = open_file(file);
  check_preamble(*bytes);
  pb::Index index;
  read_message(*bytes, read_trailer(*bytes), SectionKind::kIndex, index);
  return index.warp_instructions();
}

}  // namespace heddle::trace
