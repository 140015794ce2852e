#include "analysis/run/checkpoint_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "configs/loader/config.h"
#include "frontends/input/limits.h"
#include "frontends/output/output_file.h"
#include "frontends/trace/section.h"
#include "sim/base/error.h"
#include "sim/engine/archive.h"

namespace heddle::analysis {
namespace {

constexpr trace::FileFormat kFormat = {"\x89HEDCKP\n", "89 'HEDCKP' 0a", 1, "a checkpoint"};
constexpr int kLevel = 1;  // of zstd: a run waits for it
constexpr uint64_t kPiece = uint64_t{32} << 20;

std::string_view text(std::span<const uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::span<const uint8_t> bytes_of(std::string_view s) {
  return {reinterpret_cast<const uint8_t*>(s.data()), s.size()};
}

// Everything but the state, of which the length.
void serialize(Archive& ar, CheckpointFile& c, uint64_t& state_bytes) {
  std::string gpu = ar.reading() ? "" : c.gpu.SerializeAsString();
  ar(c.trace, c.launch, c.trace_hash, c.kernel, c.config_hash, gpu, c.options, c.cycle, state_bytes);
  ar.check(!ar.reading() || c.gpu.ParseFromString(gpu), "it has no configuration");
}

CheckpointFile read(const trace::FileBytes& file) {
  trace::check_preamble(file, kFormat);
  CheckpointFile c;
  std::string message;
  uint64_t state_bytes = 0;
  uint64_t at = trace::read_section(file, trace::kPreambleBytes, trace::SectionKind::kLaunch, message);
  try {
    Archive ar(bytes_of(message));
    serialize(ar, c, state_bytes);
    ar.end();
  } catch (const Error& e) {
    file.fail(trace::kPreambleBytes, fmt::format("damaged: the description of the launch: {}", e.what()));
  }
  while (c.state.size() < state_bytes) {
    at = trace::read_section(file, at, trace::SectionKind::kState, message);
    c.state.insert(c.state.end(), message.begin(), message.end());
  }
  if (c.state.size() != state_bytes || at != file.size()) {
    file.fail(at,
              fmt::format("damaged: the checkpoint should end here, with {} bytes of state", state_bytes));
  }
  return c;
}

// "l2.ways is 16 there, 32 here, ..."
std::string differences(const config::GpuConfig& saved, const config::GpuConfig& now) {
  constexpr size_t kNamed = 3;
  std::string out;
  const std::vector<config::Difference> all = config::diff(saved, now);
  for (size_t i = 0; i < std::min(all.size(), kNamed); ++i) {
    const auto value = [](const std::string& v) { return v.empty() ? "not set" : v; };
    out += fmt::format("{}{} is {} there, {} here", i ? ", " : "", all[i].path, value(all[i].a),
                       value(all[i].b));
  }
  return out + (all.size() > kNamed ? ", ..." : "");
}

}  // namespace

output::FileKind checkpoint_file() {
  return output::text_that_begins("a checkpoint", std::string(kFormat.magic));
}

void write_checkpoint(const std::filesystem::path& file, output::Replace replace, const CheckpointFile& c) {
  output::OutputFile out(file, checkpoint_file(), replace);
  Archive ar;
  CheckpointFile description = c;
  uint64_t state_bytes = c.state.size();
  serialize(ar, description, state_bytes);
  out.stream() << trace::make_preamble(kFormat)
               << trace::make_section(trace::SectionKind::kLaunch, text(ar.take()), kLevel);
  for (uint64_t at = 0; at < state_bytes; at += kPiece) {
    const auto piece = std::span(c.state).subspan(at, std::min(kPiece, state_bytes - at));
    out.stream() << trace::make_section(trace::SectionKind::kState, text(piece), kLevel);
    out.check();
  }
  out.commit();
}

CheckpointFile read_checkpoint(const std::filesystem::path& file) { return read(*trace::open_file(file)); }

CheckpointFile read_checkpoint(std::string name, std::string_view bytes) {
  return read(*trace::open_memory(std::move(name), bytes));
}

void check_same(const std::filesystem::path& file, const CheckpointFile& saved, const CheckpointFile& now) {
  const auto fail = [&](const std::string& what) { throw Error(fmt::format("{}: {}", file.string(), what)); };
  if (saved.trace_hash != now.trace_hash) {
    fail(fmt::format("it is of the trace {} with hash {}, which has hash {} now (legal: the same trace)",
                     saved.label(), saved.trace_hash, now.trace_hash));
  }
  if (saved.config_hash != now.config_hash) {
    fail(
        fmt::format("it is of '{}' with configuration {}, this is '{}' with {}: {} (legal: the same --gpu, "
                    "--fidelity and --set)",
                    saved.gpu.name(), saved.config_hash, now.gpu.name(), now.config_hash,
                    differences(saved.gpu, now.gpu)));
  }
  std::map<std::string, std::string> all = saved.options;
  all.insert(now.options.begin(), now.options.end());
  for (const auto& both : all) {
    const std::string& option = both.first;
    const auto value = [&](const CheckpointFile& c) {
      const auto o = c.options.find(option);
      return o == c.options.end() ? std::string("not given") : o->second;
    };
    if (value(saved) != value(now)) {
      fail(fmt::format("{} is {} there, {} here (legal: the same as when it was saved)", option, value(saved),
                       value(now)));
    }
  }
}

}  // namespace heddle::analysis
