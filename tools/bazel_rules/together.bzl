"""Sources that are compiled together: most of a file's time goes into headers that its neighbours read, too."""

_MOST = 8  # files

def together(name, srcs, apart = []):
    """The sources of a target, put together into files of at most eight for the compiler.

    Names of unnamed namespaces must differ within a file that is made so. With
    --define=heddle_apart=1 each source is compiled by itself: for clang-tidy, clangd,
    and whoever changes one file all the time.

    Args:
      name: the target's.
      srcs: its sources; headers stay as they are.
      apart: those of them that have names in common with others.

    Returns:
      what the target takes as srcs.
    """
    files = [s for s in srcs if s.endswith(".cc") and s not in apart]
    others = [s for s in srcs if not s.endswith(".cc")]
    count = (len(files) + _MOST - 1) // _MOST
    made = []
    for i in range(count):
        part = files[len(files) * i // count:len(files) * (i + 1) // count]
        made.append("%s_together_%d" % (name, i))
        native.genrule(
            name = made[-1],
            srcs = part,
            outs = [made[-1] + ".cc"],
            cmd = "for f in $(SRCS); do echo \"#line 1 \\\"$$f\\\"\"; cat $$f; done > $@",
            visibility = ["//visibility:private"],
        )
    return select({
        "//tools/bazel_rules:apart": srcs,
        "//conditions:default": others + made + apart,
    })
