"""The pieces of Python in docs/tutorial.md: each prints what the page shows below it."""

import os
import pathlib
import re
import shutil
import subprocess
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


def check(heading):
    """Runs the code of a section as a program of its own, since the Java of Spark stays in the folder that it began in."""
    code, shown = section(heading)
    environment = {**os.environ, "PYSPARK_PYTHON": sys.executable, "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, encoding="utf-8")
    assert (done.returncode, done.stdout) == (0, shown), done.stderr


def test_all_code_is_run():
    headings = re.findall(r"^## (.*)$", PAGE, re.MULTILINE)
    with_code = [heading for heading in headings if "```python" in PAGE.split(f"\n## {heading}\n")[1].split("\n## ")[0]]
    assert with_code == ["A table in DuckDB", "A table in Spark"]


def test_duckdb():
    pytest.importorskip("duckdb")
    pytest.importorskip("pyarrow")
    check("A table in DuckDB")


def test_spark():
    pytest.importorskip("pyspark")
    pytest.importorskip("pyarrow")
    if shutil.which("java") is None:
        pytest.skip("there is no Java")
    check("A table in Spark")
