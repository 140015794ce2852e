"""Test macros: what they make counts case by case in tools/test."""

def heddle_cc_test(name, srcs = None, deps = [], data = [], size = "small", copts = [], **kwargs):
    """A cc_test that links //tests/support:catch_main.

    Args:
      name: the target; without srcs, the test is NAME.cc.
      srcs: the sources; each includes <catch2/catch.hpp> and defines TEST_CASEs.
      deps: libraries under test.
      data: files the test reads, by their path from the repository's root.
      size: small (60 s), medium (300 s) or large (900 s).
      copts: further compiler flags.
      **kwargs: passed on to cc_test.
    """
    native.cc_test(
        name = name,
        size = size,
        srcs = srcs if srcs != None else [name + ".cc"],
        copts = copts,
        data = data,
        deps = deps + ["//tests/support:catch_main"],
        **kwargs
    )

def heddle_py_test(name, srcs = None, deps = [], data = [], size = "small", tags = [], **kwargs):
    """A unittest test, run by /usr/bin/python3.

    Imports are paths from the repository's root (configs.schema.gpu_pb2); a
    pybind_extension is imported by its plain name. Not run under sanitizers,
    since the interpreter itself is not instrumented.

    Args:
      name: the target; without srcs, the test is NAME.py. It ends with
        `if __name__ == "__main__": unittest.main()`.
      srcs: the sources; the one called NAME.py is run.
      deps: py_library, NAME_py of a system_proto, pybind_extension.
      data: files the test reads, by their path from the repository's root.
      size: as above.
      tags: further tags.
      **kwargs: passed on to py_test.
    """
    native.py_test(
        name = name,
        size = size,
        srcs = srcs if srcs != None else [name + ".py"],
        data = data,
        tags = tags + ["nosan"],
        deps = deps,
        **kwargs
    )

def heddle_fuzz_test(name, srcs = None, deps = [], corpus = [], data = [], size = "small", tags = [], **kwargs):
    """A fuzz target: defines extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t).

    NAME_test replays the corpus and a fixed number of pseudo-random mutations
    of it; it is part of `bazel test //...` with any compiler. NAME is the
    libFuzzer binary, built with
      bazel build --config=fuzz //path:NAME

    Args:
      name: the fuzzer; without srcs, its source is NAME.cc.
      srcs: the sources.
      deps: libraries under test.
      corpus: seed inputs, files.
      data: files that it reads, by their path from the repository's root.
      size: of NAME_test.
      tags: of both; tools/fuzz finds NAME by its own, "heddle_fuzz".
      **kwargs: passed on to both.
    """
    srcs = srcs if srcs != None else [name + ".cc"]
    native.cc_binary(
        name = name,
        testonly = True,
        srcs = srcs,
        tags = tags + ["heddle_fuzz"],
        data = data,
        linkopts = select({
            "//tests/support:fuzzing": ["-fsanitize=fuzzer"],
            "//conditions:default": [],
        }),
        deps = deps + select({
            "//tests/support:fuzzing": [],
            "//conditions:default": ["//tests/support:fuzz_replay"],
        }),
        **kwargs
    )
    native.cc_test(
        name = name + "_test",
        size = size,
        srcs = srcs,
        tags = tags,
        args = ["$(rootpaths %s)" % c for c in corpus],
        data = corpus + data,
        deps = deps + ["//tests/support:fuzz_replay"],
        **kwargs
    )
