#!/usr/bin/env python3
"""Drafts an upgrade script from two listings of tests/upgrade/objects.sql, the old version's and
the new one's: CREATE and COMMENT for what is new, a remark for what changed or is gone."""
import re
import sys

KINDS = "object|function|relation|column|constraint|index|policy|schema|extension"


def entries(path):
    """What is said about each object, by kind and name."""
    text = open(path, encoding="utf8").read()
    parts = re.split(rf"^({KINDS}) \| ", text, flags=re.M)[1:]
    found = {}
    for kind, rest in zip(parts[::2], parts[1::2]):
        name, _, said = rest.rstrip("\n").partition(" | ")
        found[kind, name] = said
    return found


def create(definition):
    """A function's definition as an extension script has it."""
    text = definition.replace("CREATE OR REPLACE FUNCTION", "CREATE FUNCTION").replace("'$libdir/pg_sdc'", "'MODULE_PATHNAME'")
    return re.sub(r"\$function\$(\w+)\$function\$\s*$", r"'\1'", text.rstrip()).rstrip() + ";"


old, new = entries(sys.argv[1]), entries(sys.argv[2])
for key, said in new.items():
    kind, name = key
    if key not in old:
        if kind == "function" and said.startswith("CREATE"):
            print(create(said))
        elif kind == "object":
            what = re.sub(r"^(function|aggregate|window function) ", "FUNCTION ", name)
            print(f"COMMENT ON {what} IS '{said}';".replace("''", "'"))
        else:
            print(f"-- new {kind} {name}: {said}")
    elif old[key] != said and kind != "extension":
        print(f"-- {kind} {name} was:\n--   {old[key]}\n-- and is:\n--   {said}".replace("\n", "\n").replace("\n ", "\n--  "))
for kind, name in old.keys() - new.keys():
    print(f"-- gone: {kind} {name}")
