"""docs/other-programs.md with git, ripgrep, less, bat and rsync: other files than on the page, terminals, and errors.

The settings are those of the page, so that they are what is tested.
"""

import gzip
import os
import pathlib
import random
import re
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).parents[2]
PAGE = (ROOT / "docs/other-programs.md").read_text("utf-8")
ENVIRONMENT = {
    **os.environ, "LC_ALL": "C.UTF-8", "TERM": "xterm", "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1",
    **{f"GIT_{who}_{what}": "x" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
}  # fmt: skip


def run(folder, script, check=True):
    done = subprocess.run(
        ["bash", "-c", script], cwd=folder, env=ENVIRONMENT, stdin=subprocess.DEVNULL, capture_output=True
    )
    assert not check or done.returncode == 0, done.stderr.decode()
    return done if not check else done.stdout.decode()


def block(heading):
    """Returns the `sh` block of the page below the heading."""
    section = PAGE.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    return section.split("```sh\n")[1].split("```")[0]


TEXT = "Grüße aus Köln, José\nzweite Zeile: 50 %\n"
CYRILLIC = "Съешь же ещё этих мягких французских булок, да выпей чаю.\n" * 3


@pytest.fixture
def files(tmp_path):
    """A folder with one text in many encodings, and files that are not text."""
    folder = tmp_path / "try" / "mixed"
    (folder / "a folder").mkdir(parents=True)
    (folder / "utf8.txt").write_text(TEXT)
    (folder / "latin.txt").write_bytes(TEXT.encode("latin-1"))
    (folder / "utf16.txt").write_bytes(b"\xff\xfe" + TEXT.encode("utf-16-le"))
    (folder / "utf32.txt").write_bytes(b"\0\0\xfe\xff" + TEXT.encode("utf-32-be"))
    # z/OS, with NEL: byte 15.
    (folder / "a folder" / "ebcdic $(x) 'n\".txt").write_bytes(TEXT.replace("\n", "\x85").encode("cp037") * 4)
    (folder / "cyrillic.txt").write_bytes(CYRILLIC.encode("koi8-r"))
    (folder / "a.gz").write_bytes(gzip.compress(TEXT.encode(), mtime=0))
    (folder / "random").write_bytes(b"\x7fELF" + random.Random(1).randbytes(5000))
    (folder / "empty").write_bytes(b"")
    return folder


NAMES = ["a folder/ebcdic $(x) 'n\".txt", "latin.txt", "utf16.txt", "utf32.txt", "utf8.txt"]


def test_ripgrep(files):
    root = files.parent.parent
    run(root, "".join(line for line in block("ripgrep").splitlines(True) if not line.startswith("rg")))
    rg = "rg --pre try/rg-any --sort path --no-heading --color never"
    # The names, the lines, and the text of each.
    assert run(root, f"{rg} -l Köln try/mixed").splitlines() == [f"try/mixed/{name}" for name in NAMES]
    found = run(root, f"{rg} -n 'zweite Zeile: \\d+' try/mixed").splitlines()
    ebcdic, *others = NAMES
    expected = [f"try/mixed/{ebcdic}:{line}:zweite Zeile: 50 %" for line in (2, 4, 6, 8)]
    assert found == expected + [f"try/mixed/{name}:2:zweite Zeile: 50 %" for name in others]
    assert run(root, f"{rg} -c булок try/mixed") == "try/mixed/cyrillic.txt:3\n"
    # Case-insensitive search needs characters, not bytes.
    assert run(root, f"{rg} -il GRÜSSE\\|GRÜßE try/mixed").splitlines() == [f"try/mixed/{name}" for name in NAMES]
    # Nothing is found, and that is no error.
    done = run(root, f"{rg} no-such-word try/mixed", check=False)
    assert (done.returncode, done.stdout, done.stderr) == (1, b"", b"")
    # A name that begins with a hyphen.
    (files / "-q.txt").write_bytes("Größe\n".encode("latin-1"))
    assert run(files, "rg --pre ../rg-any Größe -- -q.txt") == "Größe\n"


def test_ripgrep_and_broken_files(files):
    """A file that charpipe cannot convert is named, and the others are searched."""
    root = files.parent.parent
    run(root, "".join(line for line in block("ripgrep").splitlines(True) if not line.startswith("rg")))
    (files / "broken.xml").write_bytes(b'<?xml version="1.0" encoding="no-such-page"?><a>K\xf6ln</a>')
    done = run(root, "rg --pre try/rg-any --sort path -l Köln try/mixed", check=False)
    assert done.returncode in (0, 2) and b"broken.xml" in done.stderr and b"no-such-page" in done.stderr
    assert done.stdout.decode().splitlines() == [f"try/mixed/{name}" for name in NAMES]


def screen(folder, command):
    """Returns what a command writes to a terminal, without escape sequences. It gets the key q."""
    line = f"(sleep 2; printf q) | timeout 20 script -qec {subprocess.list2cmdline([command])} /dev/null"
    shown = subprocess.run(["bash", "-c", line], cwd=folder, env=ENVIRONMENT, capture_output=True, check=False).stdout
    return re.sub(r"\x1b(\[[0-9;?]*[A-Za-z]|[=>])", "", shown.decode(errors="replace")).replace("\r", "")


def test_less(files):
    root = files.parent.parent
    setting = "".join(line for line in block("less").splitlines(True) if line.startswith("export"))
    ebcdic, *others = NAMES
    for name in others:
        assert run(root, f'{setting}less "try/mixed/{name}"') == TEXT, name
    (files / "plain-ebcdic").write_bytes((files / ebcdic).read_bytes())
    assert run(root, f"{setting}less try/mixed/plain-ebcdic") == TEXT * 4
    # What is not text is not changed.
    for name in ("a.gz", "random", "empty"):
        done = run(root, f"{setting}less try/mixed/{name}", check=False)
        assert done.stdout == (files / name).read_bytes(), name
    # A name that a shell would take for a command. less quotes it.
    shutil.copy(files / "latin.txt", files / "$(touch x) '&; \".txt")
    done = run(root, f"{setting}cd try/mixed; less '$(touch x) '\\''&; \".txt'", check=False)
    assert done.stdout.decode() == TEXT and not (files / "x").exists(), done


def test_less_in_a_terminal(files):
    root = files.parent.parent
    setting = "".join(line for line in block("less").splitlines(True) if line.startswith("export"))
    (root / "show").write_text(f'{setting}exec less "$1"\n')
    for name in ("latin.txt", "utf16.txt"):
        assert "Grüße aus Köln, José\nzweite Zeile: 50 %\n" in screen(root, f"sh show try/mixed/{name}"), name


def bat():
    return shutil.which("bat") or shutil.which("batcat") or pytest.skip("bat is not installed")


def test_bat(files):
    line = block("bat").replace("| bat", f"| {bat()}")
    shown = run(ROOT, line)
    assert shown.startswith('<?xml version="1.0" encoding="UTF-8"?>\n<customers>\n') and "José Müller" in shown
    for name in ("utf16.txt", "utf32.txt", "utf8.txt"):
        command = line.replace("examples/data/hello-ibm1047.xml", name).replace("-l xml", "-l txt")
        assert run(files, command) == TEXT, name
    # With colours, each word is still there.
    shown = screen(ROOT, f"{line.strip()} --color always --paging never")
    assert "José Müller" in shown and "<customers>" in shown


def git_folder(path, *setup):
    path.mkdir()
    run(path, "git init -q -b main\n" + "\n".join(setup))
    return path


TEXTCONV = re.search(r"^\$ (git config diff\.text-in-any-encoding\.textconv .*)$", PAGE, re.MULTILINE)[1]
FILTER = [
    re.search(rf"^\$ (git config filter\.ibm1047\.{key} .*)$", PAGE, re.MULTILINE)[1] for key in ("process", "required")
]


def test_git_textconv(tmp_path):
    tree = git_folder(tmp_path / "tree", TEXTCONV, "echo '* diff=text-in-any-encoding' > .gitattributes")
    versions = [CYRILLIC, CYRILLIC + "ещё строка\n"]
    encodings = {"koi8.txt": "koi8-r", "utf16.txt": "utf-16", "ebcdic.txt": "cp037", "utf8.txt": "utf-8"}
    text = {name: versions if name != "ebcdic.txt" else [TEXT * 3, TEXT * 3 + "más\n"] for name in encodings}
    for version in (0, 1):
        for name, encoding in encodings.items():
            (tree / name).write_bytes(
                text[name][version].replace("\n", "\x85" if name == "ebcdic.txt" else "\n").encode(encoding)
            )
        (tree / "picture").write_bytes(b"\x89PNG\r\n\x1a\n\0\0" + random.Random(version).randbytes(100))
        run(tree, "git add . && git commit -qm x")
    for name in encodings:
        added = text[name][1].splitlines()[-1]
        for command in ("git diff HEAD~", "git log -p -1", "git show"):
            lines = run(tree, f"{command} -- {name}").splitlines()
            changes = [line for line in lines if line[:1] in ("+", "-") and line[:3] not in ("+++", "---")]
            assert changes == [f"+{added}"], (command, name, lines)
        assert run(tree, f"git grep --textconv -c '{added}' -- {name}") == f"{name}:1\n"
        assert added in run(tree, f"git blame --textconv {name}").splitlines()[-1]
    # The repository has the bytes as they are.
    shown = run(tree, "git cat-file blob HEAD:koi8.txt | od -An -tx1 | tr -d ' \\n'")
    assert shown == versions[1].encode("koi8-r").hex()
    # So the page says that the pattern must name text.
    assert b"\x89PNG" in run(tree, "git diff HEAD~ -- picture", check=False).stdout


def test_git_filter(tmp_path):
    tree = git_folder(tmp_path / "tree", *FILTER, "echo '*.cbl filter=ibm1047' > .gitattributes")
    code = lambda text: text.replace("\n", "\x85").encode("cp037")  # noqa: E731
    # Letters and digits are the same in IBM037 and IBM1047.
    files = {f"{number}.cbl": "".join(f"LINE {line} Ä\n" for line in range(number * 40)) for number in range(50)}
    for name, text in files.items():
        (tree / name).write_bytes(code(text))
    run(tree, "git add . && git commit -qm x")
    assert run(tree, "git status --porcelain") == ""
    for name, text in files.items():
        assert run(tree, f"git show HEAD:{name}") == text
    # A clone gets the bytes again.
    run(tmp_path, "git clone -q --no-checkout tree clone")
    run(tmp_path / "clone", "\n".join(FILTER) + "\ngit checkout -q main")
    for name, text in files.items():
        assert (tmp_path / "clone" / name).read_bytes() == code(text), name
    assert run(tmp_path / "clone", "git status --porcelain") == ""
    # Two changes are merged line by line.
    run(tree, "git checkout -qb other")
    (tree / "3.cbl").write_bytes(code(files["3.cbl"].replace("LINE 1 ", "FIRST ")))
    run(tree, "git commit -qam other && git checkout -q main")
    (tree / "3.cbl").write_bytes(code(files["3.cbl"].replace("LINE 99 ", "LAST ")))
    run(tree, "git commit -qam main && git merge -q -m merged other")
    assert (tree / "3.cbl").read_bytes() == code(
        files["3.cbl"].replace("LINE 99 ", "LAST ").replace("LINE 1 ", "FIRST ")
    )


def test_git_filter_and_a_character_that_the_page_lacks(tmp_path):
    """A checkout fails and names the character, and nothing half-written is in the tree."""
    tree = git_folder(tmp_path / "tree", *FILTER)
    (tree / "a.cbl").write_text("5 €\n")
    run(tree, "git add . && git commit -qm x && rm a.cbl && echo '*.cbl filter=ibm1047' > .gitattributes")
    done = run(tree, "git checkout -q a.cbl", check=False)
    assert done.returncode != 0 and "U+20AC '€' is not in IBM1047" in done.stderr.decode()
    assert not (tree / "a.cbl").exists()


def test_working_tree_encoding(tmp_path):
    """What git does by itself, as the page has it: it knows the pages of iconv, and NEL stays U+0085."""
    tree = git_folder(tmp_path / "tree", "echo '*.cbl working-tree-encoding=IBM1047' > .gitattributes")
    (tree / "a.cbl").write_bytes("A\x85B\x85".encode("cp037"))
    run(tree, "git add .")
    assert run(tree, "git show :a.cbl") == "A\x85B\x85"
    (tree / ".gitattributes").write_text("*.cbl working-tree-encoding=IBM00924\n")
    (tree / "b.cbl").write_bytes("A\x85B\x85".encode("cp037"))
    assert run(tree, "git add b.cbl", check=False).returncode != 0


def test_rsync(files):
    root = files.parent.parent
    commands = block("rsync")
    run(root, commands)
    published = root / "try/published"
    names = sorted(str(path.relative_to(published)) for path in published.rglob("*") if path.is_file())
    # It leaves alone what is not text.
    assert names == sorted([*NAMES, "cyrillic.txt", "empty"])
    assert all((published / name).read_text() == TEXT for name in NAMES if "ebcdic" not in name)
    before = {name: (published / name).stat().st_ino for name in names}
    # Only the file that has changed is sent again.
    (files / "latin.txt").write_bytes("neu: ä\n".encode("latin-1"))
    run(root, commands)
    after = {name: (published / name).stat().st_ino for name in names}
    assert {name for name in names if before[name] != after[name]} == {"latin.txt"}
    assert (published / "latin.txt").read_text() == "neu: ä\n"


def test_rsync_and_names(tmp_path):
    """What the page says about names: rsync converts them, and charpipe does not."""
    (tmp_path / "from").mkdir()
    name = os.fsencode(tmp_path / "from") + b"/gr\xfcn.txt"
    with open(name, "wb") as file:
        file.write(b"gr\xfcn\n")
    run(tmp_path, "charpipe -q -r --guess --output-dir to from && rsync -a --iconv=ISO-8859-1,UTF-8 to/ names")
    assert os.listdir(os.fsencode(tmp_path / "to")) == [b"gr\xfcn.txt"]
    assert os.listdir(tmp_path / "names") == ["grün.txt"] and (tmp_path / "names" / "grün.txt").read_text() == "grün\n"
