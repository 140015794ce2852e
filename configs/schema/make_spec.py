"""Makes plain C++ structs of the configuration's schema: the model is built from these, and knows no protobuf.

usage: make_spec.py DESCRIPTOR_SET spec.h spec_of.cc      of all messages that GpuConfig holds

A struct has the accessors of its message under the same names, so that the schema is the documentation of both.
"""
import sys

from google.protobuf import descriptor_pb2

F = descriptor_pb2.FieldDescriptorProto
SCALARS = {F.TYPE_UINT32: "uint32_t", F.TYPE_UINT64: "uint64_t", F.TYPE_DOUBLE: "double", F.TYPE_BOOL: "bool", F.TYPE_STRING: "std::string"}
ROOT = "GpuConfig"
# Of files and where their values come from, not of the machine.
LEFT_OUT = {"provenance", "inherits", "without"}


def messages(path):
    with open(path, "rb") as f:
        files = descriptor_pb2.FileDescriptorSet.FromString(f.read())
    return {m.name: m for file in files.file if file.package == "heddle.config" for m in file.message_type}


def fields(m):
    return [f for f in m.field if not (m.name == ROOT and f.name in LEFT_OUT)]


def local(f):
    """Its type's name: L2.Hash of a message's own enumeration, L2 of a message."""
    return f.type_name.removeprefix(".heddle.config.")


def below(all_of, name, seen):
    """Messages in an order in which each comes behind those that it holds."""
    for f in fields(all_of[name]):
        if f.type == F.TYPE_MESSAGE and local(f) not in seen:
            below(all_of, local(f), seen)
    seen.setdefault(name)
    return seen


def type_of(f):
    return SCALARS.get(f.type) or local(f).replace(".", "::")


def initial(m, f):
    if f.type == F.TYPE_ENUM:
        enum = next(e for e in m.enum_type if local(f) == f"{m.name}.{e.name}")
        return f.default_value or enum.value[0].name
    if f.type == F.TYPE_STRING:
        return ""
    return f.default_value or ("false" if f.type == F.TYPE_BOOL else "0")


def accessors(m, f):
    n, t = f.name, type_of(f)
    by = f"const {t}&" if f.type in (F.TYPE_MESSAGE, F.TYPE_STRING) else t
    if f.label == F.LABEL_REPEATED:
        yield f"const std::vector<{t}>& {n}() const {{ return {n}_; }}"
        yield f"{by} {n}(int i) const {{ return {n}_[static_cast<size_t>(i)]; }}"
        yield f"int {n}_size() const {{ return static_cast<int>({n}_.size()); }}"
        yield f"std::vector<{t}>* mutable_{n}() {{ return &{n}_; }}"
        yield f"void clear_{n}() {{ {n}_.clear(); }}"
        if f.type == F.TYPE_MESSAGE:
            yield f"{t}* mutable_{n}(int i) {{ return &{n}_[static_cast<size_t>(i)]; }}"
            yield f"{t}* add_{n}() {{ return &{n}_.emplace_back(); }}"
        else:
            yield f"void add_{n}({t} v) {{ {n}_.push_back(v); }}"
            yield f"void set_{n}(int i, {t} v) {{ {n}_[static_cast<size_t>(i)] = v; }}"
        return
    yield f"{by} {n}() const {{ return {n}_; }}"
    yield f"bool has_{n}() const {{ return has_{n}_; }}"
    if f.type == F.TYPE_MESSAGE:
        yield f"{t}* mutable_{n}() {{ has_{n}_ = true; return &{n}_; }}"
        yield f"void clear_{n}() {{ {n}_ = {{}}; has_{n}_ = false; }}"
    else:
        yield f"void set_{n}({by} v) {{ {n}_ = v; has_{n}_ = true; }}"
        value = f'"{f.default_value}"' if f.type == F.TYPE_STRING else initial(m, f)
        yield f"void clear_{n}() {{ {n}_ = {value}; has_{n}_ = false; }}"


def struct(m):
    out = [f"class {m.name} {{", " public:"]
    if m.name == ROOT:  # where a configuration is handed to the model
        out += [f"  {ROOT}() = default;", f"  {ROOT}(const config::{ROOT}& m);"]
    for e in m.enum_type:
        out.append(f"  enum {e.name} : uint8_t {{ " + ", ".join(f"{v.name} = {v.number}" for v in e.value) + " };")
    for f in fields(m):
        out += ["  " + line for line in accessors(m, f)]
    out += ["  bool operator==(const " + m.name + "&) const = default;", "", " private:"]
    for f in fields(m):
        if f.label == F.LABEL_REPEATED:
            out.append(f"  std::vector<{type_of(f)}> {f.name}_;")
        else:
            init = f" = {initial(m, f)}" if f.type not in (F.TYPE_MESSAGE, F.TYPE_STRING) else ""
            if f.type == F.TYPE_STRING and f.default_value:
                init = f' = "{f.default_value}"'
            out += [f"  {type_of(f)} {f.name}_{init};", f"  bool has_{f.name}_ = false;"]
    return out + ["};", ""]


def conversion(m):
    root = m.name == ROOT
    out = [f"{ROOT}::{ROOT}(const config::{ROOT}& m) {{" if root else f"{m.name} of(const config::{m.name}& m) {{\n  {m.name} out;"]
    to = "this->" if root else "out."
    for f in fields(m):
        n, t = f.name, type_of(f)
        value = f"of(m.{n}())" if f.type == F.TYPE_MESSAGE else f"static_cast<{t}>(m.{n}())" if f.type == F.TYPE_ENUM else f"m.{n}()"
        if f.label == F.LABEL_REPEATED:
            item = value.replace(f"m.{n}()", "x")
            out.append(f"  for (const auto& x : m.{n}()) {{ {to}mutable_{n}()->push_back({item}); }}")
        elif f.type == F.TYPE_MESSAGE:
            out.append(f"  if (m.has_{n}()) {{ *{to}mutable_{n}() = {value}; }}")
        else:
            out.append(f"  if (m.has_{n}()) {{ {to}set_{n}({value}); }}")
    return out + ([] if root else ["  return out;"]) + ["}", ""]


def main():
    all_of = messages(sys.argv[1])
    order = [all_of[name] for name in below(all_of, ROOT, {})]
    header = ["// Made by configs/schema/make_spec.py of the schema: what each field means, and its unit, is there.", "#pragma once", "",
              "#include <cstdint>", "#include <string>", "#include <vector>", "",
              "namespace heddle::config {", f"class {ROOT};", "}", "", "namespace heddle::spec {", ""]
    for m in order:
        header += struct(m)
    header += ["}  // namespace heddle::spec"]
    source = ['#include "configs/schema/gpu.pb.h"', '#include "configs/schema/spec.h"', "", "namespace heddle::spec {", ""]
    for m in order:
        if m.name == ROOT:
            source += conversion(m)
        else:
            source += ["namespace {", *conversion(m), "}  // namespace", ""]
    source += ["}  // namespace heddle::spec"]
    for path, lines in zip(sys.argv[2:], (header, source)):
        with open(path, "w", encoding="utf-8") as f:
            f.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
