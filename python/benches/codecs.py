"""Measures the wheel beside CPython's own codecs: CPU time, the best of several runs.

    python python/benches/codecs.py [MB]

Prints a table of the rates, and the bars that they have to reach. MB is the size of the texts; the default is 1.
"""

import io
import os
import subprocess
import sys
import tempfile
import time

import charpipe

MB = float(sys.argv[1]) if len(sys.argv) > 1 else 1
RUNS = 7

GERMAN = "Grüße aus Köln: der Fluß ist 3,50 Meter tief, sagt Jürgen. Übermorgen mehr.\n"
JAPANESE = "日本語の文章はこのように書きます。東京都ＡＢＣ\n漢字と仮名 ABC 123\n"


def best(run, runs=RUNS):
    times = []
    for _ in range(runs):
        begin = time.process_time()
        run()
        times.append(time.process_time() - begin)
    return min(times)


def text_of(line, encoding):
    size = len(line.encode(encoding))
    return line * int(MB * 1e6 / size)


def rates(encoding, line):
    text = text_of(line, encoding)
    data = text.encode(encoding)
    mb = len(data) / 1e6
    return mb / best(lambda: data.decode(encoding)), mb / best(lambda: text.encode(encoding))


def field(encoding):
    """Nanoseconds for a field of 24 bytes."""
    data = ("Jürgen" + " " * 18).encode(encoding)
    count = 100_000

    def run():
        for _ in range(count):
            data.decode(encoding)

    return best(run) / count * 1e9


def lines(open_it, path):
    def run():
        with open_it(path) as file:
            for _ in file:
                pass

    return os.path.getsize(path) / 1e6 / best(run, 3)


def import_ms():
    code = "import time, io, codecs; t = time.process_time(); import charpipe; print(time.process_time() - t)"
    return min(float(subprocess.check_output([sys.executable, "-c", code])) for _ in range(9)) * 1e3


def main():
    charpipe.names()
    rows, bars = [], []
    for name, line in [("cp037", GERMAN), ("cp500", GERMAN), ("cp1140", GERMAN + "€"), ("cp1252", GERMAN + "€"),
                       ("cp037", "Hello, world. " * 5 + "\n")]:
        theirs, ours = rates(name, line), rates(f"charpipe-{name}", line)
        rows.append((name, *theirs, *ours))
        if name in ("cp037", "cp500"):
            what = f"{name}, {'German' if line == GERMAN else 'ASCII'}"
            bars.append((f"{what}, decode / CPython", ours[0] / theirs[0], 3, "x"))
            bars.append((f"{what}, encode / CPython", ours[1] / theirs[1], 5, "x"))
    for name, line in [("ibm-1047", GERMAN), ("ibm-1025", "Это русский текст, 42.\n"), ("ibm-939", JAPANESE),
                       ("ibm-1399", JAPANESE), ("ibm-937", "中文的文章 ABC\n")]:
        rows.append((name, None, None, *rates(name, line)))
    decode, encode = rows[-3][3:]
    bars += [("ibm-939 decode, MB/s", decode, 300, ""), ("ibm-939 encode, MB/s", encode, 250, "")]
    for name in ("ibm-1047", "charpipe-cp037"):
        bars.append((f"24 bytes of {name}, ns", field(name), -600, ""))
    print(f"24 bytes of cp037 by CPython: {field('cp037'):.0f} ns; of ibm-939: {field_939():.0f} ns")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "lines")
        with open(path, "w", encoding="cp500", newline="\n") as file:
            file.write(text_of(GERMAN, "cp500"))
        theirs = lines(lambda path: open(path, encoding="cp500"), path)
        ours = lines(lambda path: charpipe.open(path, encoding="cp500"), path)
        detected = lines(lambda path: charpipe.open(path, encoding="cp500", eol="keep"), path)
    rows.append(("lines of cp500", theirs, None, ours, None))
    rows.append(("lines by a stream", theirs, None, detected, None))
    bars.append(("lines of cp500 / CPython", ours / theirs, 1.5, "x"))
    bars.append(("import, ms", import_ms(), -3, ""))
    show = lambda value: "" if value is None else f"{value:8.0f}"
    print("MB/s of the encoded form; CPython, charpipe\n\n| codec | decode | encode | decode | encode |\n|---|---|---|---|---|")
    for name, *values in rows:
        print(f"| {name} | " + " | ".join(map(show, values)) + " |")
    print("\n| bar | measured | wanted | |\n|---|---|---|---|")
    for name, value, bar, unit in bars:
        met = value >= bar if bar > 0 else value <= -bar
        print(f"| {name} | {value:.1f}{unit} | {'>=' if bar > 0 else '<='} {abs(bar)}{unit} | {'ok' if met else 'MISSED'} |")


def field_939():
    data = ("日本語" + " " * 16).encode("ibm-939")
    return best(lambda: [data.decode("ibm-939") for _ in range(50_000)]) / 50_000 * 1e9


main()
