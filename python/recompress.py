"""Compresses a wheel again, as small as DEFLATE can make it: 6 % less to download.

    python python/recompress.py WHEEL

Needs the package zopflipy, takes a minute, and replaces the file. What is in it stays as it is.
"""

import os
import sys
import zipfile

from zopfli import ZOPFLI_FORMAT_DEFLATE, ZopfliCompressor


def main(path: str) -> None:
    # The only place where zipfile lets another compressor in. More blocks than by default, each with codes of its own: the
    # library is made of tables, strings and machine code.
    zipfile._get_compressor = lambda *_: ZopfliCompressor(ZOPFLI_FORMAT_DEFLATE, iterations=8, block_splitting_max=200)
    smaller = f"{path}.new"
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(smaller, "w", zipfile.ZIP_DEFLATED) as new:
        for entry in old.infolist():
            new.writestr(entry, old.read(entry))
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(smaller) as new:
        for name in old.namelist():
            if new.read(name) != old.read(name):
                raise SystemExit(f"{smaller}: {name} is not what it was")
    os.replace(smaller, path)


if __name__ == "__main__":
    main(sys.argv[1])
