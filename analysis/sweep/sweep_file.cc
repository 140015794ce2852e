#include "analysis/sweep/sweep_file.h"

#include <fmt/format.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/text_format.h>

#include <fstream>
#include <iterator>
#include <set>

#include "sim/engine/error.h"

namespace heddle::sweep {
namespace {

namespace fs = std::filesystem;
using google::protobuf::Descriptor;
using google::protobuf::TextFormat;

// The first error, with the fields that there are where it names an unknown one.
class FirstError : public google::protobuf::io::ErrorCollector {
 public:
  explicit FirstError(std::string name) : name_(std::move(name)) {}

  void AddError(int line, google::protobuf::io::ColumnNumber column, const std::string& message) override {
    if (!text_.empty()) {
      return;
    }
    std::string what = message;
    while (!what.empty() && what.back() == '.') {
      what.pop_back();
    }
    text_ = fmt::format("{}:{}:{}: {}{}", name_, line + 1, column + 1, what, legal(what));
  }
  void AddWarning(int, google::protobuf::io::ColumnNumber, const std::string&) override {}

  const std::string& text() const { return text_; }

 private:
  // protobuf: Message type "heddle.sweep.Axis" has no field named "x"
  static std::string legal(const std::string& what) {
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
    return what.find("\"scale\"") != std::string::npos
               ? "; legal values: LINEAR, LOG"
               : "; legal values: GRID, LIST, RANDOM, LATIN_HYPERCUBE";
  }

  std::string name_;
  std::string text_;
};

void check_axis(const Axis& a, const std::string& where) {
  const int kinds = (a.value_size() > 0) + a.has_range() + (a.level_size() > 0);
  if (kinds != 1) {
    throw Error(where + ": needs one of `value`, `range` and `level`, has " + (kinds ? "several" : "none"));
  }
  if (a.level_size() > 0) {
    std::set<std::string> names;
    if (a.name().empty() || a.path_size() > 0) {
      throw Error(where + ": with `level` it needs a `name` and no `path`");
    }
    for (const Level& l : a.level()) {
      if (l.name().empty() || l.set_size() == 0 || !names.insert(l.name()).second) {
        throw Error(fmt::format("{}: level \"{}\": needs a `name` of its own and at least one `set`", where,
                                l.name()));
      }
    }
  } else if (a.path_size() == 0) {
    throw Error(where + ": needs a `path`, a field of the configuration such as l2.ways");
  }
  if (a.has_range()) {
    const Range& r = a.range();
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
  }
}

void check(const Sweep& s, const std::string& name) {
  if (s.trace_size() == 0 || s.gpu_size() == 0) {
    throw Error(fmt::format("{}: needs at least one `{}`", name, s.trace_size() ? "gpu" : "trace"));
  }
  std::set<std::string> gpus;
  for (const std::string& g : s.gpu()) {
    if (!gpus.insert(g).second) {
      throw Error(fmt::format("{}: gpu \"{}\" is given twice", name, g));
    }
  }
  const bool sampled = s.design() == Sweep::RANDOM || s.design() == Sweep::LATIN_HYPERCUBE;
  if (sampled != (s.samples() > 0)) {
    throw Error(
        fmt::format("{}: samples = {}; legal values: {}", name, s.samples(),
                    sampled ? "1 and more, with this design" : "none, with the designs GRID and LIST"));
  }
  if (s.timeout_s() < 0) {
    throw Error(fmt::format("{}: timeout_s = {}; legal values: 0 (none) and more", name, s.timeout_s()));
  }
  std::set<std::string> names = {"point", "gpu", "trace"};
  for (int i = 0; i < s.axis_size(); ++i) {
    const std::string axis = axis_name(s.axis(i));
    const std::string where = fmt::format("{}: axis {} \"{}\"", name, i + 1, axis);
    check_axis(s.axis(i), where);
    if (!sampled && s.axis(i).has_range() && !s.axis(i).range().has_count() &&
        !s.axis(i).range().has_step()) {
      throw Error(where + ": range: needs `count` or `step` with this design");
    }
    if (!names.insert(axis).second) {
      throw Error(where + ": the name is taken; give the axis another `name`");
    }
  }
}

}  // namespace

std::string axis_name(const Axis& axis) {
  return !axis.name().empty() ? axis.name() : axis.path_size() > 0 ? axis.path(0) : "";
}

Sweep parse_sweep(std::string_view text, const std::string& name) {
  FirstError error(name);
  TextFormat::Parser parser;
  parser.RecordErrorsTo(&error);
  google::protobuf::io::ArrayInputStream stream(text.data(), static_cast<int>(text.size()));
  Sweep sweep;
  if (!parser.Parse(&stream, &sweep)) {
    throw Error(error.text());
  }
  check(sweep, name);
  return sweep;
}

Sweep read_sweep(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!fs::is_regular_file(file) || !in) {
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
