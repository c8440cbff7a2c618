"""Dask reads parts of files of records and of text: the rows of all parts are those of the file."""

import io

import charpipe
import dask
import dask.bytes
import dask.dataframe
import pandas
import pyarrow
import pytest
from dask.distributed import Client


def frame_of(rows):
    return pyarrow.table(rows).to_pandas(types_mapper=pandas.ArrowDtype)


def frames(file, path, size, **more):
    def load(part, columns=None):
        return frame_of(charpipe.read(path, split=part, select=columns, **read))

    read = {**file.read_with(), **more}
    parts = charpipe.splits(path, file.shape, size)
    return dask.dataframe.from_map(load, parts, meta=frame_of(charpipe.read(b"", **read))), len(parts)


def rows_of(frame):
    lists = [[list(value) if hasattr(value, "__len__") and not isinstance(value, str) else value for value in frame[name]] for name in frame]
    return list(zip(*lists))


@pytest.fixture(scope="module")
def cluster():
    with Client(n_workers=2, threads_per_worker=1, dashboard_address=None) as client:
        yield client


@pytest.mark.parametrize("scheduler", ["synchronous", "threads"])
def test_parts_within_one_process(records, shape, sizes, scheduler, tmp_path):
    file, path = records(shape, 5000), str(tmp_path / "file.dat")
    (tmp_path / "file.dat").write_bytes(file.data)
    counts = set()
    for size in sizes(len(file.data)):
        frame, parts = frames(file, path, size)
        counts.add(parts)
        assert rows_of(frame.compute(scheduler=scheduler)) == file.rows, size
    assert max(counts) > 20 and min(counts) == 1


def test_processes(records, shape, tmp_path):
    file, path = records(shape, 50_000), str(tmp_path / "file.dat")
    (tmp_path / "file.dat").write_bytes(file.data)
    frame, parts = frames(file, path, len(file.data) // 7)
    assert parts > 6
    assert rows_of(frame.compute(scheduler="processes", num_workers=2)) == file.rows


def test_a_cluster(records, shape, sizes, cluster, tmp_path):
    file, path = records(shape, 20_000), str(tmp_path / "file.dat")
    (tmp_path / "file.dat").write_bytes(file.data)
    for size in sizes(len(file.data)):
        frame, _ = frames(file, path, size)
        assert rows_of(frame.compute()) == file.rows, size
    sums = frame[frame.ID > 0][["AMOUNT"]].sum().compute()
    assert sums["AMOUNT"] == sum(row[1] for row in file.rows if row[0] > 0)


def test_only_the_columns_of_the_query_are_read(records, cluster, tmp_path):
    """Bad values are found if they are read."""
    file, path = records("fb", 1000), str(tmp_path / "file.dat")
    data = bytearray(file.data)
    data[18 * 500 + 4 : 18 * 500 + 9] = b"\x40" * 5
    (tmp_path / "file.dat").write_bytes(data)
    frame, _ = frames(file, path, 3000)
    assert frame.NAME.compute().tolist() == [row[2] for row in file.rows]
    with pytest.raises(pyarrow.ArrowInvalid, match=r"byte 9004: record 501, field AMOUNT"):
        frame[["AMOUNT"]].compute(scheduler="threads")
    # The error of a worker, too, names the place.
    with pytest.raises(Exception, match=r"byte 9004: record 501, field AMOUNT"):
        frame[["AMOUNT"]].compute()


def test_a_file_that_is_cut_while_it_is_read(records, shape, tmp_path):
    file, path = records(shape, 5000), tmp_path / "file.dat"
    path.write_bytes(file.data)
    frame, _ = frames(file, str(path), len(file.data) // 5)
    path.write_bytes(file.data[: len(file.data) // 2 + 1])
    with pytest.raises((charpipe.Error, pyarrow.ArrowInvalid, OSError)):
        frame.compute(scheduler="threads")


LINES = {
    "ibm1047,nl=zos": (b"\x15", "Müller [%d]"),
    "ibm1047": (b"\x25", "Müller [%d]"),
    "ibm-939,nl=zos": (b"\x15", "東京 %d 大阪"),
    "shift_jis": (b"\n", "ソ表 %d ｱ"),
    "windows-1252": (b"\n", "€ %d ž"),
}


@pytest.mark.parametrize("encoding", LINES)
def test_lines(encoding, tmp_path):
    newline, line = LINES[encoding]
    texts = [(line % number)[number % 4 :] for number in range(3000)]
    path = tmp_path / "file.csv"
    path.write_bytes(b"".join(f"{number},{text}\n".encode(encoding) for number, text in enumerate(texts)))
    size = path.stat().st_size
    for blocks in (2, 3, 7, 50):
        _, [found] = dask.bytes.read_bytes(str(path), delimiter=newline, blocksize=size // blocks, sample=False)
        assert len(found) == blocks
        names = {"header": None, "names": ["id", "text"], "encoding": encoding}
        pieces = [dask.delayed(pandas.read_csv)(dask.delayed(io.BytesIO)(block), **names) for block in found]
        frame = dask.dataframe.from_delayed(pieces).compute(scheduler="threads")
        assert frame["id"].tolist() == list(range(3000)) and frame["text"].tolist() == texts, blocks
    whole = dask.dataframe.read_csv(str(path), blocksize=None, **names).compute(scheduler="threads")
    assert whole["text"].tolist() == texts


def test_why_arrow_types(records, tmp_path):
    file, path = records("fb", 10), tmp_path / "file.dat"
    path.write_bytes(file.data)
    table = pyarrow.table(charpipe.read(path, **file.read_with()))
    assert dask.dataframe.from_map(lambda part: table.to_pandas(), [0]).dtypes["AMOUNT"] == "string"
    frame, _ = frames(file, str(path), 50)
    assert frame.dtypes["AMOUNT"] == pandas.ArrowDtype(pyarrow.decimal128(9, 2))
