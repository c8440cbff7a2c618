"""Vim and Emacs with the settings of docs/with/editors.md: any bytes, new files, errors, and what an error leaves."""

import os
import pathlib
import random
import re
import subprocess

import pytest

PAGE = (pathlib.Path(__file__).parents[2] / "docs/with/editors.md").read_text("utf-8")
ENVIRONMENT = {**os.environ, "LC_ALL": "C.UTF-8", "TERM": "xterm"}


def settings(name):
    return PAGE.split(f"cat > {name} <<'EOF'\n")[1].split("EOF\n")[0]


def encode(text):
    """Letters, digits and newlines have the same bytes as in IBM037."""
    return text.replace("\n", "\x85").encode("cp037")


@pytest.fixture
def folder(tmp_path):
    for name in ("charpipe.vim", "charpipe.el"):
        (tmp_path / name).write_text(settings(name))
    return tmp_path


def run(folder, *command):
    streams = {"stdin": subprocess.DEVNULL, "capture_output": True, "timeout": 60}
    return subprocess.run(command, cwd=folder, env=ENVIRONMENT, check=False, **streams)


def vim(folder, file, *commands):
    line = [part for command in (*commands, "qa!") for part in ("-c", command)]
    return run(folder, "vim", "-es", "-u", "charpipe.vim", "-i", "NONE", file, *line)


def emacs(folder, file, *forms):
    line = [part for form in forms for part in ("--eval", form)]
    return run(folder, "emacs", "-Q", "--batch", "-l", "charpipe.el", file, *line)


def save_with_vim(folder, file):
    return vim(folder, file, "write")


def save_with_emacs(folder, file):
    return emacs(folder, file, "(progn (set-buffer-modified-p t) (save-buffer))")


both = pytest.mark.parametrize("save", [save_with_vim, save_with_emacs])


@both
@pytest.mark.parametrize(
    "code",
    [
        b"", b"\x15", b"\x15\x15", b"\xc1", b"\xc1\x15", b"\xc1\x15\x15", b"\xc1\x0d\x15\xc2\x0d\x15", b"\xc1\x25\x15",
        b"\0\xc1\0\x15\0", bytes(range(256)), bytes(range(256)) * 3 + b"\x15", random.Random(2).randbytes(200_000),
        encode("LINE Ä\n") * 20_000,
    ],
)  # fmt: skip
def test_a_file_that_is_saved_keeps_its_bytes(folder, save, code):
    (folder / "a.cbl").write_bytes(code)
    done = save(folder, "a.cbl")
    assert done.returncode == 0, done
    assert (folder / "a.cbl").read_bytes() == code


@both
def test_other_files_are_left_alone(folder, save):
    code = b"\xc1\x15\xe9\x0d\x0a"
    (folder / "a.txt").write_bytes(code)
    save(folder, "a.txt")
    assert (folder / "a.txt").read_bytes() == code


def test_vim(folder):
    # The settings may be loaded twice.
    (folder / "charpipe.vim").write_text(settings("charpipe.vim") * 2)
    (folder / "a.cbl").write_bytes(encode("EINS\nZWEI Ä\n"))
    done = vim(folder, "a.cbl", "%s/EINS/Größe/", "$put ='drei'", "write")
    assert done.returncode == 0 and (folder / "a.cbl").read_bytes() == encode("Größe\nZWEI Ä\ndrei\n")
    # A new file, another name, and another file in the same session.
    vim(
        folder,
        "new.cbl",
        "call setline(1, ['neu', 'ß'])",
        "write",
        "write it's\\ $x.cbl",
        "edit a.cbl",
        "1delete",
        "write",
    )
    assert (folder / "new.cbl").read_bytes() == (folder / "it's $x.cbl").read_bytes() == encode("neu\nß\n")
    assert (folder / "a.cbl").read_bytes() == encode("ZWEI Ä\ndrei\n")
    # Reading the file is not a change that can be undone.
    vim(folder, "a.cbl", "silent! undo", "call writefile([&modified, getline(1)], 'seen')")
    assert (folder / "seen").read_text() == "0\nZWEI Ä\n"


def test_vim_in_a_terminal(folder):
    (folder / "a.cbl").write_bytes(encode("EINS\nZWEI Ä\n"))
    (folder / "keys").write_text("autocmd VimEnter * call writefile([line('.'), getline(2)], 'seen') | qa!\n")
    done = run(folder, "script", "-qec", "vim -u charpipe.vim -i NONE -S keys a.cbl", "/dev/null")
    assert done.returncode == 0 and (folder / "seen").read_text() == "1\nZWEI Ä\n"


def test_vim_and_a_character_that_the_page_lacks(folder):
    code = encode("5 Euro\n")
    (folder / "a.cbl").write_bytes(code)
    script = [
        "%s/Euro/€/",
        "let seen = []",
        "try | write | catch | call add(seen, v:exception) | endtry",
        "call writefile(seen + [&modified, getline(1)], 'seen')",
    ]
    vim(folder, "a.cbl", *script)
    message, modified, line = (folder / "seen").read_text().splitlines()
    assert "line 1, column 3" in message and "U+20AC '€' is not in IBM1047" in message
    assert (modified, line) == ("1", "5 €")
    assert (folder / "a.cbl").read_bytes() == code


def test_vim_and_a_wrong_option(folder):
    text = (folder / "charpipe.vim").read_text()
    (folder / "charpipe.vim").write_text(text.replace("IBM1047 --", "IBM1O47 --"))
    (folder / "a.cbl").write_bytes(encode("A\n"))
    vim(folder, "a.cbl", "call setline(1, 'x')", "write")
    assert (folder / "a.cbl").read_bytes() == encode("A\n")


def test_emacs(folder):
    (folder / "a.cbl").write_bytes(encode("EINS\nZWEI Ä\n"))
    change = '(progn (replace-string "EINS" "Größe") (goto-char (point-max)) (insert "drei\\n") (save-buffer))'
    done = emacs(folder, "a.cbl", change)
    assert done.returncode == 0 and (folder / "a.cbl").read_bytes() == encode("Größe\nZWEI Ä\ndrei\n")
    emacs(folder, "new.cbl", '(progn (insert "neu\\nß\\n") (save-buffer) (write-file "it\'s $x.cbl"))')
    assert (folder / "new.cbl").read_bytes() == (folder / "it's $x.cbl").read_bytes() == encode("neu\nß\n")
    done = emacs(folder, "a.cbl", '(princ (format "%s %s" (buffer-modified-p) (buffer-string)))')
    assert done.stdout.decode() == "nil Größe\nZWEI Ä\ndrei\n"


def test_emacs_and_a_character_that_the_page_lacks(folder):
    code = encode("5 Euro\n")
    (folder / "a.cbl").write_bytes(code)
    form = """(progn (replace-string "Euro" "€")
        (condition-case nil (save-buffer)
          (error (princ (buffer-modified-p)) (princ (with-current-buffer " *jka-compr-error*" (buffer-string))))))"""
    done = emacs(folder, "a.cbl", form)
    # Emacs does not decode the message.
    assert done.stdout.startswith(b"t") and re.search(b"line 1, column 3 .*U\\+20AC .* is not in IBM1047", done.stdout)
    assert (folder / "a.cbl").read_bytes() == code


def test_emacs_and_a_wrong_option(folder):
    """charpipe's exit status for it is one that Emacs would take for a success; it would write an empty file."""
    good = (folder / "charpipe.el").read_text()
    (folder / "a.cbl").write_bytes(encode("A\n"))
    (folder / "charpipe.el").write_text(good.replace("-t IBM1047", "-t IBM1O47"))
    assert emacs(folder, "a.cbl", '(progn (insert "x") (save-buffer))').returncode != 0
    assert (folder / "a.cbl").read_bytes() == encode("A\n")
    (folder / "charpipe.el").write_text(good.replace("-t IBM1047", "-t IBM1O47").replace("|| exit 1; ", "; "))
    emacs(folder, "a.cbl", '(progn (insert "x") (save-buffer))')
    assert (folder / "a.cbl").read_bytes() == b"", "so the settings need exit 1"
