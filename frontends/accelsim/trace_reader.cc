#include "frontends/accelsim/trace_reader.h"

#include <array>
#include <functional>
#include <utility>
#include <vector>

#include "frontends/accelsim/assumed_maps.h"
#include "frontends/accelsim/block_reader.h"
#include "frontends/accelsim/cluster_order.h"
#include "frontends/accelsim/extra_reader.h"
#include "frontends/accelsim/kernelslist.h"
#include "frontends/accelsim/line_reader.h"
#include "frontends/accelsim/parameters.h"
#include "frontends/accelsim/static_code.h"
#include "frontends/accelsim/trace_header.h"
#include "frontends/accelsim/warp_reader.h"
#include "frontends/input/limits.h"
#include "frontends/input/out_of_memory.h"
#include "frontends/sass/operand_check.h"
#include "frontends/sass/side_file.h"
#include "sim/base/error.h"

namespace heddle::accelsim {

namespace {

namespace fs = std::filesystem;

using Opener = std::function<std::unique_ptr<ByteStream>()>;

struct Inputs {
  Opener trace;
  Opener side;   // empty: no side file
  Opener extra;  // empty: no extra file
  Listing* listing = nullptr;
};

class TraceSource final : public isa::BlockSource {
 public:
  TraceSource(Inputs inputs, const std::optional<isa::Dim3>& cluster)
      : inputs_(std::move(inputs)),
        in_(std::make_unique<LineReader>(inputs_.trace())),
        header_(read_trace_header(*in_)) {
    image_.name = header_.kernel_name;
    image_.id = header_.kernel_id;
    image_.compute_capability = header_.binary_version;
    image_.shape = header_.shape;
    image_.parameters = header_.parameters;
    image_.parameter_base = parameter_base(header_.binary_version);
    if (cluster) {
      set_cluster(*cluster);
    }

    if (inputs_.side) {
      side_name_ = read_side_file(*inputs_.side(), inputs_.listing);
    } else {
      collect_code(inputs_.trace(), inputs_.listing);
    }
    if (const std::string what = sass::register_fault(image_); !what.empty()) {
      throw Error((side_name_.empty() ? in_->name() : side_name_) + ": " + what);
    }
    // A side file's lines have a file, the trace's have none.
    if (header_.lineinfo && !image_.source) {
      lines_ = std::make_shared<isa::SourceMap>();
      lines_->lines.resize(image_.code.size());
      image_.source = lines_;
    }
    if (inputs_.extra) {
      assume_maps(inputs_.extra(), image_);
    }
    begin();
  }

  const isa::KernelImage& image() const override { return image_; }
  bool next(isa::BlockTrace& out) override { return next(out, true); }
  bool next_runs(isa::BlockTrace& out) override { return next(out, false); }
  void want_refs_of(const std::vector<bool>& wanted) override { warps_->want_refs_of(wanted); }
  bool start_over() override {
    in_ = std::make_unique<LineReader>(inputs_.trace());
    read_trace_header(*in_);
    begin();
    return true;
  }

 private:
  // Before the first block.
  void begin() {
    warps_ = std::make_unique<WarpReader>(*in_, header_.lineinfo, image_, side_name_, lines_);
    extra_ = inputs_.extra ? std::make_unique<ExtraReader>(inputs_.extra()) : nullptr;
    blocks_ = std::make_unique<BlockReader>(*in_, header_.shape, *warps_, extra_.get());
    order_ = std::make_unique<ClusterOrder>(image_.shape);
  }

  bool next(isa::BlockTrace& out, bool refs) {
    warps_->want_refs(refs);
    const auto read = [this](isa::BlockTrace& block) { return blocks_->next(block); };
    try {
      return order_->needed() ? order_->next(out, read) : read(out);
    } catch (const std::bad_alloc&) {
      throw input::OutOfMemory(in_->name() + ":" + std::to_string(in_->line()));
    }
  }

  void set_cluster(const isa::Dim3& c) {
    if (!is_cluster_of(c, image_.shape.grid)) {
      throw Error(in_->name() + ": cluster (" + std::to_string(c.x) + "," + std::to_string(c.y) + "," +
                  std::to_string(c.z) + ") asked for (legal: " + kLegalCluster + ")");
    }
    image_.shape.cluster = c;
  }

  std::string read_side_file(ByteStream& in, Listing* listing) {
    std::string text;
    constexpr size_t kChunk = size_t{1} << 16;
    for (size_t n = 1; n > 0;) {
      const size_t have = text.size();
      text.resize(have + kChunk);
      n = in.read(text.data() + have, kChunk);
      text.resize(have + n);
      if (const input::Limit& most = input::limits().code_bytes; text.size() > most.value) {
        throw Error(in.name() + ": more than " + std::to_string(most.value) +
                    " bytes of code (legal: " + most.legal() + ")");
      }
    }
    add_functions(sass::read_side_text(text, in.name()), in.name(), image_);
    if (listing) {
      *listing = {in.name(), std::move(text), {}};
    }
    return in.name();
  }

  void collect_code(std::unique_ptr<ByteStream> trace, Listing* listing) {
    LineReader in(std::move(trace));
    const TraceHeader header = read_trace_header(in);
    CodeCollector collector;
    WarpReader warps(in, header.lineinfo, collector);
    BlockReader blocks(in, header.shape, warps, nullptr);
    isa::BlockTrace scratch;
    while (blocks.next(scratch)) {
    }
    collector.finish(image_);
    if (listing) {
      *listing = {"", "", collector.columns()};
    }
  }

  const Inputs inputs_;
  std::unique_ptr<LineReader> in_;
  const TraceHeader header_;
  std::string side_name_;
  std::shared_ptr<isa::SourceMap> lines_;
  isa::KernelImage image_;
  std::unique_ptr<WarpReader> warps_;
  std::unique_ptr<ExtraReader> extra_;
  std::unique_ptr<ClusterOrder> order_;
  std::unique_ptr<BlockReader> blocks_;
};

// "dir/kernel-1" for dir/kernel-1.traceg.zst.
fs::path stem_of(const fs::path& trace) {
  std::string name = trace.filename().string();
  for (const std::string_view suffix : {".zst", ".xz", ".gz", ".traceg", ".trace"}) {
    if (name.ends_with(suffix)) {
      name.resize(name.size() - suffix.size());
    }
  }
  return trace.parent_path() / name;
}

Opener companion(Companion use, const fs::path& given, const fs::path& usual, const char* what,
                 const StreamOptions& options) {
  if (use == Companion::kIgnored) {
    return {};
  }
  const fs::path file = given.empty() ? find_compressed_variant(usual) : given;
  if (!file.empty()) {
    return [file, options] { return open_bytes(file, options); };
  }
  if (use == Companion::kRequired) {
    throw Error(usual.string() + ": no such " + what + " (legal: that name, or with .zst, .xz or .gz)");
  }
  return {};
}

}  // namespace

std::unique_ptr<isa::BlockSource> open_trace(const fs::path& trace, const OpenOptions& o) {
  const std::string stem = stem_of(trace).string();
  Inputs in;
  in.trace = [trace, options = o.stream] { return open_bytes(trace, options); };
  in.side = companion(o.side, o.side_file, stem + ".sass", "side file", o.stream);
  in.extra = companion(o.extra, o.extra_file, stem + ".extra", "operand file", o.stream);
  in.listing = o.listing;
  return input::naming(trace.string(), [&] { return std::make_unique<TraceSource>(in, o.cluster); });
}

std::unique_ptr<isa::BlockSource> open_trace(const TraceInMemory& t, const StreamOptions& options,
                                             Listing* listing) {
  const auto opener = [&](const std::string& suffix, std::string_view data) -> Opener {
    return [name = t.name + suffix, data, options] { return open_memory_bytes(name, data, options); };
  };
  Inputs in;
  in.trace = opener("", t.trace);
  if (t.side) {
    in.side = opener(".sass", *t.side);
  }
  if (t.extra) {
    in.extra = opener(".extra", *t.extra);
  }
  in.listing = listing;
  return std::make_unique<TraceSource>(in, std::nullopt);
}

}  // namespace heddle::accelsim
