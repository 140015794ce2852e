"""Data of tests that is kept compressed: a checkout is to be light."""

def unpacked(files, visibility = None):
    """For each FILE.xz a target FILE, which is that, decompressed: tests name it and read it by its path as if it lay there.

    Args:
      files: paths in this package, without the .xz.
      visibility: who may use them.
    """
    for file in files:
        native.genrule(
            name = file.replace("/", "_").replace(".", "_") + "_unpacked",
            srcs = [file + ".xz"],
            outs = [file],
            cmd = "/usr/bin/python3 -c 'import lzma, shutil, sys; shutil.copyfileobj(lzma.open(sys.argv[1]), open(sys.argv[2], \"wb\"))' $< $@",
            visibility = visibility,
        )
