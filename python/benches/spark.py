"""Measures Spark on two cores beside two plain processes that do the same, for two jobs.

    python python/benches/spark.py [MEGABYTES]

*sum* adds up two columns of numbers and finds the greatest text; *Parquet* writes all columns as Parquet. The records
are those of `arrow.py`, which has to be beside this script. The start of Spark is not counted: each job runs once
before, on a few records. The default, 4000 MB, is more than a minute of work for Spark.

Spark's own rows show what no data source can change. There the same rows come from a Parquet file that Spark wrote, so
nothing of charpipe takes part. Spark works with rows of Java objects, one at a time: it reads Arrow batches and its own
Parquet files into rows, and its Parquet writer takes rows. The plain processes hand whole columns to pyarrow, in C++.
"""

import multiprocessing
import os
import sys
import tempfile
import time
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pyarrow
import pyarrow.compute
import pyarrow.parquet

import charpipe

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from arrow import NUMBERS, TEXT, WHAT, record  # noqa: E402

COLUMNS = TEXT + NUMBERS
SUMS = ["COUNT", "BALANCE"]
GREATEST = "NAME"
SPLIT_BYTES = 64 << 20

Task = tuple[str, str, int, charpipe.Split]


def batches(task: Task, columns: list[str]) -> pyarrow.RecordBatchReader:
    path, _, _, split = task
    return pyarrow.RecordBatchReader.from_stream(charpipe.read(path, select=columns, split=split, **WHAT))


def to_parquet(task: Task) -> None:
    _, folder, index, _ = task
    reader = batches(task, COLUMNS)
    with pyarrow.parquet.ParquetWriter(os.path.join(folder, f"{index}.parquet"), reader.schema) as writer:
        for batch in reader:
            writer.write_batch(batch)


def to_sum(task: Task) -> tuple[Decimal, ...]:
    sums, greatest = [Decimal(0)] * len(SUMS), ""
    for batch in batches(task, [*SUMS, GREATEST]):
        sums = [sum + Decimal(pyarrow.compute.sum(batch[name]).as_py()) for sum, name in zip(sums, SUMS)]
        greatest = max(greatest, pyarrow.compute.max(batch[GREATEST]).as_py())
    return (*sums, greatest)


def seconds(run: Callable[[], Any]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def plain(path: str, folder: str) -> tuple[float, float]:
    tasks = [(path, folder, *one) for one in enumerate(charpipe.splits(path, "rdw", SPLIT_BYTES))]
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        pool.map(abs, range(2))
        return tuple(seconds(lambda: pool.map(job, tasks, chunksize=1)) for job in (to_sum, to_parquet))


def spark(path: str, few: str, folder: str) -> dict[str, float]:
    os.environ["PYSPARK_PYTHON"] = sys.executable
    from pyspark.sql import SparkSession, functions

    import charpipe.spark

    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    session = builder.config("spark.driver.memory", "2g").getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    charpipe.spark.register(session)

    def records(path: str, columns: list[str]):
        reader = session.read.format("charpipe").option("split_bytes", SPLIT_BYTES)
        for key, value in {**WHAT, "select": ",".join(columns)}.items():
            reader = reader.option(key, value)
        return reader.load(path)

    def sum_up(frame) -> None:
        frame.agg(*map(functions.sum, SUMS), functions.max(GREATEST)).collect()

    def jobs(path: str, folder: str) -> dict[str, float]:
        first, second = (os.path.join(folder, name) for name in ("first", "second"))
        return {
            "sum": seconds(lambda: sum_up(records(path, [*SUMS, GREATEST]))),
            "Parquet": seconds(lambda: records(path, COLUMNS).write.parquet(first)),
            "sum, from Parquet": seconds(lambda: sum_up(session.read.parquet(first))),
            "Parquet, from Parquet": seconds(lambda: session.read.parquet(first).write.parquet(second)),
        }

    jobs(few, os.path.join(folder, "few"))
    taken = jobs(path, os.path.join(folder, "all"))
    session.stop()
    return taken


def main() -> None:
    megabytes = int(sys.argv[1]) if len(sys.argv) > 1 else 4000
    some = b"".join(record(number) for number in range(20_000))
    with tempfile.TemporaryDirectory() as folder:
        path, few = (os.path.join(folder, name) for name in ("records", "few_records"))
        with open(few, "wb") as file:
            file.write(some)
        with open(path, "wb") as file:
            for _ in range(max(1, megabytes * 1_000_000 // len(some))):
                file.write(some)
        alone = dict(zip(("sum", "Parquet"), plain(path, folder)))
        with_spark = spark(path, few, folder)
        print("| job | two processes | Spark, local[2] | times as long | Spark's own rows |\n|---|---|---|---|---|")
        for job, taken in alone.items():
            own = with_spark[f"{job}, from Parquet"]
            print(f"| {job} | {taken:.1f} s | {with_spark[job]:.1f} s | {with_spark[job] / taken:.2f} | {own:.1f} s |")


if __name__ == "__main__":
    main()
