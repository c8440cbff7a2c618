"""Runs the blocks of a page, from top to bottom, in an empty folder: `integrations/pages.py docs/with/NAME.md`.

All `sh` blocks of a page are typed into one bash, and all `python` blocks into one session of Python, as in a notebook.
A command that fails ends the run, unless the page handles its status. A `text` block shows what the block above it
prints: both streams of a shell, but only the standard output of Python, as libraries log to the other one. A line `…`
in it stands for any lines. A block in any other language is below a comment with the name of the file that it is from:
`<!-- FILE -->`.
"""

import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading

ROOT = pathlib.Path(__file__).resolve().parents[1]
# A block may take this many seconds.
SECONDS = 600
MARK = b"\x1e"

# A program of a session reads nothing from the standard input, where the blocks come from.
SHELL = r"""
exec 9<&0 0</dev/null 2>&1
set -e
while IFS= read -r page_block <&9; do . "$page_block"; printf '\036'; done
"""
PYTHON = r"""
import json, linecache, os, sys
blocks = os.fdopen(os.dup(0))
os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
def page_run():
    for line in blocks:
        place, code = json.loads(line)
        linecache.cache[place] = len(code), None, code.splitlines(True), place
        exec(compile(code, place, "exec"), sys.modules["__main__"].__dict__)
        print(end="\x1e", flush=True)
page_run()
"""


class Failed(Exception):
    pass


class Session:
    """A bash or a Python that runs blocks."""

    def __init__(self, language, folder):
        self.language, self.folder = language, folder
        command = ["bash", "-c", SHELL] if language == "sh" else [sys.executable, "-u", "-c", PYTHON]
        self.process = subprocess.Popen(
            command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
        )

    def run(self, place, code):
        """Returns what the block prints."""
        if self.language == "sh":
            with tempfile.NamedTemporaryFile("w", suffix=".sh", delete=False) as file:
                file.write(code)
            message = file.name + "\n"
        else:
            message = json.dumps([place, code]) + "\n"
        self.process.stdin.write(message.encode())
        self.process.stdin.flush()
        watch = threading.Timer(SECONDS, self.process.kill)
        watch.start()
        printed = bytearray()
        try:
            while not printed.endswith(MARK):
                piece = os.read(self.process.stdout.fileno(), 1 << 16)
                if not piece:
                    raise Failed(f"{place}: the block fails; it printed:\n{printed.decode(errors='replace')}")
                printed += piece
        finally:
            watch.cancel()
        if self.language == "sh":
            os.unlink(file.name)
        return printed[:-1].decode()

    def end(self):
        """Ends the session and all programs that it has left running."""
        self.process.stdin.close()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            pass
        try:
            os.killpg(self.process.pid, signal.SIGTERM)
        except ProcessLookupError:
            pass
        self.process.wait()


def blocks(page):
    """Yields the line, the language, the line above and the text of each block."""
    found, above, start = None, "", 0
    for number, line in enumerate(page.read_text("utf-8").splitlines(), 1):
        if found is None and line.startswith("```"):
            found, start, language = [], number, line[3:]
            name = re.fullmatch(r"<!-- (.*) -->", above)
        elif found is not None and line == "```":
            yield start, language, name and name[1], "".join(found)
            found = None
        elif found is not None:
            found.append(line + "\n")
        above = line


def fits(shown, printed):
    pattern = "(.*\n)*".join(re.escape(part) for part in re.split(r"^…\n", shown, flags=re.MULTILINE))
    return re.fullmatch(pattern, printed) is not None


def run(page, folder):
    """Runs a page, and returns how many blocks it has run."""
    sessions, printed, count = {}, None, 0
    try:
        for line, language, name, text in blocks(page):
            place = f"{page}, line {line}"
            if language in ("sh", "python"):
                session = sessions.get(language) or sessions.setdefault(language, Session(language, folder))
                printed = session.run(place, text)
                count += 1
            elif language == "text":
                if printed is None:
                    raise Failed(f"{place}: there is no block above that prints this")
                if not fits(text, printed):
                    raise Failed(f"{place}: the block above printed:\n{printed}shown:\n{text}")
                printed = None
            elif name is None or (ROOT / name).read_text("utf-8") != text:
                raise Failed(f"{place}: a block of {language!r} that is not the file named above it")
    finally:
        for session in sessions.values():
            session.end()
    return count


def main():
    page = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        try:
            count = run(page, folder)
        except Failed as failed:
            sys.exit(str(failed))
    if count == 0:
        sys.exit(f"{page}: there is nothing to run")
    print(f"{page.relative_to(ROOT)}: {count} blocks")


if __name__ == "__main__":
    main()
