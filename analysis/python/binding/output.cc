// Files for the user: the rule of the command line.
#include "frontends/output/output_file.h"

#include "analysis/python/binding/binding.h"

namespace heddle::python {
namespace {

void write(const std::string& file, const output::FileKind& kind, const std::string& text, bool force) {
  try {
    output::write_file(file, kind, force ? output::Replace::kAny : output::Replace::kSameKind, text);
  } catch (const Error& e) {
    std::string what = e.what();
    const std::string option = "--force";
    if (const size_t at = what.find(option); at != std::string::npos) {
      what.replace(at, option.size(), "force=True");
    }
    throw Error(what);
  }
}

}  // namespace

void bind_output(py::module_& m) {
  m.def("write_timeline", [](const std::string& file, const std::string& text, bool force) {
    write(file, output::timeline(), text, force);
  });
  m.def("write_workload", [](const std::string& file, const std::string& text, bool force) {
    write(file, output::workload_text(), text, force);
  });
}

}  // namespace heddle::python
