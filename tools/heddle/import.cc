#include "tools/heddle/import.h"

#include <fmt/format.h>

#include <chrono>
#include <map>
#include <memory>
#include <string>

#include "analysis/run/host.h"
#include "frontends/accelsim/trace_reader.h"
#include "frontends/output/output_file.h"
#include "frontends/trace/compare.h"
#include "frontends/trace/launches.h"
#include "frontends/trace/reader.h"
#include "sim/base/cancelled.h"
#include "sim/base/error.h"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

void check_cancel(const std::atomic<bool>& cancel) {
  if (cancel) {
    throw Cancelled("interrupted");
  }
}

void make_directory(const fs::path& directory) {
  std::error_code ec;
  if (!directory.empty() && !fs::create_directories(directory, ec) && ec) {
    throw Error(fmt::format("{}: cannot create: {}", directory.string(), ec.message()));
  }
}

struct Source {
  std::unique_ptr<isa::BlockSource> blocks;
  accelsim::Listing code;
  trace::Origin origin;
};

Source open_source(const analysis::PlannedLaunch& launch) {
  const fs::path& file = launch.source.path;
  Source s;
  if (trace::is_native(file)) {
    std::unique_ptr<trace::Reader> reader = trace::open(file);
    s.code = trace::read_listing(file);
    s.origin = reader->origin();
    s.blocks = std::move(reader);
  } else {
    accelsim::OpenOptions open;
    open.listing = &s.code;
    s.blocks = accelsim::open_trace(file, open);
    s.origin.trace = launch.trace;
    s.origin.number = launch.number;
    s.origin.source = file.filename().string();
    s.origin.memcpys = launch.source.memcpys;
  }
  if (s.origin.fingerprint.empty()) {
    s.origin.fingerprint = analysis::trace_fingerprint(file);
  }
  return s;
}

void verify(const fs::path& source, isa::BlockSource& blocks, const fs::path& target,
            const std::atomic<bool>& cancel) {
  const std::unique_ptr<trace::Reader> native = trace::open(target);
  isa::BlockTrace a, b;
  if (!blocks.start_over()) {
    throw Error(source.string() + ": cannot be read again");
  }
  while (blocks.next(a)) {
    check_cancel(cancel);
    const std::string what = native->next(b) ? trace::difference(blocks.image(), a, b) : "it ends early";
    if (!what.empty()) {
      throw Error(fmt::format("{}: not the same as {}: {}", target.string(), source.string(), what));
    }
  }
}

}  // namespace

std::vector<fs::path> import_targets(const std::vector<analysis::PlannedLaunch>& launches,
                                     const fs::path& out, bool force) {
  std::vector<fs::path> targets;
  if (trace::is_native(out) && launches.size() != 1) {
    throw Error(
        fmt::format("{}: one file for {} launches (legal: a directory)", out.string(), launches.size()));
  }
  for (const analysis::PlannedLaunch& l : launches) {
    targets.push_back(trace::is_native(out) ? out
                                            : out / l.trace / fmt::format("kernel-{}.heddle", l.number));
    if (fs::exists(targets.back()) && !force) {
      throw Error(fmt::format("{}: exists (--force replaces it)", targets.back().string()));
    }
    if (!trace::is_native(out)) {
      // Before hours of work: the list that write_lists() is to replace.
      output::find_place(targets.back().parent_path() / "kernelslist.g", output::native_list(),
                         force ? output::Replace::kAny : output::Replace::kSameKind);
    }
  }
  return targets;
}

ImportResult import_launch(const analysis::PlannedLaunch& launch, const fs::path& target,
                           const trace::WriterOptions& options, bool verified,
                           const std::atomic<bool>& cancel,
                           const std::function<void(const device::Progress&)>& progress) {
  ImportResult result;
  const auto start = Clock::now();
  const Source source = open_source(launch);
  make_directory(target.parent_path());
  result.source_bytes = analysis::trace_bytes(launch.source.path);
  trace::Writer writer(target, source.blocks->image(), source.code, source.origin, options);
  device::Progress p;
  p.blocks_total = source.blocks->image().shape.grid.count();
  auto told = start;
  for (isa::BlockTrace block; source.blocks->next(block);) {
    check_cancel(cancel);
    writer.add(block);
    ++p.blocks_done;
    for (const isa::WarpTrace& w : block.warps) {
      p.warp_instructions += w.instructions;
    }
    if (Clock::now() - told > std::chrono::milliseconds(50)) {
      told = Clock::now();
      progress(p);
    }
  }
  result.totals = writer.finish();
  if (verified) {
    verify(launch.source.path, *source.blocks, target, cancel);
  }
  result.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return result;
}

void write_lists(const std::vector<analysis::PlannedLaunch>& launches, const std::vector<fs::path>& targets,
                 output::Replace replace) {
  std::map<fs::path, std::string> lists;
  for (size_t i = 0; i < launches.size(); ++i) {
    std::string& list = lists[targets[i].parent_path()];
    for (const accelsim::Memcpy& m : launches[i].source.memcpys) {
      list += fmt::format("MemcpyHtoD,{:#018x},{}\n", m.address, m.bytes);
    }
    list += targets[i].filename().string() + "\n";
  }
  for (const auto& [directory, text] : lists) {
    const fs::path file = directory / "kernelslist.g";
    output::write_file(file, output::native_list(), replace, text);
  }
}

}  // namespace heddle::cli
