#!/usr/bin/env python3
"""pyCANON on the rows of benches/checks.sql, which calls this: benches/pycanon.py DATABASE

Times are beside those that the database measured for the aggregates. pyCANON is stopped
when it has taken LIMIT times as long (and a minute): the ratio is then a lower bound.
"""

import io
import multiprocessing
import subprocess
import sys
import time

LIMIT = 40
KEYS = ["age", "sex", "zip", "marital", "education"]


def psql(sql):
    command = ["psql", "--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--dbname", sys.argv[1], "-c", sql]
    return subprocess.run(command, check=True, capture_output=True, encoding="utf-8").stdout


def seconds(function, limit):
    """How long a call takes, and whether it came to its end."""
    process = multiprocessing.Process(target=function)
    began = time.monotonic()
    process.start()
    process.join(limit)
    finished = process.exitcode is not None
    elapsed = time.monotonic() - began
    if not finished:
        process.terminate()
        process.join()
    elif process.exitcode != 0:
        sys.exit("pyCANON failed")
    return elapsed, finished


def compare(task, source, function):
    ours = float(psql(f"SELECT ms FROM candidate WHERE task = '{task}: {source}' AND who = 'sdc'")) / 1000
    theirs, finished = seconds(function, max(60, LIMIT * ours))
    bound = "" if finished else "more than "
    print(f"{task}, {source}: {ours:.2f} s, pyCANON {bound}{theirs:.1f} s: {bound}{theirs / ours:.0f} times as long")


def main():
    try:
        import pandas
        from pycanon import anonymity
    except ImportError as missing:
        print(f"pyCANON: skipped, {missing} (pip install pycanon; PYCANON_PYTHON names the Python that has it)")
        return
    for source in ["masked", "raw"]:
        rows = psql(f"COPY (SELECT {', '.join(KEYS)}, illness FROM {source}) TO STDOUT (FORMAT csv, HEADER)")
        table = pandas.read_csv(io.StringIO(rows), dtype={"zip": str})
        compare("k_anonymity", source, lambda: anonymity.k_anonymity(table, KEYS))
        compare("p_sensitivity", source, lambda: anonymity.l_diversity(table, KEYS, ["illness"]))


if __name__ == "__main__":
    main()
