#!/usr/bin/env python3
"""pyCANON on the rows of benches/checks.sql, which calls this: benches/beside_pycanon.py DATABASE

Each property is timed here and there, one after the other. pyCANON is stopped when it has taken
LIMIT times as long: the ratio is then a lower bound. The rows must reach pyCANON first; that
time is shown on its own, and counts in the total.
"""

import io
import multiprocessing
import subprocess
import sys
import time

LIMIT = 40
KEYS = ["age", "sex", "zip", "marital", "education"]
# pyCANON's functions, and the aggregate that computes the same
PROPERTIES = {
    "k_anonymity": "k_anonymity({keys})",
    "l_diversity": "p_sensitivity(ROW({keys}), illness)",
    "alpha_k_anonymity": "alpha_k(ROW({keys}), illness)",
    "entropy_l_diversity": "entropy_l_diversity(ROW({keys}), illness)",
    "recursive_c_l_diversity": "recursive_l_diversity(ROW({keys}), illness, 2)",
    "basic_beta_likeness": "basic_beta_likeness(ROW({keys}), illness)",
    "enhanced_beta_likeness": "enhanced_beta_likeness(ROW({keys}), illness)",
    "t_closeness": "t_closeness(ROW({keys}), illness)",
    "delta_disclosure": "delta_disclosure(ROW({keys}), illness)",
}


# sdc.check_anonymity gives k, p, l and t in one call; pyCANON's functions for what it was asked, and for all of it
CHECKS = {
    "k and p": ["k_anonymity", "l_diversity"],
    "k, p, l, t": ["k_anonymity", "l_diversity", "alpha_k_anonymity", "t_closeness"],
}


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


def ours(source, aggregate):
    query = f"SELECT sdc.{aggregate.format(keys=', '.join(KEYS))} FROM {source}"
    return float(psql(f"SELECT ms($bench${query}$bench$, 3)")) / 1000


def checked(source):
    """What sdc.check_anonymity took, as benches/checks.sql has measured."""
    return float(psql(f"SELECT ms FROM candidate WHERE task = 'check: {source}, illness' AND who = 'sdc'")) / 1000


def report(task, here, there, finished):
    bound = "" if finished else "> "
    print(f"{task:<36} {here:8.2f} s {bound:>2}{there:8.1f} s {bound:>2}{there / here:6.0f} times", flush=True)


def compare(anonymity, source, table, properties):
    """Times of each property, here and there, and whether pyCANON came to an end."""
    times = {}
    for name in properties:
        arguments = (table, KEYS) if name == "k_anonymity" else (table, KEYS, ["illness"])
        mine = ours(source, PROPERTIES[name])
        theirs, finished = seconds(lambda: getattr(anonymity, name)(*arguments), LIMIT * mine)
        report(f"{source}: {name}", mine, theirs, finished)
        times[name] = mine, theirs, finished
    return times


def main():
    try:
        import pandas
        from pycanon import anonymity
    except ImportError as missing:
        print(f"pyCANON: skipped, {missing}")
        return
    for source, properties in [("masked", list(PROPERTIES)), ("raw", ["k_anonymity", "l_diversity"])]:
        began = time.monotonic()
        rows = psql(f"COPY (SELECT {', '.join(KEYS)}, illness FROM {source}) TO STDOUT (FORMAT csv, HEADER)")
        table = pandas.read_csv(io.StringIO(rows), dtype={"zip": str})
        loading = time.monotonic() - began
        print(f"{source}: loading {loading:.1f} s")
        times = compare(anonymity, source, table, properties)
        here, there, finished = zip(*times.values())
        report(f"{source}: all of these and loading", sum(here), sum(there) + loading, all(finished))
        for task, names in CHECKS.items():
            if all(name in times for name in names):
                theirs = [times[name] for name in names]
                there = sum(seconds for _, seconds, _ in theirs) + loading
                report(f"{source}: check_anonymity, {task}", checked(source), there, all(done for *_, done in theirs))


if __name__ == "__main__":
    main()
