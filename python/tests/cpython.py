"""Runs CPython's own tests of codecs with charpipe's search function in front of Python's.

    python python/tests/cpython.py [MODULE]...

Counts the tests in which a codec of charpipe did the work. A test of these that fails has to be in cpython-differences.txt,
with the reason. Prints what is not there, and exits with 1 if there is any, or if fewer than 92 % of the tests succeed.
With --list it prints every failure. Needs a Python that has its tests (`import test.test_codecs`).
"""

import codecs
import encodings
import io
import os
import sys
import unittest

import charpipe
from charpipe import _charpipe

MODULES = """
    test_codecencodings_cn test_codecencodings_hk test_codecencodings_iso2022 test_codecencodings_jp
    test_codecencodings_kr test_codecencodings_tw test_multibytecodec test_codecs test_codeccallbacks test_io
    test_charmapcodec
""".split()

# Of test_io only what has to do with text.
CLASSES_OF_IO = ("TextIOWrapper", "IncrementalNewlineDecoder", "StatefulIncrementalDecoder")

DIFFERENCES = os.path.join(os.path.dirname(__file__), "cpython-differences.txt")

# The forms of Unicode have conventions of Python's own: UTF-16 in the order of the machine, byte order marks, lone
# surrogates. The package leaves them to Python always.
NOT_OURS = ("utf", "u8", "u16", "u32", "unicode")

# What Python means by a name, where the web means a superset and there is the smaller charset too.
PYTHON_MEANS = {"gb2312": "glibc-EUC_CN-2.3.3"}

worked = 0


class Counted:
    """A codec that counts how often it is used."""

    def __init__(self, info):
        self.info = info

    def of(self, name):
        made = getattr(self.info, name)

        def used(*args, **named):
            global worked
            worked += 1
            return made(*args, **named)

        return used

    def counted(self):
        class StreamReader(self.info.streamreader):
            def __init__(this, *args, **named):
                global worked
                worked += 1
                super().__init__(*args, **named)

        class StreamWriter(self.info.streamwriter):
            def __init__(this, *args, **named):
                global worked
                worked += 1
                super().__init__(*args, **named)

        return codecs.CodecInfo(
            name=self.info.name,
            encode=self.of("encode"),
            decode=self.of("decode"),
            incrementalencoder=self.of("incrementalencoder"),
            incrementaldecoder=self.of("incrementaldecoder"),
            streamreader=StreamReader,
            streamwriter=StreamWriter,
        )


def search(name):
    if name.startswith("charpipe_"):
        return charpipe.lookup(name[len("charpipe_"):])
    if name.startswith(NOT_OURS):
        return None
    try:
        info = charpipe.lookup(PYTHON_MEANS.get(name, name))
        return Counted(info).counted()
    except LookupError:
        return None


class Result(unittest.TestResult):
    """Notes for each test whether charpipe worked in it."""

    def __init__(self):
        super().__init__()
        self.ran, self.ours, self.bad = 0, set(), {}

    def startTest(self, test):
        super().startTest(test)
        self.ran += 1
        self.before = worked

    def stopTest(self, test):
        super().stopTest(test)
        if worked > self.before:
            self.ours.add(test.id())

    def note(self, test, error):
        test = getattr(test, "test_case", test)
        kind, value, _ = error
        self.bad[test.id()] = f"{kind.__name__}: {value}".splitlines()[0][:160]

    def addError(self, test, error):
        self.note(test, error)

    addFailure = addError

    def addSubTest(self, test, subtest, error):
        if error is not None:
            self.note(test, error)


def tests(module):
    for suite in unittest.defaultTestLoader.loadTestsFromName(f"test.{module}"):
        if module != "test_io":
            yield suite
        else:
            for test in suite:
                if any(name in type(test).__name__ for name in CLASSES_OF_IO):
                    yield test


def listed():
    with open(DIFFERENCES, encoding="utf-8") as file:
        rows = [line.split(None, 1) for line in file if line.strip() and not line.startswith("#")]
    return {name: reason.strip() for name, reason in rows}


def main():
    modules = [name for name in sys.argv[1:] if not name.startswith("-")] or MODULES
    charpipe.unregister()
    codecs.unregister(encodings.search_function)
    codecs.register(search)
    codecs.register(encodings.search_function)
    known, total, passed, unknown = listed(), 0, 0, {}
    for module in modules:
        result = Result()
        try:
            suite = unittest.TestSuite(tests(module))
        except ImportError as error:
            print(f"skipped: {error}")
            return 0
        # Some tests print.
        out, sys.stdout = sys.stdout, io.StringIO()
        err, sys.stderr = sys.stderr, io.StringIO()
        try:
            suite.run(result)
        finally:
            sys.stdout, sys.stderr = out, err
        bad = {name: why for name, why in result.bad.items() if name in result.ours}
        total, passed = total + len(result.ours), passed + len(result.ours) - len(bad)
        unknown |= {name: why for name, why in bad.items() if name not in known}
        print(f"{module}: {result.ran} tests, charpipe worked in {len(result.ours)}, {len(bad)} of these fail", flush=True)
        if "--list" in sys.argv:
            for name, why in sorted(bad.items()):
                print(f"    {name}  {why}")
    share = passed / max(total, 1)
    print(f"charpipe worked in {total} tests; {passed} succeed, {share:.1%}")
    for name, why in sorted(unknown.items()):
        print(f"not in {os.path.basename(DIFFERENCES)}: {name}  {why}")
    is_listed_version = sys.version_info[:2] == (3, 11)
    return int((is_listed_version and bool(unknown)) or share < 0.92)


if __name__ == "__main__":
    sys.exit(main())
