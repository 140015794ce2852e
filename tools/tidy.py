#!/usr/bin/python3
"""Runs clang-tidy-16 over C++ files of compile_commands.json, many files in one go.

usage: tools/tidy.py [--all | --count] [FILE.cc ...]     (all files of ours without arguments; tools/lint calls it)
  --all    also the files that tools/tidy.clean has
  --count  checks nothing, prints how many files would be

Nearly all of clang-tidy's time goes into the headers: those of Catch2, protobuf and the standard library are parsed and
searched anew for each file. So files with the same compiler flags are checked together, as the #includes of one file,
named UnifiedSource-N.cc because the analyzer then treats what it includes as code and not as headers. Files that define
the same name without linkage are put into different ones. Where such a file does not compile all the same, it is halved
until it does, and so is one on which clang-tidy crashes: each file of ours is checked, at worst by itself, and one that
does not compile alone is a finding.

Prints the findings, then a count; the exit status is 1 when there are any. A NOLINT without the names of its checks and
a reason behind them, "NOLINT(check): reason", is a finding, and so is a file that no Bazel target compiles.

All files take most of an hour of one core, so tools/tidy.clean (in the repository) keeps of each file that had no finding
a digest of its text, of the headers and schemas of ours that it reaches and of the configuration; while these are the
same it is not checked again. A few of them, others with each commit, are all the same.
"""
import collections
import concurrent.futures
import functools
import hashlib
import itertools
import json
import os
import random
import re
import resource
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# The analyzer looks through calls, and the larger the source the more of them it finds: only without it (tests) do large
# batches save time.
BATCH_LINES = (12000, 5000, 5000)  # by depth()
OURS = r"^(.*/)?(sim|frontends|analysis|tools|tests|configs)/.*\.(h|cc)$"
# Of OPTIONALS, whose time grows so with a source of several files that it does not end on a large one.
SMALL_LINES = 1500
OPTIONALS = "bugprone-unchecked-optional-access"
# Checks of several files together have failed to end; of one they have not.
MOST_SECONDS = 300
# A source of several #includes is what this check is there to find.
CHECKS = "-bugprone-suspicious-include,-" + OPTIONALS
# Several programs in one source.
ENTRIES = ("main", "LLVMFuzzerTestOneInput")
# By default the analyzer does not look at a function by itself that it has seen through one of its callers, and with the
# callers in the same source it would so miss what only shows without them, such as a null line in memory::L2::read (which
# it does not find with fewer max-nodes either). That takes it twice as long, so it is for the machine, which users' files
# reach and no fuzzer does; frontends and host programs are fuzzed under sanitizers. Tests are left to the other checks:
# they run under the address and undefined-behaviour sanitizers, which see what it would guess, and which of their many
# products of small numbers overflows. That REQUIRE(x) has looked into an optional is not known to the check of these.
THOROUGH = "sim/"
FUZZED = "sim/host/"
ALL_FUNCTIONS = ["-Xclang", "-analyzer-inlining-mode=all"]
SANITIZED = "tests/"
NOT_OF_TESTS = ",-clang-analyzer-*,-bugprone-implicit-widening-of-multiplication-result"
CLEAN = "tools/tidy.clean"
SPOT_CHECKS = 6
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)
IMPORT = re.compile(r'^\s*import\s+"([^"]+)"', re.M)
NOLINT = re.compile(r"NOLINT(NEXTLINE|BEGIN)?(?!END)\b")
NOLINT_GOOD = re.compile(r"NOLINT(NEXTLINE|BEGIN)?\([a-z0-9.,* -]+\): \S+")


def our_files():
    out = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "*.cc"], stdout=subprocess.PIPE, text=True,
                         check=True).stdout
    return [f for f in out.split() if os.path.exists(f)]


def flags_of(arguments):
    """The arguments without the compiler, source and outputs, and without what makes no difference here but would keep files
    apart: the version stamps of tools/bazel_rules/system_deps.bzl, folders without headers, how code is generated."""
    kept = []
    skip = False
    for a, following in zip(arguments[1:], arguments[2:] + [""]):
        if skip:
            skip = False
        elif a in ("-c", "-o", "-MF") or (a == "-iquote" and "external/" in following):
            skip = True
        elif a not in ("-MD", "-mpopcnt", "-fvisibility=hidden") and not a.startswith("-DSYSDEP_"):
            kept.append(a)
    return tuple(kept)


def own_names(path):
    """What a second file of the same batch must not define otherwise, as {name: what it is}: macros, and with their namespace
    the names of anonymous namespaces and static ones. An alias may be repeated."""
    names = {}
    anonymous = False
    space = ""
    with open(path) as f:
        for line in f:
            if line.startswith("namespace {"):
                anonymous = True
            elif re.match(r"namespace [\w:]+ {", line):
                space = line.split()[1] + "::"
            elif line.startswith("}  // namespace"):
                anonymous = False
            elif line.startswith("#define"):
                names[re.split(r"\W", line.split()[1])[0]] = path
            elif line.startswith(("namespace ", "using namespace ", "TEST_CASE", "INSTANTIATE")):
                pass  # a test's name is made by a counter
            elif line.startswith("using "):
                m = re.match(r"using (\w+) =", line)
                if m and anonymous:
                    names[space + m[1]] = line
            elif line.startswith("static ") or (anonymous and line[0] not in " }#/\n"):
                m = re.match(r"(?:struct|class|enum class|enum|union)\s+(\w+)", line)
                m = m or re.search(r"(\w+)\s*[(=\[{;]", re.sub(r"<[^()]*>", "", line))
                if m:
                    names[space + m[1]] = path
    return names


def depth(path):
    """How thoroughly the analyzer looks at a file; those of a batch have the same."""
    if path.startswith(SANITIZED):
        return 0
    return 2 if path.startswith(THOROUGH) and not path.startswith(FUZZED) else 1


def batches(files, most_lines):
    """Lists of files of some lines each, in the order given; none has two files with a name in common."""
    made = []  # [files, names, lines]
    for f in files:
        names = own_names(f)
        with open(f) as text:
            lines = sum(1 for _ in text)
        for b in made:
            if b[2] + lines <= most_lines and all(b[1].get(n, d) == d for n, d in names.items()):
                break
        else:
            b = [[], {}, 0]
            made.append(b)
        b[0].append(f)
        b[1].update(names)
        b[2] += lines
    return [b[0] for b in sorted(made, key=lambda b: -b[2])]


def check(files, flags, checks, folder):
    """The findings of these files, as lines."""
    thorough = ALL_FUNCTIONS if depth(files[0]) == 2 else []
    with tempfile.NamedTemporaryFile("w", dir=folder, prefix="UnifiedSource-", suffix=".cc") as f:
        for number, name in enumerate(files):
            for entry in ENTRIES:
                f.write("#undef %s\n#define %s %s_%d\n" % (entry, entry, entry, number))
            f.write('#include "%s"\n' % os.path.join(ROOT, name))
        f.flush()
        try:
            p = subprocess.run(
                ["clang-tidy-16", "--quiet", "--header-filter=" + OURS, "--checks=" + checks,
                 "--config-file=.clang-tidy", f.name, "--", *flags, *thorough],
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", timeout=MOST_SECONDS)
        except subprocess.TimeoutExpired:
            p = subprocess.CompletedProcess([], -1, "more than %d s" % MOST_SECONDS)
    if len(files) > 1 and ("[clang-diagnostic-error]" in p.stdout or p.returncode not in (0, 1)):
        half = len(files) // 2
        return check(files[:half], flags, checks, folder) + check(files[half:], flags, checks, folder)
    found = [line for line in p.stdout.splitlines()
             if re.search(r": (warning|error): .*\[[\w.,-]+\]$", line) and "bazel-out/" not in line.split(": ")[0]]
    if p.returncode not in (0, 1) or (p.returncode and not found):
        found.append("%s: error: clang-tidy-16 ended with exit status %d: %s" % (
            " ".join(files), p.returncode, p.stdout.strip()[-500:]))
    return found


@functools.lru_cache(None)
def reached(path):
    """(the digest of a file of ours, the files of ours that it includes), or None for what is not ours."""
    schema = re.sub(r"\.pb\.h$", ".proto", path)
    for name in (path, schema):
        if os.path.isfile(name):
            with open(name, encoding="utf-8", errors="replace") as f:
                text = f.read()
            pattern = IMPORT if name.endswith(".proto") else INCLUDE
            return hashlib.sha256(text.encode()).hexdigest(), tuple(pattern.findall(text))
    return None


@functools.lru_cache(None)
def configuration():
    with open(".clang-tidy") as f:
        return "%s %s %s %s %s" % (f.read(), CHECKS, OPTIONALS, NOT_OF_TESTS, ALL_FUNCTIONS)


def digest(path):
    """Of all that the findings of this file depend on, but for the system's headers and the compiler."""
    seen, ahead = {}, [path]
    while ahead:
        name = ahead.pop()
        if name in seen:
            continue
        found = reached(name)
        seen[name] = found and found[0]
        ahead += found[1] if found else ()
    text = configuration() + "".join("%s %s\n" % item for item in sorted(seen.items()) if item[1])
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def read_clean():
    """{path: digest} of the files that had no finding."""
    if not os.path.exists(CLEAN):
        return {}
    with open(CLEAN) as f:
        return {path: d for d, path in (line.split() for line in f if not line.startswith("#"))}


def write_clean(clean):
    present = set(our_files())
    with open(CLEAN + ".part", "w") as f:
        f.write("# Files in which clang-tidy-16 found nothing, and what it looked at (tools/tidy.py).\n")
        f.writelines("%s %s\n" % (clean[path], path) for path in sorted(clean) if path in present)
    os.replace(CLEAN + ".part", CLEAN)


def chosen(clean):
    """Files to check although nothing has changed."""
    head = subprocess.run(["git", "rev-parse", "HEAD"], stdout=subprocess.PIPE, text=True, check=False).stdout
    return set(random.Random(head).sample(sorted(clean), min(SPOT_CHECKS, len(clean))))


def suppressions(files):
    """NOLINTs that do not say which checks and why."""
    found = []
    for path in files:
        with open(path) as f:
            for number, line in enumerate(f, 1):
                if NOLINT.search(line) and not NOLINT_GOOD.search(line):
                    found.append('%s:%d: warning: a suppression is written "NOLINT(check): reason"' % (path, number))
    return found


def main(argv):
    os.chdir(ROOT)
    options = {a for a in argv if a.startswith("-")}
    if options - {"--all", "--count"}:
        sys.exit("tools/tidy.py: unknown option; there are --all and --count")
    argv = [a for a in argv if not a.startswith("-")]
    clean = read_clean()
    if "--all" not in options and not argv:
        known = {f for f in our_files() if clean.get(f) == digest(f)}
        skipped = known - chosen(known)
    else:
        skipped = set()
    if "--count" in options:
        print(len(set(our_files()) - skipped))
        return 0
    with open("compile_commands.json") as f:
        commands = {c["file"]: flags_of(c["arguments"]) for c in json.load(f)}
    wanted = [os.path.relpath(f) for f in argv] or our_files()
    findings = ["%s:1: error: no Bazel target compiles this file" % f for f in wanted if f not in commands]
    headers = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "*.h"], stdout=subprocess.PIPE, text=True,
                             check=True).stdout.split() if not argv else []
    findings += suppressions(wanted + [h for h in headers if os.path.exists(h)])

    groups = collections.defaultdict(list)
    for f in wanted:
        if f in commands and f not in skipped:
            groups[(depth(f), commands[f])].append(f)
    work = []  # arguments of check()
    for (thoroughness, flags), files in sorted(groups.items()):
        tests = thoroughness == 0
        for b in batches(sorted(files), BATCH_LINES[thoroughness]):
            work.append((b, flags, CHECKS + (NOT_OF_TESTS if tests else "")))
        for b in batches(sorted(files), SMALL_LINES) if not tests else []:
            work.append((b, flags, "-*," + OPTIONALS))
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        here = re.compile("^(%s/|\\./)" % re.escape(ROOT))
        told = set()  # that of a header comes with several batches
        checked, unclean = set(), set()
        before = {f: digest(f) for w in work for f in w[0]}
        results = zip(work, pool.map(lambda w: check(*w, folder), work))
        for w, lines in itertools.chain([(None, findings)], results):
            if w:
                (unclean if lines else checked).update(w[0])
            for line in sorted({here.sub("", line) for line in lines} - told):
                print(line, flush=True)
                told.add(line)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    clean = {path: d for path, d in clean.items() if path not in unclean}
    clean.update({f: before[f] for f in checked - unclean})
    write_clean(clean)
    print("clang-tidy: %d files, %d of them unchanged since they had no finding, %d findings, %d s of one core" % (
        len(wanted), len(skipped), len(told), used.ru_utime + used.ru_stime))
    return 1 if told else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
