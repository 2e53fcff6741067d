#!/usr/bin/env python3
"""Compares the checking aggregates with pyCANON on Adult.

PG* environment variables say which server; psql must be on the PATH. Everything happens in
one transaction that is rolled back. Each figure is compared with pyCANON's and with the
definition, to 1e-9.
"""

import argparse
import io
import lzma
import math
import os
import random
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import definitions as by_definition


def skip(reason):
    print(f"skipped: {reason}")
    print("0 passed, 0 failed, 1 skipped")
    sys.exit(0)


try:
    import pandas
    from pycanon import anonymity as pycanon
except ImportError as missing:
    skip(f"{missing} (pip install pycanon)")

ROOT = Path(__file__).resolve().parents[2]
ADULT = Path(os.environ.get("SDC_DATA", ROOT.parent / "shared" / "data")) / "adult.csv.xz"
NUMBERS = {"age", "fnlwgt", "education_num", "capital_gain", "capital_loss", "hours_per_week"}
# nearly every value of fnlwgt is unique: pyCANON would take hours
LEFT_OUT = {"fnlwgt"}
WITH_UNKNOWNS = ["workclass", "occupation", "native_country"]
TOLERANCE = 1e-9
# aggregates over (keys, sensitive column), by the names used below
AGGREGATES = {
    "alpha": "alpha_k",
    "l": "l_diversity",
    "distinct": "p_sensitivity",
    "entropy": "entropy_l_diversity",
    "basic": "basic_beta_likeness",
    "enhanced": "enhanced_beta_likeness",
    "t": "t_closeness",
    "delta": "delta_disclosure",
}

EXPLANATIONS = {
    "entropy": "pyCANON cuts exp(entropy) down to a whole number, in floating point: a group of "
    "two, three or four equally frequent values gets 1, 2 or 3",
    "recursive": "pyCANON sorts the counts in ascending order: r1 is the rarest value's count, not "
    "the most frequent's, and its c is too small",
    "enhanced": "pyCANON cuts the largest gain off at -ln p of the rarest value instead of holding "
    "each value to its own -ln p; where no beta suffices the figure is infinite",
    "NULL": "pyCANON leaves out rows with a NULL in a key; as in GROUP BY, NULL is a value like "
    "any other: the figures are those of a table with '?' in its place",
}


@dataclass
class Choice:
    """Which columns are keys and which sensitive; `other` is a second sensitive column."""

    keys: list
    sensitive: str
    other: str


@dataclass
class Result:
    """One property of one choice: does our figure follow the definition, and pyCANON's?"""

    property: str
    right: bool
    agrees: bool
    explained: bool
    figures: str

    @property
    def passed(self):
        return self.right and (self.agrees or self.explained)

    @property
    def mark(self):
        return "!" if not self.passed else "=" if self.agrees else "~"


def close(a, b):
    if math.isinf(a) or math.isinf(b):
        return a == b
    return abs(a - b) <= TOLERANCE * max(1, abs(b))


def result(name, ours, theirs, definition, explained=False):
    agrees = close(ours, theirs)
    return Result(name, close(ours, definition), agrees, explained, f"{ours} {theirs} {definition}")


def read_adult():
    if not ADULT.exists():
        skip(f"no {ADULT.name} (SDC_DATA names the directory)")
    return lzma.open(ADULT, "rt", encoding="utf-8").read()


def draw(frame, count, seed):
    """Random choices that pyCANON can answer within seconds: it looks for every value in every group."""
    generator = random.Random(seed)
    columns = [column for column in frame.columns if column not in LEFT_OUT]
    # in the first the group of the unknown is the one farthest from the table, which draws seldom give
    choices = [Choice(["occupation"], "hours_per_week", "age")]
    while len(choices) < count:
        *keys, sensitive, other = generator.sample(columns, generator.randint(3, 6))
        groups = frame.groupby(keys).ngroups
        if groups * frame[sensitive].nunique() <= 3000:
            choices.append(Choice(keys, sensitive, other))
    return choices


def quoted(columns):
    return ", ".join(f'"{column}"' for column in columns)


def figures_query(choice, table, constants):
    """One row: every aggregate; recursive diversity once for each constant c."""
    keys, sensitive = quoted(choice.keys), quoted([choice.sensitive])
    pair = f"ROW({keys}), {sensitive}"
    calls = [f"sdc.{name}({pair})" for name in AGGREGATES.values()]
    calls += [f"sdc.k_anonymity({keys})", f"sdc.p_sensitivity({pair}, {quoted([choice.other])})"]
    calls += [f"sdc.recursive_l_diversity({pair}, {c})" for c in constants]
    return f"SELECT {', '.join(calls)} FROM {table};"


def load_script(csv):
    header, rows = csv.split("\n", 1)
    columns = header.split(",")
    declared = ", ".join(f'"{column}" {"int" if column in NUMBERS else "text"}' for column in columns)
    nulls = ", ".join(f"nullif(\"{column}\", '?') AS \"{column}\"" for column in WITH_UNKNOWNS)
    rest = quoted(column for column in columns if column not in WITH_UNKNOWNS)
    return f"""
BEGIN;
SELECT to_regnamespace('sdc') IS NULL AS absent \\gset
\\if :absent
CREATE EXTENSION pg_sdc;
\\endif
CREATE TEMP TABLE adult ({declared});
COPY adult FROM STDIN WITH (FORMAT csv);
{rows.rstrip()}
\\.
CREATE TEMP TABLE adult_with_nulls AS SELECT {rest}, {nulls} FROM adult;
"""


def ask_server(csv, queries):
    """The figures of each query, and the seconds that all took."""
    script = load_script(csv) + "\n".join(queries) + "\nROLLBACK;\n"
    command = ["psql", "-X", "-q", "-t", "--csv", "-v", "ON_ERROR_STOP=1"]
    start = time.monotonic()
    answer = subprocess.run(command, input=script, capture_output=True, text=True, check=False)
    if answer.returncode != 0:
        sys.exit(f"psql failed: {answer.stderr.strip()}")
    return [named(line) for line in answer.stdout.split()], time.monotonic() - start


def named(line):
    """The figures of a query's row by name; those of recursive diversity are a list."""
    names = [*AGGREGATES, "k", "of two"]
    figures = [float(field) for field in line.split(",")]
    return dict(zip(names, figures)) | {"recursive": figures[len(names) :]}


def ask_pycanon(frame, choice):
    arguments = (frame, choice.keys, [choice.sensitive])
    return {
        "k": pycanon.k_anonymity(frame, choice.keys),
        "alpha": pycanon.alpha_k_anonymity(*arguments)[0],
        "distinct": pycanon.l_diversity(*arguments),
        "of two": pycanon.l_diversity(frame, choice.keys, [choice.sensitive, choice.other]),
        "entropy": pycanon.entropy_l_diversity(*arguments),
        "recursive": pycanon.recursive_c_l_diversity(*arguments),
        "basic": float(pycanon.basic_beta_likeness(*arguments)),
        "enhanced": float(pycanon.enhanced_beta_likeness(*arguments)),
        "t": float(pycanon.t_closeness(*arguments)),
        "delta": float(pycanon.delta_disclosure(*arguments)),
    }


def constants(data, theirs):
    """The c to ask about: pyCANON's, the least right one and the one below it."""
    c, l = theirs["recursive"]
    if l == 1:
        return [1, 2, 3]
    right = by_definition.least_c(data, l)
    return [int(c), right, max(right - 1, 1)]


def compare_recursive(data, ours, theirs):
    c, l = theirs["recursive"]
    asked = constants(data, theirs)
    right = all(close(figure, by_definition.recursive_l(data, c)) for c, figure in zip(asked, ours))
    if l == 1:  # then pyCANON gives no c
        return Result("recursive", right, right, False, f"{ours} {theirs['recursive']}")
    explained = c == by_definition.least_c(data, l, most_frequent_first=False)
    return Result("recursive", right, c == asked[1], explained, f"{ours} {theirs['recursive']} {asked}")


def compare_entropy(data, ours, theirs):
    definition = by_definition.entropy_l(data)
    whole = math.floor(definition + TOLERANCE)
    # pyCANON's whole number, or one less where floating point falls just below it
    explained = theirs in (whole, whole - 1) if close(definition, whole) else theirs == whole
    return result("entropy", ours, theirs, definition, explained)


def closeness(choice):
    ordered = choice.sensitive in NUMBERS
    return by_definition.ordered_closeness if ordered else by_definition.equal_closeness


def compare(frame, choice, ours, theirs):
    data = by_definition.Groups(frame, choice.keys, choice.sensitive)
    other = by_definition.Groups(frame, choice.keys, choice.other)
    definition = {
        "k": by_definition.k_anonymity(data),
        "alpha": by_definition.alpha(data),
        "distinct": by_definition.distinct(data),
        "of two": min(by_definition.distinct(data), by_definition.distinct(other)),
        "basic": by_definition.basic_beta(data),
        "t": closeness(choice)(data),
        "delta": by_definition.delta(data),
    }
    cut_off = close(theirs["enhanced"], by_definition.pycanon_enhanced_beta(data))
    return [
        *(result(name, ours[name], theirs[name], right) for name, right in definition.items()),
        result("1/l", 1 / ours["l"], theirs["alpha"], definition["alpha"]),
        compare_entropy(data, ours["entropy"], theirs["entropy"]),
        compare_recursive(data, ours["recursive"], theirs),
        result("enhanced", ours["enhanced"], theirs["enhanced"], by_definition.enhanced_beta(data), cut_off),
    ]


def compare_nulls(frame, choice, ours, with_nulls):
    """With NULL for '?' no figure may change; pyCANON then looks at groups without NULL keys only."""
    same = all(ours[name] == with_nulls[name] for name in ours)
    keys = [key for key in choice.keys if key in WITH_UNKNOWNS]
    if not keys:
        return Result("NULL", same, same, False, "")
    unknown = frame.assign(**{key: frame[key].mask(frame[key] == "?") for key in keys})
    theirs = float(pycanon.t_closeness(unknown, choice.keys, [choice.sensitive]))
    data = by_definition.Groups(frame, choice.keys, choice.sensitive)
    explained = close(theirs, closeness(choice)(data.without_key("?")))
    return Result("NULL", same, close(ours["t"], theirs), explained, f"{with_nulls['t']} {theirs}")


def report(choices, results):
    names = list(dict.fromkeys(one.property for row in results for one in row))
    print("= agrees, ~ differs as explained, ! fails\n")
    print("   ", " ".join(names))
    for number, (choice, row) in enumerate(zip(choices, results), 1):
        marks = {one.property: one.mark for one in row}
        line = " ".join(marks.get(name, " ").center(len(name)) for name in names)
        print(f"{number:3} {line}  {choice.sensitive} by {', '.join(choice.keys)}")
        for one in row:
            if not one.passed:
                print(f"    {one.property}: {one.figures}")
    print()
    for name, explanation in EXPLANATIONS.items():
        marks = [one.mark for row in results for one in row if one.property == name]
        print(f"{name}: {marks.count('=')} agree, {marks.count('~')} differ: {explanation}.")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--choices", type=int, default=36)
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def main():
    options = arguments()
    csv = read_adult()
    frame = pandas.read_csv(io.StringIO(csv), keep_default_na=False)
    ask_server(csv, [])  # a server that cannot answer is better known before pyCANON's minutes
    choices = draw(frame, options.choices, options.seed)
    start = time.monotonic()
    theirs = [ask_pycanon(frame, choice) for choice in choices]
    pycanon_seconds = time.monotonic() - start
    queries = []
    for choice, answer in zip(choices, theirs):
        data = by_definition.Groups(frame, choice.keys, choice.sensitive)
        for table in ["adult", "adult_with_nulls"]:
            queries.append(figures_query(choice, table, constants(data, answer)))
    ours, server_seconds = ask_server(csv, queries)
    plain, with_nulls = ours[::2], ours[1::2]
    results = []
    for choice, mine, other, answer in zip(choices, plain, with_nulls, theirs):
        nulls = compare_nulls(frame, choice, mine, other)
        results.append([*compare(frame, choice, mine, answer), nulls])
    report(choices, results)
    passed = sum(one.passed for row in results for one in row)
    failed = sum(len(row) for row in results) - passed
    print(f"\npyCANON took {pycanon_seconds:.1f} s, the server {server_seconds:.1f} s for twice the figures")
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
