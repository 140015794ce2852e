"""heddle_cc_test: a C++ test with Catch2's main() and the project's flags."""

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
