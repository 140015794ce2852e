"""C++ and Python code from .proto files, made by the system's protoc."""

ProtoFilesInfo = provider(fields = ["files"])

def _proto_files_impl(ctx):
    files = depset(ctx.files.srcs, transitive = [d[ProtoFilesInfo].files for d in ctx.attr.deps])
    return [ProtoFilesInfo(files = files), DefaultInfo(files = files)]

_proto_files = rule(
    implementation = _proto_files_impl,
    attrs = {
        "srcs": attr.label_list(allow_files = [".proto"], mandatory = True),
        "deps": attr.label_list(providers = [ProtoFilesInfo]),
    },
    doc = "The .proto files of a target and, transitively, those it imports.",
)

def _proto_gen_impl(ctx):
    outs = []
    for src in ctx.files.srcs:
        if not src.is_source or src.owner.package != ctx.label.package:
            fail("%s: srcs must be checked-in files of package //%s" % (src.path, ctx.label.package))
        base = src.owner.name[:-len(".proto")]
        for ext in ctx.attr.exts:
            outs.append(ctx.actions.declare_file(base + ext))
    args = ctx.actions.args()
    args.add("-I.")
    args.add("-I/usr/include")
    args.add("--%s_out=%s" % (ctx.attr.lang, ctx.bin_dir.path))
    args.add_all(ctx.files.srcs)
    ctx.actions.run(
        executable = "/usr/bin/protoc",
        arguments = [args],
        inputs = ctx.attr.files[ProtoFilesInfo].files,
        outputs = outs,
        mnemonic = "Protoc" + ctx.attr.lang.capitalize(),
        progress_message = "protoc --%s_out %s" % (ctx.attr.lang, ctx.label),
    )
    return [DefaultInfo(files = depset(outs))]

_proto_gen = rule(
    implementation = _proto_gen_impl,
    attrs = {
        "srcs": attr.label_list(allow_files = [".proto"], mandatory = True),
        "files": attr.label(providers = [ProtoFilesInfo], mandatory = True),
        "lang": attr.string(values = ["cpp", "python"]),
        "exts": attr.string_list(),
    },
)

def _suffixed(label, suffix):
    """//a/b -> //a/b:b<suffix>; //a:c -> //a:c<suffix>; :c, c -> :c<suffix>"""
    if ":" in label:
        return label + suffix
    if label.startswith("//") or label.startswith("@"):
        return label + ":" + label.split("/")[-1] + suffix
    return ":" + label + suffix

def system_proto(name, srcs, deps = [], **kwargs):
    """Makes :NAME_cc (cc_library), :NAME_py (py_library) and :NAME_proto (the files).

    Args:
      name: the common part of the three names.
      srcs: .proto files of this package. They import by path from the
        repository's root: import "configs/schema/options.proto"; the files of
        /usr/include/google/protobuf are there without being named in deps.
      deps: other system_proto targets (their NAME, e.g. "//configs/schema:options")
        whose files are imported.
      **kwargs: visibility, testonly, tags.
    """
    _proto_files(
        name = name + "_proto",
        srcs = srcs,
        deps = [_suffixed(d, "_proto") for d in deps],
        **kwargs
    )
    for lang, exts in [("cpp", [".pb.h", ".pb.cc"]), ("python", ["_pb2.py"])]:
        _proto_gen(
            name = "%s_%s_gen" % (name, "cc" if lang == "cpp" else "py"),
            srcs = srcs,
            files = ":" + name + "_proto",
            lang = lang,
            exts = exts,
            **dict(kwargs, visibility = ["//visibility:private"])
        )
    native.cc_library(
        name = name + "_cc",
        srcs = [":" + name + "_cc_gen"],
        hdrs = [":" + name + "_cc_gen"],
        copts = ["-w"],
        deps = ["@sys//:protobuf"] + [_suffixed(d, "_cc") for d in deps],
        **kwargs
    )
    native.py_library(
        name = name + "_py",
        srcs = [":" + name + "_py_gen"],
        deps = [_suffixed(d, "_py") for d in deps],
        **kwargs
    )
