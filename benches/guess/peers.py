#!/usr/bin/env python3
"""Asks other detectors for the encoding of each sample in a folder, and prints whether each answer is right.

    peers.py FOLDER

FOLDER has NAME.bin, the sample, and NAME.txt, its text in UTF-8. A line of the output has the name, the detector, and
`right`, `unknown` or `wrong`. Right means that the sample, decoded as the answer says, is the text.
"""

import importlib
import importlib.metadata
import pathlib
import shutil
import subprocess
import sys


def chardet(data):
    return importlib.import_module("chardet").detect(data)["encoding"]


def cchardet(data):
    return importlib.import_module("cchardet").detect(data)["encoding"]


def charset_normalizer(data):
    best = importlib.import_module("charset_normalizer").from_bytes(data).best()
    return best and best.encoding


def file(data):
    run = subprocess.run(["file", "-b", "--mime-encoding", "-"], input=data, capture_output=True, check=True)
    answer = run.stdout.decode().strip()
    return None if answer in ("binary", "unknown-8bit", "ebcdic") else answer


def uchardet(data):
    answer = subprocess.run(["uchardet"], input=data, capture_output=True, check=True).stdout.decode().strip()
    return None if answer == "unknown" else answer


def decoded(data, name):
    """The text, by Python's codec of that name or else by iconv; None if there is none or the data does not fit."""
    try:
        return data.decode(name)
    except LookupError:
        pass
    except (UnicodeError, ValueError):
        return None
    run = subprocess.run(["iconv", "-f", name, "-t", "UTF-8"], input=data, capture_output=True, check=False)
    return run.stdout.decode() if run.returncode == 0 else None


def verdict(detect, data, text):
    try:
        name = detect(data)
    except Exception as error:  # A detector that fails has no answer.
        print(f"{detect.__name__}: {error}", file=sys.stderr)
        name = None
    if not name:
        return "unknown"
    found = decoded(data, name)
    return "right" if found is not None and found.lstrip("\ufeff") == text else "wrong"


def main():
    detectors = []
    for detect, package in (chardet, "chardet"), (charset_normalizer, "charset-normalizer"), (cchardet, "faust-cchardet"):
        try:
            version = importlib.metadata.version(package)
            importlib.import_module(detect.__name__)
        except ImportError:
            continue
        detectors.append((f"{package} {version}", detect))
    detectors += [(tool.__name__, tool) for tool in (uchardet, file) if shutil.which(tool.__name__)]
    for path in sorted(pathlib.Path(sys.argv[1]).glob("*.bin")):
        data, text = path.read_bytes(), path.with_suffix(".txt").read_bytes().decode()
        for name, detect in detectors:
            print(path.stem, name, verdict(detect, data, text), sep="\t")


main()
