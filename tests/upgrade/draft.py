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
    text = definition.rstrip().replace("CREATE OR REPLACE FUNCTION", "CREATE FUNCTION")
    text = re.sub(r"::(double precision|[\w.]+)(\[\])?", "", text)
    return re.sub(r"\nAS '[^']*', \$function\$(\w+)\$function\$$", r"\nAS 'MODULE_PATHNAME', '\1';", text)


def comment(name, said):
    what = re.sub(r"^(function|aggregate|window function) ", "FUNCTION ", name)
    return f"COMMENT ON {what} IS '{said.replace(chr(39), chr(39) * 2)}';"


def remark(text):
    return "-- " + text.replace("\n", "\n-- ")


old, new = entries(sys.argv[1]), entries(sys.argv[2])
for (kind, name), said in new.items():
    before = old.get((kind, name))
    if before == said or kind == "extension":
        continue
    if kind == "object":
        print(comment(name, said))
    elif kind == "function" and before is None and said.startswith("CREATE"):
        print(create(said))
    else:
        print(remark(f"{kind} {name} was {before}\nand is {said}"))
for kind, name in sorted(old.keys() - new.keys()):
    print(remark(f"gone: {kind} {name}"))
