#include "analysis/sweep/sweep_file.h"

#include <fmt/format.h>
#include <google/protobuf/text_format.h>

#include <fstream>
#include <iterator>
#include <set>
#include <utility>

#include "analysis/sweep/design.h"
#include "configs/proto_text/proto_text.h"
#include "sim/base/error.h"

namespace heddle::sweep {
namespace {

namespace fs = std::filesystem;
using google::protobuf::Descriptor;
using google::protobuf::TextFormat;

// The fields or values that there are, where protobuf's message `what` names an unknown one, such as:
// Message type "heddle.sweep.Axis" has no field named "x"
std::string legal(const std::string& what) {
  for (const Descriptor* d :
       {Sweep::descriptor(), Axis::descriptor(), Range::descriptor(), Level::descriptor()}) {
    if (what.find('"' + d->full_name() + "\" has no field") != std::string::npos) {
      std::string names;
      for (int i = 0; i < d->field_count(); ++i) {
        names += (i ? ", " : "") + d->field(i)->name();
      }
      return "; there are: " + names;
    }
  }
  if (what.find("enumeration value") == std::string::npos) {
    return "";
  }
  return what.find("\"scale\"") != std::string::npos ? "; legal values: LINEAR, LOG"
                                                     : "; legal values: GRID, LIST, RANDOM, LATIN_HYPERCUBE";
}

constexpr uint32_t kMostRetries = 100;
constexpr double kMostSeconds = 1e9;

// Where fields stand in the file: "FILE:LINE".
class Places {
 public:
  Places(std::string name, const TextFormat::ParseInfoTree& tree) : name_(std::move(name)), tree_(tree) {}

  // Of the value `index` of a repeated field; of any other: -1. The file alone for what is not in it.
  std::string of(int field, int index = -1) const {
    const int line = tree_.GetLocation(Sweep::descriptor()->FindFieldByNumber(field), index).line;
    return line < 0 ? name_ : fmt::format("{}:{}", name_, line + 1);
  }
  const std::string& file() const { return name_; }

 private:
  std::string name_;
  const TextFormat::ParseInfoTree& tree_;
};

void check_levels(const Axis& a, const std::string& where) {
  std::set<std::string> names;
  if (a.name().empty() || a.path_size() > 0) {
    throw Error(where + ": with `level` it needs a `name` and no `path`");
  }
  for (const Level& l : a.level()) {
    if (l.name().empty() || l.set_size() == 0 || !names.insert(l.name()).second) {
      throw Error(
          fmt::format("{}: level \"{}\": needs a `name` of its own and at least one `set`", where, l.name()));
    }
  }
}

void check_range(const Range& r, bool sampled, const std::string& where) {
  if (r.from().empty() || r.to().empty()) {
    throw Error(where + ": range: needs `from` and `to`");
  }
  if (r.has_count() && r.has_step()) {
    throw Error(where + ": range: `count` or `step`, not both");
  }
  if (r.has_count() && r.count() < 2) {
    throw Error(where + ": range: count = " + std::to_string(r.count()) + "; legal values: 2 and more");
  }
  if (r.has_step() && r.scale() == Range::LOG) {
    throw Error(where + ": range: with scale LOG it takes `count`, not `step`");
  }
  if (!sampled && !r.has_count() && !r.has_step()) {
    throw Error(where + ": range: needs `count` or `step` with this design");
  }
}

void check_axis(const Axis& a, bool sampled, const std::string& where) {
  const int kinds = (a.value_size() > 0) + a.has_range() + (a.level_size() > 0);
  if (kinds != 1) {
    throw Error(where + ": needs one of `value`, `range` and `level`, has " + (kinds ? "several" : "none"));
  }
  if (a.level_size() > 0) {
    check_levels(a, where);
  } else if (a.path_size() == 0) {
    throw Error(where + ": needs a `path`, a field of the configuration such as l2.ways");
  }
  if (a.has_range()) {
    check_range(a.range(), sampled, where);
  }
}

void check_names(const Sweep& s, const Places& at) {
  if (s.trace_size() == 0 || s.gpu_size() == 0) {
    throw Error(fmt::format("{}: needs at least one `{}`", at.file(), s.trace_size() ? "gpu" : "trace"));
  }
  for (int i = 0; i < s.trace_size(); ++i) {
    if (s.trace(i).empty()) {
      throw Error(at.of(Sweep::kTraceFieldNumber, i) + ": trace is empty (legal: a path)");
    }
  }
  std::set<std::string> gpus;
  for (int i = 0; i < s.gpu_size(); ++i) {
    const std::string where = at.of(Sweep::kGpuFieldNumber, i);
    if (s.gpu(i).empty()) {
      throw Error(where + ": gpu is empty (legal: a name, heddle config list, or a file)");
    }
    if (!gpus.insert(s.gpu(i)).second) {
      throw Error(fmt::format("{}: gpu \"{}\" is given twice", where, s.gpu(i)));
    }
  }
  if (s.fidelity().empty()) {
    throw Error(at.of(Sweep::kFidelityFieldNumber) +
                ": fidelity is empty (legal: fast, default, detailed, or a file)");
  }
}

void check_numbers(const Sweep& s, bool sampled, const Places& at) {
  if (sampled != (s.samples() > 0)) {
    throw Error(
        fmt::format("{}: samples = {}; legal values: {}", at.of(Sweep::kSamplesFieldNumber), s.samples(),
                    sampled ? "1 and more, with this design" : "none, with the designs GRID and LIST"));
  }
  if (!(s.timeout_s() >= 0 && s.timeout_s() <= kMostSeconds)) {
    throw Error(fmt::format("{}: timeout_s = {}; legal values: 0 (never) to {:.0f}",
                            at.of(Sweep::kTimeoutSFieldNumber), s.timeout_s(), kMostSeconds));
  }
  if (s.retries() > kMostRetries) {
    throw Error(fmt::format("{}: retries = {}; legal values: 0 to {}", at.of(Sweep::kRetriesFieldNumber),
                            s.retries(), kMostRetries));
  }
  if (s.max_points() == 0 || s.max_points() > kMaxPoints) {
    throw Error(fmt::format("{}: max_points = {}; legal values: 1 to {}", at.of(Sweep::kMaxPointsFieldNumber),
                            s.max_points(), kMaxPoints));
  }
}

void check(const Sweep& s, const Places& at) {
  const bool sampled = s.design() == Sweep::RANDOM || s.design() == Sweep::LATIN_HYPERCUBE;
  check_names(s, at);
  check_numbers(s, sampled, at);
  // What tables of results and the objectives of rankings call their own.
  std::set<std::string> names = {"point", "gpu", "trace", "cycles", "time"};
  for (int i = 0; i < s.axis_size(); ++i) {
    const std::string axis = axis_name(s.axis(i));
    const std::string where =
        fmt::format("{}: axis {} \"{}\"", at.of(Sweep::kAxisFieldNumber, i), i + 1, axis);
    check_axis(s.axis(i), sampled, where);
    if (!names.insert(axis).second) {
      throw Error(where + ": the name is taken; give the axis another `name`");
    }
  }
  try {
    count_points(s);
  } catch (const AxisError& e) {
    throw Error(fmt::format("{}: {}", at.of(Sweep::kAxisFieldNumber, e.axis), e.what()));
  } catch (const Error& e) {
    throw Error(fmt::format("{}: {}", at.file(), e.what()));
  }
}

}  // namespace

std::string axis_name(const Axis& axis) {
  return !axis.name().empty() ? axis.name() : axis.path_size() > 0 ? axis.path(0) : "";
}

Sweep parse_sweep(std::string_view text, const std::string& name) {
  TextFormat::ParseInfoTree places;
  Sweep sweep;
  if (const auto error = config::parse_proto_text(text, sweep, &places)) {
    throw Error(config::text_place(name, error->line, error->column) + error->message +
                legal(error->message));
  }
  check(sweep, Places(name, places));
  return sweep;
}

Sweep read_sweep(const fs::path& file) {
  std::ifstream in;
  if (fs::is_regular_file(file)) {  // opening a pipe would wait for its writer
    in.open(file, std::ios::binary);
  }
  if (!in.is_open()) {
    throw Error(file.string() + ": cannot be read: " + (fs::exists(file) ? "no plain file" : "no such file"));
  }
  Sweep s = parse_sweep(std::string(std::istreambuf_iterator<char>(in), {}), file.string());
  const fs::path folder = fs::absolute(file).parent_path();
  const auto located = [&folder](const std::string& path) {
    return (folder / path).lexically_normal().string();
  };
  const auto is_file = [](const std::string& name) {
    return name.find('/') != std::string::npos || name.ends_with(".textproto");
  };
  for (std::string& t : *s.mutable_trace()) {
    t = located(t);
  }
  for (std::string& g : *s.mutable_gpu()) {
    g = is_file(g) ? located(g) : g;
  }
  if (is_file(s.fidelity())) {
    s.set_fidelity(located(s.fidelity()));
  }
  return s;
}

std::string to_text(const Sweep& sweep) {
  std::string text;
  TextFormat::PrintToString(sweep, &text);
  return text;
}

}  // namespace heddle::sweep
