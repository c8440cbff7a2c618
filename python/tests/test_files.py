"""Files that are written, in folders that other users can write to. As root; without, a test is skipped."""

import contextlib
import io
import os
import pathlib
import signal
import stat
import subprocess
import sys
import threading

import charpipe
import pytest

# The attacker.
MALLORY = 65534

pytestmark = pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs root")

LAYOUT = "01 R.\n 05 A PIC X(3).\n"


def by_transcode(path):
    charpipe.transcode(b"new", path)


def by_write(path):
    pyarrow = pytest.importorskip("pyarrow")
    charpipe.write(pyarrow.table({"A": ["new"]}), path, layout=LAYOUT, encoding="UTF-8")


def by_open(path):
    with charpipe.open(path, "w", encoding="UTF-8") as file:
        file.write("new")


def by_open_with_options(path):
    with charpipe.open(path, "w", encoding="UTF-8", eol="lf") as file:
        file.write("new")


REPLACING = [by_transcode, by_write]
DOORS = [*REPLACING, by_open, by_open_with_options]


class Place:
    """A folder `shared` of the attacker, and a folder `private` of root."""

    def __init__(self, root):
        self.shared, self.private = root / "shared", root / "private"
        for folder in (self.shared, self.private):
            folder.mkdir()
        os.chown(self.shared, MALLORY, MALLORY)
        self.private.chmod(0o700)
        self.secret, self.suid = self.private / "secret", self.private / "suid"
        self.file(self.secret, "secret", 0, 0o600)
        self.file(self.suid, "root's", 0, 0o4755)
        for parent in (root, *root.parents):
            # The attacker can reach the folder.
            if parent.stat().st_mode & 0o001 == 0:
                parent.chmod(parent.stat().st_mode | 0o011)

    def file(self, path, text, owner, mode):
        path.write_text(text)
        os.chown(path, owner, owner)
        path.chmod(mode)
        return path

    def link(self, target, name="x"):
        path = self.shared / name
        with contextlib.suppress(FileNotFoundError):
            path.unlink()
        path.symlink_to(target)
        os.lchown(path, MALLORY, MALLORY)
        return path

    def is_intact(self):
        assert sorted(os.listdir(self.private)) == ["secret", "suid"]
        for path, text, mode in ((self.secret, "secret", 0o600), (self.suid, "root's", 0o4755)):
            found = path.stat()
            assert (path.read_text(), found.st_uid, stat.S_IMODE(found.st_mode)) == (text, 0, mode)


@pytest.fixture
def place(tmp_path):
    return Place(tmp_path)


@pytest.mark.parametrize("door", REPLACING)
def test_owner_and_mode_are_those_of_the_old_file(place, door):
    path = place.file(place.shared / "x", "old", MALLORY, 0o6751)
    door(path)
    found = path.stat()
    assert (path.read_text(), found.st_uid, found.st_gid) == ("new", MALLORY, MALLORY)
    assert stat.S_IMODE(found.st_mode) == 0o751
    assert os.listdir(place.shared) == ["x"]


@pytest.mark.parametrize("door", DOORS)
def test_a_link_of_another_user_leads_only_to_files_of_that_user(place, door):
    new = place.private / "new"
    for target in (place.secret, place.suid, new):
        for path in (
            target,
            f"../private/{target.name}",
            f"/proc/self/root{target}",
            f"/proc/../{target}",
            f"/dev/fd/../../../{target}",
        ):
            with pytest.raises(PermissionError, match="symbolic link of another user"):
                door(place.link(path))
            place.is_intact()
    folder = place.link(place.private, "folder")
    for name in ("secret", "new"):
        with pytest.raises(PermissionError, match="symbolic link of another user"):
            door(folder / name)
        place.is_intact()
    theirs = place.file(place.shared / "theirs", "old", MALLORY, 0o640)
    door(place.link("theirs"))
    assert (theirs.read_text(), theirs.stat().st_uid, stat.S_IMODE(theirs.stat().st_mode)) == ("new", MALLORY, 0o640)


@pytest.mark.parametrize("door", DOORS)
def test_a_link_of_another_user_to_an_open_file(place, door, tmp_path):
    with open(tmp_path / "log", "wb") as log:
        for path in (f"/proc/self/fd/{log.fileno()}", f"/dev/fd/{log.fileno()}"):
            with pytest.raises(PermissionError, match="symbolic link of another user"):
                door(place.link(path))
        assert (tmp_path / "log").read_bytes() == b""
        # The caller may name it.
        door(f"/dev/fd/{log.fileno()}")
        assert (tmp_path / "log").read_bytes() == b"new"


@pytest.mark.parametrize("door", DOORS)
def test_a_link_of_another_user_decides_for_the_rest_of_the_path(place, door):
    roots = place.file(place.shared / "roots", "root's", 0, 0o644)
    place.link(".", "folder")
    for name in ("roots", "../new"):
        with pytest.raises(PermissionError, match="symbolic link of another user"):
            door(place.shared / "folder" / name)
    assert roots.read_text() == "root's"
    # What a process of that user has in /proc is that user's, too.
    with subprocess.Popen(["sleep", "60"], user=MALLORY, group=MALLORY, cwd=place.shared) as process:
        try:
            for path in ("comm", "cwd/new"):
                with pytest.raises(PermissionError, match="symbolic link of another user"):
                    door(place.link(f"/proc/{process.pid}/{path}"))
            place.link(f"/proc/{process.pid}/cwd", "folder")
            with pytest.raises(PermissionError, match="symbolic link of another user"):
                door(place.shared / "folder" / "new")
            assert pathlib.Path(f"/proc/{process.pid}/comm").read_text() == "sleep\n"
        finally:
            process.kill()


@pytest.mark.parametrize("door", DOORS)
def test_a_sticky_folder(place, door):
    place.shared.chmod(0o1777)
    os.chown(place.shared, 0, 0)
    target = place.file(place.shared / "target", "old", 0, 0o644)
    theirs = place.file(place.shared / "theirs", "old", MALLORY, 0o666)
    for path in (place.link("target"), theirs):
        with pytest.raises(PermissionError, match="sticky directory"):
            door(path)
    assert (target.read_text(), theirs.read_text()) == ("old", "old")


class Watched(io.BytesIO):
    """A source that looks at the folder each time it is read."""

    def __init__(self, data, look):
        super().__init__(data)
        self.look = look

    def read(self, size=-1):
        self.look()
        return super().read(size)


def test_a_private_file_is_private_while_it_is_written(place):
    path = place.file(place.shared / "x", "old", 0, 0o600)
    looks = []

    def look():
        looks.append(sorted(os.listdir(place.shared)))
        for name in os.listdir(place.shared):
            assert stat.S_IMODE((place.shared / name).stat().st_mode) & 0o077 == 0
        for descriptor in os.listdir("/proc/self/fd"):
            with contextlib.suppress(FileNotFoundError):
                found = os.stat(f"/proc/self/fd/{descriptor}")
                if stat.S_ISREG(found.st_mode) and found.st_nlink == 0 and found.st_size:
                    assert stat.S_IMODE(found.st_mode) & 0o077 == 0

    charpipe.transcode(Watched(b"new" * 500_000, look), path)
    assert len(looks) > 2
    assert (path.read_text(), stat.S_IMODE(path.stat().st_mode)) == ("new" * 500_000, 0o600)


def test_a_name_that_is_exchanged_meanwhile(place):
    path = place.file(place.shared / "x", "old", 0, 0o600)

    def exchange():
        if not path.is_symlink():
            os.rename(path, place.shared / "moved")
            place.link(place.suid)

    with pytest.raises(OSError, match="another process has changed the file meanwhile"):
        charpipe.transcode(Watched(b"new", exchange), path)
    place.is_intact()
    assert sorted(os.listdir(place.shared)) == ["moved", "x"] and (place.shared / "moved").read_text() == "old"


def test_after_an_error_the_old_file_is_as_it_was(place):
    path = place.file(place.shared / "x", "old", MALLORY, 0o640)
    with pytest.raises(charpipe.Error):
        charpipe.transcode(b"abc\xff", path, from_="UTF-8")
    found = path.stat()
    assert (path.read_text(), found.st_uid, stat.S_IMODE(found.st_mode)) == ("old", MALLORY, 0o640)
    assert os.listdir(place.shared) == ["x"]


def test_modes_of_open(place):
    path = place.shared / "x"
    for mode, text in (("x", "ab"), ("a", "abab"), ("w", "ab")):
        with charpipe.open(path, mode, encoding="UTF-8") as file:
            file.write("ab")
        assert path.read_text() == text
    with pytest.raises(FileExistsError):
        charpipe.open(path, "x", encoding="UTF-8")
    with pytest.raises(FileExistsError):
        charpipe.open(place.link("x", "link"), "x", encoding="UTF-8")
    with pytest.raises(IsADirectoryError):
        charpipe.open(place.shared, "w", encoding="UTF-8")
    with pytest.raises(FileNotFoundError):
        charpipe.open(place.shared / "none" / "x", "w", encoding="UTF-8")


@pytest.mark.parametrize("door", DOORS)
def test_a_signal_ends_the_waiting_for_a_reader(tmp_path, door):
    class Enough(Exception):
        pass

    def handler(*_):
        raise Enough

    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    # If nothing ends it, somebody reads.
    reader = threading.Timer(20, lambda: fifo.read_bytes())
    reader.daemon = True
    reader.start()
    before = signal.signal(signal.SIGALRM, handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2, 0.2)
        with pytest.raises(Enough):
            door(fifo)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        reader.cancel()


# What the attacker does, as long as it can: exchanges the file, links, and whatever temporary files it finds.
ATTACK = """
import os, sys
shared, private = sys.argv[1:]
os.setgid(65534); os.setuid(65534); os.chdir(shared)
def quietly(call, *args):
    try: call(*args)
    except OSError: pass
count = 0
print("ready", flush=True)
while os.getppid() != 1:
    count += 1
    for name in os.listdir("."):
        if name not in ("x", "theirs", "y", "z"):
            quietly(os.rename, name, "z")
            quietly(os.symlink, f"{private}/suid", name)
    quietly(os.symlink, f"{private}/secret", "y")
    quietly(os.rename, "y", "x")
    quietly(os.symlink, f"/proc/self/root{private}/new", "y")
    quietly(os.rename, "y", "x")
    with open("y", "w") as file: file.write("theirs")
    os.chmod("y", 0o6777)
    quietly(os.rename, "y", "x")
"""


@pytest.mark.parametrize("door", DOORS)
def test_names_that_are_exchanged_all_the_time(place, door):
    with subprocess.Popen(
        [sys.executable, "-c", ATTACK, place.shared, place.private], stdout=subprocess.PIPE
    ) as attacker:
        attacker.stdout.readline()
        done = refused = 0
        try:
            for _ in range(int(os.environ.get("CHARPIPE_RACES", "300"))):
                try:
                    door(place.shared / "x")
                    done += 1
                except OSError:
                    refused += 1
                for path in place.shared.iterdir():
                    with contextlib.suppress(FileNotFoundError):
                        found = path.lstat()
                        # No file of root gets a bit, or content, that the attacker chose.
                        is_roots = stat.S_ISREG(found.st_mode) and found.st_uid == 0
                        assert not (is_roots and found.st_mode & 0o6000), (path, oct(found.st_mode))
                place.is_intact()
        finally:
            attacker.kill()
    assert refused > 0
