"""The sources that a program is made of, for tests that read them."""

_SourcesInfo = provider(fields = ["files"])

def _collect_impl(target, ctx):
    own = [
        f
        for attr in ["srcs", "hdrs"]
        for f in getattr(ctx.rule.files, attr, [])
        if f.is_source and f.extension in ["h", "cc"] and not f.owner.workspace_name
    ]
    below = [
        d[_SourcesInfo].files
        for attr in ["srcs", "deps", "data"]
        for d in (getattr(ctx.rule.attr, attr, None) or [])
        if _SourcesInfo in d
    ]
    return [_SourcesInfo(files = depset(own, transitive = below))]

_collect = aspect(implementation = _collect_impl, attr_aspects = ["srcs", "deps", "data"])

def _cc_sources_impl(ctx):
    files = depset(transitive = [d[_SourcesInfo].files for d in ctx.attr.of])
    return [DefaultInfo(files = files, runfiles = ctx.runfiles(transitive_files = files))]

cc_sources = rule(
    implementation = _cc_sources_impl,
    attrs = {"of": attr.label_list(aspects = [_collect], mandatory = True)},
    doc = "All C++ files of this repository that the targets `of` are made of.",
)
