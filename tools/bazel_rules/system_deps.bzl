"""@sys//:... : the C++ libraries of the Debian -dev packages.

The headers live in /usr/include, which is one of gcc's built-in include
directories, so no hdrs/includes are declared: only link flags. What Bazel
cannot see is an apt upgrade of a header; so each library carries a -D with the
package version, which changes the command line and forces the recompile.
The rule is local=True: it is re-evaluated at each start of the Bazel server
(or with `bazel sync --configure`).
"""

# name -> (Debian package, link flags)
_LIBS = {
    "benchmark": ("libbenchmark-dev", ["-lbenchmark"]),
    "boost": ("libboost1.74-dev", []),
    "boost_filesystem": ("libboost-filesystem1.74-dev", ["-lboost_filesystem", "-lboost_system"]),
    "boost_iostreams": ("libboost-iostreams1.74-dev", ["-lboost_iostreams"]),
    "boost_program_options": ("libboost-program-options1.74-dev", ["-lboost_program_options"]),
    "boost_serialization": ("libboost-serialization1.74-dev", ["-lboost_serialization"]),
    "boost_thread": ("libboost-thread1.74-dev", ["-lboost_thread", "-lpthread"]),
    "catch2": ("catch2", []),
    "cli11": ("libcli11-dev", []),
    "fmt": ("libfmt-dev", ["-lfmt"]),
    "protobuf": ("libprotobuf-dev", ["-lprotobuf", "-lpthread"]),
    "lzma": ("liblzma-dev", ["-llzma"]),
    "pybind11": ("pybind11-dev", []),
    "spdlog": ("libspdlog-dev", ["-lspdlog", "-lfmt", "-lpthread"]),
    "sqlite3": ("libsqlite3-dev", ["-lsqlite3"]),
    "threads": ("libc6-dev", ["-lpthread"]),
    "zlib": ("zlib1g-dev", ["-lz"]),
    "zstd": ("libzstd-dev", ["-lzstd"]),
}

# Defines a library needs besides the version stamp.
_DEFINES = {
    # Debian's libspdlog is compiled, and compiled against the external fmt.
    "spdlog": ["SPDLOG_COMPILED_LIB", "SPDLOG_SHARED_LIB", "SPDLOG_FMT_EXTERNAL"],
}

_PACKAGE = """
cc_library(
    name = "{name}",
    defines = {defines},
    linkopts = {linkopts},
)
"""

def _system_deps_impl(ctx):
    out = ['package(default_visibility = ["//visibility:public"])\n']
    missing = []
    for name, (deb, linkopts) in sorted(_LIBS.items()):
        r = ctx.execute(["/usr/bin/dpkg-query", "-W", "-f", "${Version}", deb])
        if r.return_code != 0 or not r.stdout:
            missing.append(deb)
            continue
        stamp = "SYSDEP_%s=%s" % (
            name.upper(),
            "".join([c if c.isalnum() else "_" for c in r.stdout.strip().elems()]),
        )
        out.append(_PACKAGE.format(
            name = name,
            defines = repr([stamp] + _DEFINES.get(name, [])),
            linkopts = repr(linkopts),
        ))
    if missing:
        fail("\n\nMissing Debian packages. Run tools/setup, or:\n  apt-get install -y %s\n" % " ".join(missing))

    # Python headers for pybind11: ask /usr/bin/python3, not PATH's.
    r = ctx.execute(["/usr/bin/python3", "-c", "import sysconfig as s; print(s.get_paths()['include']); print(s.get_config_var('EXT_SUFFIX'))"])
    if r.return_code != 0:
        fail("/usr/bin/python3 is missing: apt-get install -y python3-dev")
    inc, suffix = r.stdout.strip().split("\n")
    if not ctx.path(inc + "/Python.h").exists:
        fail("%s/Python.h is missing: apt-get install -y python3-dev" % inc)
    ctx.file("python.bzl", 'PYTHON_INCLUDE = "%s"\nEXT_SUFFIX = "%s"\n' % (inc, suffix))
    ctx.file("BUILD", "".join(out))

system_deps = repository_rule(
    implementation = _system_deps_impl,
    local = True,
    configure = True,
)
