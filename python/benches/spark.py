"""Measures Spark on two cores beside two plain processes that do the same: both turn records into Parquet.

    python python/benches/spark.py [MEGABYTES]

The records are those of `arrow.py`, which has to be beside this script. The start of Spark is not counted. Prints
seconds, and how many times as long Spark takes.
"""

import multiprocessing
import os
import sys
import tempfile
import time

import pyarrow
import pyarrow.parquet

import charpipe

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from arrow import NUMBERS, TEXT, WHAT, record  # noqa: E402

COLUMNS = TEXT + NUMBERS
SPLIT_BYTES = 64 << 20


def to_parquet(task: tuple[str, str, int, charpipe.Split]) -> int:
    path, folder, index, split = task
    batches = pyarrow.RecordBatchReader.from_stream(charpipe.read(path, columns=COLUMNS, split=split, **WHAT))
    rows = 0
    with pyarrow.parquet.ParquetWriter(os.path.join(folder, f"{index}.parquet"), batches.schema) as writer:
        for batch in batches:
            writer.write_batch(batch)
            rows += batch.num_rows
    return rows


def plain(path: str, folder: str) -> float:
    tasks = [(path, folder, *one) for one in enumerate(charpipe.splits(path, "rdw", SPLIT_BYTES))]
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        pool.map(abs, range(2))
        start = time.perf_counter()
        pool.map(to_parquet, tasks, chunksize=1)
        return time.perf_counter() - start


def spark(path: str, folder: str) -> float:
    os.environ["PYSPARK_PYTHON"] = sys.executable
    from pyspark.sql import SparkSession

    import charpipe.spark

    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    session = builder.config("spark.driver.memory", "2g").getOrCreate()
    charpipe.spark.register(session)
    session.range(10).write.parquet(os.path.join(folder, "first"))
    reader = session.read.format("charpipe").option("split_bytes", SPLIT_BYTES).option("columns", ",".join(COLUMNS))
    for key, value in WHAT.items():
        reader = reader.option(key, value)
    start = time.perf_counter()
    reader.load(path).write.parquet(os.path.join(folder, "all"))
    taken = time.perf_counter() - start
    session.stop()
    return taken


def main() -> None:
    megabytes = int(sys.argv[1]) if len(sys.argv) > 1 else 4000
    some = b"".join(record(number) for number in range(20_000))
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "records")
        with open(path, "wb") as file:
            for _ in range(max(1, megabytes * 1_000_000 // len(some))):
                file.write(some)
        alone = plain(path, folder)
        print(f"{'two processes':16} {alone:7.1f} s")
        with_spark = spark(path, folder)
        print(f"{'Spark, local[2]':16} {with_spark:7.1f} s, {with_spark / alone:.2f} times as long")


if __name__ == "__main__":
    main()
