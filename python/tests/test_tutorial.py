"""The pieces of Python in docs/tutorial.md: each prints what the page shows below it."""

import contextlib
import io
import os
import pathlib
import re
import shutil
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")


def section(heading):
    """Returns the code of a section, and what it prints."""
    text = PAGE.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    found = re.findall(r"```python\n(.*?)```\s*```text\n(.*?)```", text, re.DOTALL)
    assert len(found) == text.count("```python") == 1
    return found[0]


def check(heading, monkeypatch):
    """Runs the code of a section, and returns its variables."""
    code, shown = section(heading)
    monkeypatch.chdir(ROOT)
    names, printed = {"__name__": heading}, io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, heading, "exec"), names)
    assert printed.getvalue() == shown
    return names


def test_all_code_is_run():
    headings = re.findall(r"^## (.*)$", PAGE, re.MULTILINE)
    with_code = [heading for heading in headings if "```python" in PAGE.split(f"\n## {heading}\n")[1].split("\n## ")[0]]
    assert with_code == ["A table in DuckDB", "A table in Spark"]


def test_duckdb(monkeypatch):
    pytest.importorskip("duckdb")
    pytest.importorskip("pyarrow")
    check("A table in DuckDB", monkeypatch)


def test_spark(monkeypatch):
    pytest.importorskip("pyspark")
    pytest.importorskip("pyarrow")
    if shutil.which("java") is None:
        pytest.skip("there is no Java")
    monkeypatch.setitem(os.environ, "PYSPARK_PYTHON", sys.executable)
    check("A table in Spark", monkeypatch)["spark"].stop()
