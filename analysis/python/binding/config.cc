// Configurations: a draft that is changed by path, and what the schema says of each path.
#include <filesystem>
#include <memory>
#include <optional>

#include "analysis/python/binding/binding.h"
#include "configs/loader/config.h"
#include "configs/loader/draft.h"
#include "configs/loader/field_info.h"

namespace heddle::python {
namespace {

using config::Draft;

config::LoadOptions options(const std::string& fidelity, const std::vector<std::string>& overrides,
                            const std::filesystem::path& shipped) {
  config::LoadOptions o;
  o.fidelity = fidelity;
  o.overrides = overrides;
  o.shipped = {shipped};
  return o;
}

py::object typed(const config::FieldInfo& field, const std::string& text) {
  if (field.type == "int") {
    return py::int_(py::str(text));
  }
  if (field.type == "float") {
    return py::float_(std::stod(text));
  }
  if (field.type == "bool") {
    return py::bool_(text == "true");
  }
  return py::str(text);
}

py::object value(const Draft& d, const std::string& path) {
  const auto texts = config::value_at(d.values(), path);
  if (!texts) {
    return py::none();
  }
  const config::FieldInfo field = config::field_at(path);
  if (field.kind != config::FieldKind::kList) {
    return typed(field, texts->front());
  }
  py::list out;
  for (const std::string& t : *texts) {
    out.append(typed(field, t));
  }
  return py::tuple(out);
}

py::tuple described(const config::FieldInfo& f) {
  constexpr const char* kKinds[] = {"group", "table", "list", "value"};
  return py::make_tuple(f.name, kKinds[static_cast<int>(f.kind)], f.type, f.unit, f.legal);
}

py::list fields(const std::string& path) {
  py::list out;
  for (const config::FieldInfo& f : config::fields_at(path)) {
    out.append(described(f));
  }
  return out;
}

py::object provenance(const Draft& d, const std::string& path) {
  const std::optional<config::Provenance> p = config::provenance_of(d.unchecked(), path);
  return p ? py::make_tuple(config::Provenance::Kind_Name(p->kind()), p->source()) : py::object(py::none());
}

std::string text(const Draft& d, bool annotate, bool flat, const std::string& under) {
  config::ShowOptions how;
  how.annotate = annotate;
  how.flat = flat;
  how.under = under;
  return config::to_text(d.unchecked(), how);
}

py::list diff(const Draft& a, const Draft& b) {
  py::list out;
  for (const config::Difference& d : config::diff(a.values(), b.values())) {
    out.append(py::make_tuple(d.path, d.a, d.b));
  }
  return out;
}

}  // namespace

// Names, fields, and Draft: a configuration that is changed value by value.
void bind_config(py::module_& m) {
  m.def("gpu_names", [](const std::string& shipped) {
    return throwing<ConfigError>([&] { return config::gpu_names(options("", {}, shipped)); });
  });
  m.def("fidelity_names", [](const std::string& shipped) {
    return throwing<ConfigError>([&] { return config::fidelity_names(options("", {}, shipped)); });
  });
  m.def("fields",
        [](const std::string& path) { return throwing<ConfigError>([&] { return fields(path); }); });
  m.def("field", [](const std::string& path) {
    return throwing<ConfigError>([&] { return described(config::field_at(path)); });
  });
  py::class_<Draft>(m, "Draft")
      .def(py::init([](const std::string& name, const std::string& fidelity,
                       const std::vector<std::string>& overrides, const std::string& shipped) {
        return throwing<ConfigError>(
            [&] { return std::make_unique<Draft>(name, options(fidelity, overrides, shipped)); });
      }))
      .def("copy", [](const Draft& d) { return std::make_unique<Draft>(d); })
      .def_property_readonly("name", &Draft::name)
      .def_property_readonly("file", [](const Draft& d) { return d.file().path.string(); })
      .def_property_readonly("shipped", [](const Draft& d) { return d.file().shipped; })
      .def_property_readonly("fidelity", &Draft::fidelity)
      .def_property_readonly("overrides", &Draft::overrides)
      .def("set",
           [](Draft& d, const std::string& assignment) { throwing<ConfigError>([&] { d.set(assignment); }); })
      .def("value",
           [](const Draft& d, const std::string& path) {
             return throwing<ConfigError>([&] { return value(d, path); });
           })
      .def("entries",
           [](const Draft& d, const std::string& path) {
             return throwing<ConfigError>([&] { return config::entries_at(d.values(), path); });
           })
      .def("provenance", provenance)
      .def("problems", &Draft::problems)
      .def("validate", [](const Draft& d) { throwing<ConfigError>([&] { d.finish(); }); })
      .def("text",
           [](const Draft& d, bool annotate, bool flat, const std::string& under) {
             return throwing<ConfigError>([&] { return text(d, annotate, flat, under); });
           })
      .def("diff", diff)
      .def("hash", [](const Draft& d) { return config::hash(d.values()); });
}

}  // namespace heddle::python
