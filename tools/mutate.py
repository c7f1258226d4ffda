#!/usr/bin/env python3
"""Makes one small change in a source file at a time and lists the changes that no test notices.

    mutate.py FILE… [--count N] [--seed S] [--list] [--resume] [--survivors] [--jobs N]

A change (tools/mutations.py) flips a comparison, exchanges + and - or * and /, drops a term, a factor or a statement,
exchanges min and max, && and ||, true and false, negates a condition, or changes a whole number by one. Each is compiled and
run against the tests of the file's room (those of `query` too, if the file belongs to `geometry`). Its fate is one of

    killed      a test fails, crashes or hangs
    not built   the compiler rejects it
    equal       the same machine code
    excused     listed in tools/mutate_equivalent.txt, with the reason why the answers stay right
    survived    a test is missing, or the code does nothing

The working tree is never touched: a changed file lives in a folder below build/mutate that the compiler searches first, its
object is linked before the library of build/release. A changed header is compiled into one source that includes it, the
first whose code it changes. Fates are kept in build/mutate/results.jsonl: --resume skips what is there for the same text of
the file, --survivors tests survivors again. Exit code 1 if anything survived.

Tests run on a tenth of their cases unless GRAZE_TEST_SCALE says otherwise: survivors are worth a second look with more.
"""

import argparse
import collections
import concurrent.futures
import hashlib
import json
import os
import pathlib
import queue
import re
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time

import mutations

ROOT = pathlib.Path(__file__).resolve().parents[1]
EXCUSES = ROOT / "tools" / "mutate_equivalent.txt"

# Lighter than the release build: answers are compared, not times. Two instruction sets of Highway are enough, and
# the solvers of pairs, which take most of the time to compile, are shared as in sanitized builds (SHARED has them).
FLAGS = ["-w", "-Wno-error", "-O1", "-frandom-seed=0", "-DGRAZE_SANITIZED=1", "-UHWY_DISABLED_TARGETS",
         "-DHWY_DISABLED_TARGETS=(HWY_SSSE3|HWY_SSE4|HWY_AVX3|HWY_AVX3_DL)"]
SHARED = ["src/query/solvers_flat.cpp", "src/query/solvers_curved.cpp"]
PROGRAMS = {"geometry": ["graze_test_geometry", "graze_test_query"]}
QUICK, MEDIUM = 0.03, 0.3  # seconds of a test: quick ones run first
MEMORY_KB = 8 << 20        # of a test program that a change may have made run away


def run(command, **options):
    return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False, **options).returncode


class Tree:
    """The release build: how its sources are compiled and its test programs linked, and what includes what."""

    def __init__(self, folder):
        self.folder = folder
        self.entries = {}
        self.includers = None
        for entry in json.loads((folder / "compile_commands.json").read_text(encoding="utf-8")):
            self.entries[os.path.relpath(entry["file"], ROOT)] = shlex.split(entry["command"])

    def read_includes(self):
        self.includers = collections.defaultdict(set)
        log = subprocess.run(["ninja", "-C", str(self.folder), "-t", "deps"], capture_output=True, text=True, check=True).stdout
        source = None
        for line in log.splitlines():
            if line and not line.startswith(" "):
                source = None
            elif line:
                path = os.path.relpath(self.folder / line.strip(), ROOT)
                source = source or path
                self.includers[path].add(source)

    def units(self, path):
        """The sources that a change of the file may be compiled into, the best one first."""
        if path.endswith(".cpp"):
            return [path]
        own = os.path.dirname(path).replace("include/graze", "src")
        units = [unit for unit in self.includers[path] if unit.startswith("src/") and unit in self.entries]
        first = SHARED + [f"src/query/{verb}.cpp" for verb in ("distance", "contacts", "collide")]
        return sorted(units, key=lambda unit: (os.path.dirname(unit) != own, (first + [unit]).index(unit), unit))

    def shared(self, unit):
        """What a source needs beside the library."""
        needed = unit in self.includers["src/query/gjk.h"]
        return [other for other in SHARED if needed and other != unit and other in self.entries]

    def link_command(self, program):
        text = subprocess.run(["ninja", "-C", str(self.folder), "-t", "commands", f"bin/{program}"], capture_output=True,
                              text=True, check=True).stdout.splitlines()[-1]
        return shlex.split(text.removeprefix(": && ").removesuffix(" && :"))


class Tests:
    """A test program as it is: how long each test takes, in groups from quick to slow."""

    def __init__(self, tree, program, wanted, folder, say):
        self.program = program
        say(f"mutate: building {program}")
        if run(["ninja", "-C", str(tree.folder), program]) != 0:
            sys.exit(f"mutate: {program} does not build as it is")
        # Objects of its own, so that tests may be written and built while changes are tried.
        kept = folder / "objects" / program
        shutil.rmtree(kept, ignore_errors=True)
        kept.mkdir(parents=True)
        self.command = tree.link_command(program)
        for at, argument in enumerate(self.command):
            if argument.endswith((".o", ".a")) and not os.path.isabs(argument):
                self.command[at] = str(kept / argument.replace("/", "+"))
                shutil.copyfile(tree.folder / argument, self.command[at])
        report = folder / f"{program}.json"
        # The times of an earlier run are good enough while the program is the same.
        binary = tree.folder / "bin" / program
        if not report.exists() or report.stat().st_mtime < binary.stat().st_mtime:
            say(f"mutate: running {program} as it is")
            part = report.with_suffix(".part")
            run([str(binary), f"--gtest_output=json:{part}"], cwd=ROOT, env=environment())
            part.rename(report)
        self.seconds, failing = {}, []
        for suite in json.loads(report.read_text(encoding="utf-8"))["testsuites"]:
            for test in suite["testsuite"]:
                name = f"{suite['name']}.{test['name']}"
                if test.get("failures"):
                    failing.append(name)
                elif not wanted or re.search(wanted, name):
                    self.seconds[name] = float(test["time"].rstrip("s"))
        if failing:
            say(f"mutate: left out, since they fail without a change: {' '.join(failing)}")

    def group(self, low, high):
        return [name for name, seconds in self.seconds.items() if low <= seconds < high]


def environment():
    return {"GRAZE_TEST_SCALE": "0.1", **os.environ}


class Worker:
    """A folder in which changes are compiled, linked and tested, one at a time."""

    def __init__(self, folder, tree):
        self.folder, self.tree = folder, tree
        self.overlay = folder / "overlay"
        folder.mkdir(parents=True, exist_ok=True)

    def write(self, path, text):
        target = self.overlay / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")

    def clear(self, path):
        (self.overlay / path).unlink(missing_ok=True)

    def compile(self, unit, output, precompiled, overlay="overlay"):
        """Compiles a source with the overlay before everything else. Returns a digest of the object, or nothing."""
        command = [argument for argument in self.tree.entries[unit] if argument not in ("-Werror", "-Winvalid-pch")]
        at = command.index("-o")
        command = command[:at]
        at = command.index("-include") if "-include" in command else None
        if at is not None and precompiled:
            command[at + 1] = str(precompiled)
        changed = self.overlay / unit
        source = os.path.relpath(changed, self.folder) if changed.exists() else str(ROOT / unit)
        command[1:1] = [f"-I{overlay}/src", f"-I{overlay}/include"]
        if run([*command, *FLAGS, "-o", str(output), "-c", source], cwd=self.folder) != 0:
            return None
        return hashlib.sha256(output.read_bytes()).hexdigest()

    def link(self, tests, objects):
        program = self.folder / tests.program
        command = list(tests.command)
        command[command.index("-o") + 1] = str(program)
        command[1:1] = [str(item) for item in objects]
        return run([*command, "-fuse-ld=gold"], cwd=self.tree.folder) == 0 or run(command, cwd=self.tree.folder) == 0

    def failing(self, tests, names):
        """The first of the tests that fails, crashes or hangs, or nothing."""
        limit = 8 * sum(tests.seconds[name] for name in names) + 15
        script = f'ulimit -c 0 -v {MEMORY_KB}; exec "$@"'
        command = ["sh", "-c", script, "sh", str(self.folder / tests.program), "--gtest_fail_fast",
                   f"--gtest_filter={':'.join(names)}"]
        log = self.folder / "output.txt"
        # In a session of its own, so that what hangs can be ended with its children.
        with open(log, "wb") as output, subprocess.Popen(command, cwd=ROOT, env=environment(), stdout=output,
                                                         stderr=subprocess.STDOUT, start_new_session=True) as process:
            try:
                passed = process.wait(timeout=limit) == 0
            except subprocess.TimeoutExpired:
                passed = False
            finally:
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)
        if passed:
            return None
        text = log.read_text(encoding="utf-8", errors="replace")
        # Without a failure in the output the program crashed or hung in the test that started last.
        failed = re.findall(r"^\[  FAILED  \] (\w\S*\.[^\s,]+)", text, re.M)
        failed = failed or re.findall(r"^\[ RUN      \] (\S+)", text, re.M)[-1:]
        return failed[0] if failed else names[0]


class Examination:
    """The changes of all files, and what became of them."""

    def __init__(self, options):
        self.options = options
        self.folder = (ROOT / options.folder).resolve()
        (self.folder / "shared").mkdir(parents=True, exist_ok=True)
        self.results = self.folder / "results.jsonl"
        self.tree = Tree((ROOT / options.build).resolve())
        self.tests, self.killers, self.references = {}, collections.defaultdict(list), {}
        self.lock = threading.Lock()
        self.records = []
        self.precompiled = {}
        self.confirmed, self.shared = set(), set()

    def say(self, text):
        with self.lock:
            print(text, flush=True)

    def tests_of(self, path):
        room = pathlib.PurePath(path).parts[1] if path.startswith("src/") else pathlib.PurePath(path).parts[2]
        programs = self.options.target or PROGRAMS.get(room, [f"graze_test_{room}"])
        for program in programs:
            if program not in self.tests:
                self.tests[program] = Tests(self.tree, program, self.options.tests, self.folder, self.say)
        return [self.tests[program] for program in programs]

    def precompile(self, unit):
        """The precompiled header of a source, rebuilt with the lighter flags."""
        command = self.tree.entries[unit]
        if "-include" not in command:
            return None
        at = command.index("-include")
        header = command[at + 1]
        if header not in self.precompiled:
            copy = self.folder / f"pch{len(self.precompiled)}.h"
            copy.write_text(pathlib.Path(header).read_text(encoding="utf-8"), encoding="utf-8")
            rest = [item for item in command[:command.index("-o")] if item not in ("-include", header, "-Werror")]
            made = run([*rest, *FLAGS, "-x", "c++-header", "-o", f"{copy}.gch", "-c", str(copy)], cwd=self.folder) == 0
            self.precompiled[header] = copy if made else None
        return self.precompiled[header]

    def reference(self, worker, path, unit, original):
        """The digest of a source compiled with the same flags without a change."""
        with self.lock:
            precompiled = self.precompile(unit)
            key = (path, unit)
            if key not in self.references:
                worker.write(path, original)
                self.references[key] = worker.compile(unit, self.object_of(unit), precompiled)
        return self.references[key], precompiled

    def fate(self, worker, path, original, change):
        worker.write(path, mutations.applied(original, change))
        output, fate = worker.folder / "unit.o", "equal"
        for unit in self.tree.units(path):
            before, precompiled = self.reference(worker, path, unit, original)
            worker.write(path, mutations.applied(original, change))
            after = worker.compile(unit, output, precompiled)
            if after is None:
                return "not built", None
            if after != before:
                fate = "changed"
                break
        if fate == "equal":
            return fate, None
        linked, shared = set(), self.shared_objects(worker, unit)
        for tests, names in self.groups(path):
            if tests.program not in linked and not worker.link(tests, [output, *shared]):
                return "not built", None
            linked.add(tests.program)
            killer = worker.failing(tests, names)
            if killer:
                self.confirm(worker, tests, unit, killer)
                with self.lock:
                    known = self.killers[path, tests.program]
                    if killer in known:
                        known.remove(killer)
                    known.insert(0, killer)
                return "killed", killer
        return "survived", None

    def confirm(self, worker, tests, unit, killer):
        """A test that fails with a change must pass without it, compiled and linked with the same flags."""
        with self.lock:
            new = (unit, killer) not in self.confirmed
            self.confirmed.add((unit, killer))
        if new and killer in tests.seconds:
            objects = [self.object_of(unit), *self.shared_objects(worker, unit)]
            if not worker.link(tests, objects) or worker.failing(tests, [killer]):
                raise RuntimeError(f"{killer} fails with {unit} as it is, compiled with {' '.join(FLAGS)}")

    def shared_objects(self, worker, unit):
        with self.lock:
            for other in self.tree.shared(unit):
                if other not in self.shared:
                    self.shared.add(other)
                    worker.compile(other, self.folder / "shared" / self.object_of(other).name, self.precompile(other),
                                   overlay="unchanged")
        return [self.folder / "shared" / self.object_of(other).name for other in self.tree.shared(unit)]

    def object_of(self, unit):
        return self.folder / (unit.replace("/", "+") + ".o")

    def groups(self, path):
        """Tests in the order in which they are tried: what killed other changes of the file, then from quick to slow."""
        programs = self.tests_of(path)
        for tests in programs:
            with self.lock:
                known = [name for name in self.killers[path, tests.program][:6] if name in tests.seconds]
            if known:
                yield tests, known
        for low, high in ((0, QUICK), (QUICK, MEDIUM), (MEDIUM, 1e9)):
            for tests in programs:
                names = tests.group(low, high)
                if names:
                    yield tests, names

    def examine(self, task):
        path, original, change, workers = task
        worker = workers.get()
        start = time.monotonic()
        try:
            fate, killer = self.fate(worker, path, original, change)
        finally:
            worker.clear(path)
            workers.put(worker)
        before, after = mutations.lines(original, change)
        record = {"file": path, "line": change.line + 1, "before": before, "after": after, "fate": fate, "killer": killer,
                  "text": digest(original), "column": change.start, "seconds": round(time.monotonic() - start, 1)}
        with self.lock:
            self.records.append(record)
            with open(self.results, "a", encoding="utf-8") as results:
                results.write(json.dumps(record) + "\n")
        if fate == "survived":
            self.say(f"survived  {described(record)}")
        return record

    def known(self):
        """What is known of changes from earlier runs, the latest record of each."""
        found = {}
        if self.results.exists():
            for line in self.results.read_text(encoding="utf-8").splitlines():
                record = json.loads(line)
                found[identity(record)] = record
        return found


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def identity(record):
    return record["file"], record["text"], record["line"], record["column"], record["after"]


def described(record):
    return f"{record['file']}:{record['line']}: {record['before']}  ->  {record['after']}"


def excuses(text):
    """{(file, line above or None, before, after): reason} of a list like tools/mutate_equivalent.txt."""
    found, path, above, before, key = {}, None, None, None, None
    for line in text.splitlines():
        if line.startswith("#") or not line.strip():
            continue
        if line.startswith("@ "):
            above = line[2:].strip()
        elif line.startswith("- "):
            before = line[2:].strip()
        elif line.startswith("+ "):
            key, above = (path, above, before, line[2:].strip()), None
            found[key] = ""
        elif line.startswith("  "):
            found[key] = f"{found[key]} {line.strip()}".strip()
        else:
            path = line.strip()
    return found


def is_excused(excused, path, original, change):
    before, after = mutations.lines(original, change)
    above = original.split("\n")[change.line - 1].strip() if change.line > 0 else ""
    return (path, None, before, after) in excused or (path, above, before, after) in excused


def stale(excused, path, original):
    """Lines of the list that the file no longer has, or has more than once."""
    lines = [line.strip() for line in original.split("\n")]
    found = []
    for of, above, before, _ in excused:
        locations = [i for i, line in enumerate(lines) if line == before and above in (None, lines[i - 1])]
        if of == path and len(locations) != 1:
            found.append(before)
    return found


def planned(examination, options):
    """(path, original text, change) of everything requested, and what is already known."""
    excused = excuses(EXCUSES.read_text(encoding="utf-8")) if EXCUSES.exists() else {}
    known = examination.known() if examination else {}
    for name in options.files:
        if not name.is_file():
            sys.exit(f"mutate: {name}: no such file")
        path = os.path.relpath(name.resolve(), ROOT)
        if not path.startswith(("src/", "include/graze/")):
            sys.exit(f"mutate: {path}: only files below src/ and include/graze/ can be changed")
        original = name.read_text(encoding="utf-8")
        for line in stale(excused, path, original):
            print(f"mutate: {EXCUSES.name} lists a line that {path} does not have exactly once: {line}", file=sys.stderr)
        for change in mutations.chosen(original, options.count, options.seed):
            _, after = mutations.lines(original, change)
            record = known.get((path, digest(original), change.line + 1, change.start, after))
            if is_excused(excused, path, original, change):
                yield path, original, change, "excused", {"file": path, "fate": "excused"}
            elif options.survivors and not (record and record["fate"] == "survived"):
                continue
            elif options.resume and not options.survivors and record:
                yield path, original, change, record["fate"], record
            else:
                yield path, original, change, None, None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    parser.add_argument("--build", default="build/release", help="a configured build folder")
    parser.add_argument("--folder", default="build/mutate", help="where changes are compiled and fates kept")
    parser.add_argument("--target", action="append", help="a test program; that of the file's room by default")
    parser.add_argument("--tests", help="only tests whose names match this regular expression")
    parser.add_argument("--count", type=int, default=0, help="max number of changes per file, drawn at random")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--list", action="store_true", help="show the changes, test none")
    parser.add_argument("--resume", action="store_true", help="keep what is known from earlier runs")
    parser.add_argument("--survivors", action="store_true", help="only what survived earlier runs")
    parser.add_argument("--jobs", type=int, default=int(os.environ.get("GRAZE_JOBS", os.cpu_count() or 1)))
    options = parser.parse_args()

    if options.list:
        for path, original, change, _, _ in planned(None, options):
            before, after = mutations.lines(original, change)
            print(f"{path}:{change.line + 1}: {before}  ->  {after}")
        return 0

    examination = Examination(options)
    plan = list(planned(examination, options))
    for path in dict.fromkeys(path for path, *_ in plan):
        examination.tests_of(path)
    examination.tree.read_includes()
    records = [record for *_, record in plan if record]
    open_ones = [(path, original, change) for path, original, change, fate, _ in plan if not fate]
    print(f"mutate: {len(open_ones)} changes to test, {len(records)} known", flush=True)

    workers = queue.Queue()
    for number in range(options.jobs):
        workers.put(Worker(examination.folder / f"worker{number}", examination.tree))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        futures = [pool.submit(examination.examine, (*one, workers)) for one in open_ones]
        try:
            for done, future in enumerate(concurrent.futures.as_completed(futures), 1):
                records.append(future.result())
                if done % 20 == 0:
                    examination.say(f"  {done} of {len(futures)}")
        except RuntimeError as error:
            pool.shutdown(cancel_futures=True)
            sys.exit(f"mutate: {error}")
        except BaseException:
            pool.shutdown(cancel_futures=True, wait=False)
            raise

    tally = collections.defaultdict(collections.Counter)
    for record in records:
        tally[record["file"]][record["fate"]] += 1
    for path, fates in sorted(tally.items()):
        print(f"{path}: " + ", ".join(f"{count} {fate}" for fate, count in sorted(fates.items())))
    survivors = sorted((record for record in records if record["fate"] == "survived"),
                       key=lambda record: (record["file"], record["line"]))
    total = collections.Counter(record["fate"] for record in records)
    print("all: " + ", ".join(f"{count} {fate}" for fate, count in sorted(total.items())))
    for record in survivors:
        print(described(record))
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
