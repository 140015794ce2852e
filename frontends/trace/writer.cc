#include "frontends/trace/writer.h"

#include "frontends/output/output_file.h"
#include "frontends/trace/chunk_encoder.h"
#include "frontends/trace/section.h"
#include "frontends/trace/trace.pb.h"
#include "sim/base/error.h"

namespace heddle::trace {

namespace fs = std::filesystem;

namespace {

output::FileKind native_trace() { return output::text_that_begins("a .heddle trace", std::string(kMagic)); }

}  // namespace

class Writer::Impl {
 public:
  Impl(const fs::path& file, const isa::KernelImage& image, const accelsim::Listing& code,
       const Origin& origin, const WriterOptions& options)
      : file_(file),
        options_(options),
        out_(file, native_trace(), options.replace),
        image_(image),
        encoder_(image),
        lines_in_code_(!image.source || code.side_text.empty() || image.source->files.size() > 1) {
    write(make_preamble());
    write(SectionKind::kHeader, make_header(image, code, origin));
  }

  void add(const isa::BlockTrace& block) {
    encoder_.add(block);
    ++totals_.blocks;
    totals_.warps += block.warps.size();
    for (const isa::WarpTrace& w : block.warps) {
      totals_.warp_instructions += w.instructions;
      totals_.memory_references += w.refs.size();
    }
    if (encoder_.bytes() >= options_.chunk_bytes) {
      end_chunk();
    }
  }

  WriterTotals finish() {
    if (totals_.blocks != image_.shape.grid.count()) {
      throw Error(file_.string() + ": " + std::to_string(totals_.blocks) + " blocks written of a grid of " +
                  std::to_string(image_.shape.grid.count()));
    }
    end_chunk();
    index_.set_paths_offset(offset_);
    write(SectionKind::kPaths, paths());
    index_.set_blocks(totals_.blocks);
    index_.set_warps(totals_.warps);
    index_.set_warp_instructions(totals_.warp_instructions);
    index_.set_memory_references(totals_.memory_references);
    for (size_t i = 0; i < image_.code.size() && !lines_in_code_; ++i) {
      if (image_.source->lines[i].line != 0) {
        index_.add_source_pc(image_.code[i].pc);
        index_.add_source_line(image_.source->lines[i].line);
      }
    }
    const uint64_t index_offset = offset_;
    write(SectionKind::kIndex, index_);
    write(make_trailer(index_offset, offset_ + kTrailerBytes));
    out_.commit();
    totals_.bytes = offset_;
    return totals_;
  }

 private:
  pb::Paths paths() const {
    pb::Paths p;
    RunCoder coder(image_.code.size());
    for (const Path& path : encoder_.shared_paths().paths()) {
      coder.put(path, *p.mutable_runs(), *p.mutable_masks());
    }
    p.set_count(static_cast<uint32_t>(encoder_.shared_paths().paths().size()));
    return p;
  }

  void end_chunk() {
    if (encoder_.blocks() == 0) {
      return;
    }
    const pb::Chunk c = encoder_.take();
    pb::Index::Entry& e = *index_.add_chunks();
    e.set_offset(offset_);
    e.set_first_block(c.first_block());
    ++totals_.chunks;
    write(SectionKind::kChunk, c);
  }

  void write(SectionKind kind, const google::protobuf::Message& message) {
    check_section_bytes(kind, message.ByteSizeLong(), file_.string());  // so that it can be read again
    write(make_section(kind, message.SerializeAsString(), options_.level));
  }

  void write(const std::string& bytes) {
    out_.stream() << bytes;
    out_.check();
    offset_ += bytes.size();
  }

  const fs::path file_;
  const WriterOptions options_;
  output::OutputFile out_;
  const isa::KernelImage& image_;
  ChunkEncoder encoder_;
  const bool lines_in_code_;  // the header tells the source lines, or there are none
  uint64_t offset_ = 0;
  pb::Index index_;
  WriterTotals totals_;
};

Writer::Writer(const fs::path& file, const isa::KernelImage& image, const accelsim::Listing& code,
               const Origin& origin, const WriterOptions& options)
    : impl_(std::make_unique<Impl>(file, image, code, origin, options)) {}
Writer::~Writer() = default;
void Writer::add(const isa::BlockTrace& block) { impl_->add(block); }
WriterTotals Writer::finish() { return impl_->finish(); }

}  // namespace heddle::trace
