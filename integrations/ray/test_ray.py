"""Ray Data reads parts of files of records: the rows of all parts are those of the file."""

import charpipe
import pyarrow
import pytest
import ray


@pytest.fixture(scope="module", autouse=True)
def session():
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = False
    yield
    ray.shutdown()


def dataset(file, path, size, **more):
    def load(parts):
        for part in zip(parts["begin"], parts["end"]):
            for batch in charpipe.read(path, split=(*map(int, part), None), add_columns=["offset"], **what):
                yield pyarrow.Table.from_batches([pyarrow.record_batch(batch)])

    what = {**file.read_with(), **more}
    parts = [{"begin": part.begin, "end": part.end} for part in charpipe.splits(path, file.shape, size)]
    rows = ray.data.from_items(parts, override_num_blocks=len(parts)).map_batches(load, batch_size=1)
    return rows, len(parts)


def test_parts(records, shape, sizes, tmp_path):
    file, path = records(shape, 5000), str(tmp_path / "file.dat")
    (tmp_path / "file.dat").write_bytes(file.data)
    counts = []
    for size in sizes(len(file.data), 16)[:6:2] + [1 << 40]:
        rows, parts = dataset(file, path, size, batch_rows=700)
        counts.append(parts)
        found = sorted(rows.take_all(), key=lambda row: row["_offset"])
        assert [tuple(row[name] for name in file.columns) for row in found] == file.rows, size
    assert max(counts) > 10 and min(counts) == 1


def test_an_invalid_record(records, tmp_path):
    file, path = records("fb", 1000), str(tmp_path / "file.dat")
    data = bytearray(file.data)
    data[18 * 500 + 4 : 18 * 500 + 9] = b"\x40" * 5
    (tmp_path / "file.dat").write_bytes(data)
    rows, _ = dataset(file, path, 3000)
    with pytest.raises(Exception, match=r"byte 9004: record \d+.*, field AMOUNT") as caught:
        rows.take_all()
    assert "RecordError" in str(caught.value)
    rows, _ = dataset(file, path, 3000, select=["NAME"])
    assert sorted(row["NAME"] for row in rows.take_all()) == sorted(row[2] for row in file.rows)


def test_a_file_that_is_cut_after_it_was_split(records, shape, tmp_path):
    file, path = records(shape, 2000), tmp_path / "file.dat"
    path.write_bytes(file.data)
    rows, _ = dataset(file, str(path), len(file.data) // 3)
    path.write_bytes(file.data[: len(file.data) // 2 + 1])
    with pytest.raises(Exception, match="file.dat"):
        rows.take_all()
