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


def create(definition, replace=False):
    """A function's definition as an extension script has it."""
    text = definition.rstrip()
    if not replace:
        text = text.replace("CREATE OR REPLACE FUNCTION", "CREATE FUNCTION")
    text = re.sub(r"::(double precision|[\w.]+)(\[\])?", "", text)
    return re.sub(r"\nAS '[^']*', \$function\$(\w+)\$function\$$", r"\nAS 'MODULE_PATHNAME', '\1';", text)


def returned(definition):
    return re.search(r"^ RETURNS (.*)$", definition, flags=re.M).group(1)


def comment(name, said):
    what = re.sub(r"^(function|aggregate|window function) ", "FUNCTION ", name)
    return f"COMMENT ON {what} IS '{said.replace(chr(39), chr(39) * 2)}';"


def remark(text):
    return "-- " + text.replace("\n", "\n-- ")


def changed_function(name, before, said):
    """What replaces a function of the same arguments, and what must go before it."""
    if not (before.startswith("CREATE") and said.startswith("CREATE")):
        return [], [remark(f"function {name} was {before}\nand is {said}")]
    if returned(before) == returned(said):
        return [], [create(said, replace=True)]
    return [name], [create(said)]


old, new = entries(sys.argv[1]), entries(sys.argv[2])
gone = [name for kind, name in sorted(old.keys() - new.keys()) if kind == "function"]
created, remarks = [], []
for (kind, name), said in new.items():
    before = old.get((kind, name))
    if before == said or kind == "extension":
        continue
    if kind == "object":
        created.append(comment(name, said))
    elif kind == "function" and before is None and said.startswith("CREATE"):
        created.insert(0, create(said))
    elif kind == "function" and before is not None:
        retired, statements = changed_function(name, before, said)
        gone += retired
        created = statements + created
    else:
        remarks.append(remark(f"{kind} {name} was {before}\nand is {said}"))
for kind, name in sorted(old.keys() - new.keys()):
    if kind not in ("function", "object"):
        remarks.append(remark(f"gone: {kind} {name}"))
print("\n".join(remarks))
for name in gone:
    print(f"SELECT pg_temp.retire('{name}');")
print("\n".join(created))
