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

void verify(const analysis::PlannedLaunch& launch, const fs::path& target, const std::atomic<bool>& cancel) {
  const std::unique_ptr<isa::BlockSource> text = accelsim::open_trace(launch.source.path);
  const std::unique_ptr<trace::Reader> native = trace::open(target);
  isa::BlockTrace a, b;
  while (text->next(a)) {
    check_cancel(cancel);
    const std::string what = native->next(b) ? trace::difference(text->image(), a, b) : "it ends early";
    if (!what.empty()) {
      throw Error(
          fmt::format("{}: not the same as {}: {}", target.string(), launch.source.path.string(), what));
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
    if (trace::is_native(l.source.path)) {
      throw Error(fmt::format("{}: is a .heddle already (legal: Accel-Sim traces)", l.source.path.string()));
    }
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
  accelsim::Listing code;
  accelsim::OpenOptions open;
  open.listing = &code;
  const std::unique_ptr<isa::BlockSource> source = accelsim::open_trace(launch.source.path, open);
  trace::Origin origin;
  origin.trace = launch.trace;
  origin.number = launch.number;
  origin.source = launch.source.path.filename().string();
  origin.fingerprint = analysis::trace_fingerprint(launch.source.path);
  origin.memcpys = launch.source.memcpys;
  make_directory(target.parent_path());
  trace::Writer writer(target, source->image(), code, origin, options);
  device::Progress p;
  p.blocks_total = source->image().shape.grid.count();
  auto told = start;
  for (isa::BlockTrace block; source->next(block);) {
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
  result.source_bytes = analysis::trace_bytes(launch.source.path);
  if (verified) {
    verify(launch, target, cancel);
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
