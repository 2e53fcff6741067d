"""Releases of distributed tables, their reports, and one register for all nodes."""
import questions

# {t} is the source; a release of the same rows on one node must promise the same
PUBLISH = {
    "microaggregated": "sdc.publish_microaggregated('{t}', 'released', '{{age,height}}', 5, '{{illness}}', 2, seed => 7)",
    "stratified": "sdc.publish_microaggregated('{t}', 'released', '{{age,height}}', 5, '{{illness}}', 2, strata => '{{region}}', seed => 7)",
    "generalized": "sdc.publish_generalized('{t}', 'released', '{{\"zip\": \"zips\"}}', 10, '{{illness}}', 2)",
    "mondrian": "sdc.publish_mondrian('{t}', 'released', '{{age,height}}', 5, '{{illness}}', 2)",
    "p_alpha": "sdc.publish_p_alpha('{t}', 'released', '{{age,height}}', 'illness', '" + questions.CATEGORIES + "', 5, 2, 1)",
    "anatomy": "sdc.publish_anatomy('{t}', 'released', '{{age,zip}}', 'illness', 3)",
    "permutation": "sdc.publish_permutation('{t}', 'released', '{{age,zip}}', 'illness', 3)",
    "suppressed": "sdc.publish_suppressed('{t}', 'released', '{{age,zip}}', 5)",
}
COPIES = ["by_id", "by_region"]
SHARE = [
    "DROP TRIGGER forget ON sdc.release",
    "ALTER TABLE sdc.release_relation DROP CONSTRAINT release_relation_release_fkey",
    "SELECT create_reference_table('sdc.release')",
    "SELECT create_reference_table('sdc.release_end')",
]


def publish(node, call):
    """What a release is found to be, its report's length and its checksum; then it is dropped."""
    lines = node.psql(
        f"SELECT rows, suppressed, achieved FROM {call}",
        "SELECT length(sdc.report((SELECT max(id) FROM sdc.releases))) > 1000",
        "SELECT bool_and(unchanged) FROM sdc.verify_release((SELECT max(id) FROM sdc.releases))",
        "SELECT sdc.drop_release((SELECT max(id) FROM sdc.releases))",
        check=False,
    )
    return "\n".join(line for line in lines.splitlines() if line)


def compare(node, tally, when):
    for name, call in PUBLISH.items():
        wanted = publish(node, call.format(t="local_sorted"))
        tally.expect(f"{name} on one node {when}: {wanted}", str("ERROR" not in wanted), "True")
        for copy in COPIES:
            found = publish(node, call.format(t=copy))
            tally.expect(f"{name} of {copy} {when}", found, wanted)


def pages(node, tally):
    for copy in COPIES:
        page = f"SELECT length(sdc.report('{copy}', keys => '{{age,height}}', sensitive => '{{illness}}')) > 1000"
        tally.expect(page, node.psql(page, check=False), "t")


def share_register(cluster, tally):
    """One register for all nodes: what is published on the coordinator is known on the workers."""
    node, worker = cluster.coordinator, cluster.workers[0]
    node.psql("SELECT id FROM " + PUBLISH["microaggregated"].format(t="by_id").replace("'released'", "'before'"))
    node.psql(*SHARE)
    node.psql("SELECT id FROM " + PUBLISH["anatomy"].format(t="by_region").replace("'released'", "'after'"))
    register = "SELECT string_agg(concat_ws(' ', id, target, rows), ', ' ORDER BY id) FROM sdc.releases"
    tally.expect("the register on a worker", worker.psql(register), node.psql(register))
    node.psql("SELECT sdc.drop_release(max(id)) FROM sdc.releases")
    tally.expect("the register on a worker after a release was dropped", worker.psql(register), node.psql(register))
    tally.expect("the register keeps its first entry", node.psql("SELECT target FROM sdc.releases"), "public.before")


def settings(node, tally):
    """sdc.seed and sdc.max_memory reach the workers, with the query and not after it."""
    permuted = "SELECT md5(string_agg(v, ',' ORDER BY id)) FROM (SELECT id, sdc.permute(illness) OVER (PARTITION BY region ORDER BY id) AS v FROM by_region) AS s"
    seeded = {node.psql("SET sdc.seed = 5", permuted) for _ in range(3)}
    tally.expect("permutations with a seed", str(len(seeded)), "1")
    free = {node.psql(permuted) for _ in range(3)}
    tally.expect("permutations without a seed", str(len(free)), "3")
    lines = node.psql("BEGIN", "SET LOCAL sdc.seed = 5", permuted, "RESET sdc.seed", permuted, permuted, "COMMIT").splitlines()
    tally.expect("a seed that was reset in the same transaction", str(len(set(lines))), "3")
    rows = "SELECT sdc.k_anonymity(id, n) FROM by_id CROSS JOIN generate_series(1, 200) AS n"
    limited = node.psql("SET sdc.max_memory = '1MB'", rows, check=False)
    tally.expect("a limit on memory", str("sdc.max_memory" in limited and "ERROR" in limited), "True")


def spread(node, tally):
    """A stratified release of a distributed table is distributed like it; replaced, it stays so."""
    call = PUBLISH["stratified"].format(t="by_region")
    count = "SELECT count(DISTINCT colocation_id), count(*) FROM citus_tables WHERE table_name IN ('released'::regclass, 'by_region'::regclass)"
    order = "SELECT count(*) FROM (SELECT age, lag(age) OVER () AS before FROM released) AS s WHERE age < before"
    for step in (call, call.replace("seed => 7", "seed => 8, replace => true")):
        node.psql(f"SELECT id FROM {step}")
        tally.expect(step, node.psql(count), "1|2")
        tally.expect("rows in no order", str(int(node.psql(order)) > 500), "True")
    tally.expect("its check", node.psql("SELECT count(*) FROM sdc.check_anonymity('released', '{region,age,height}', '{illness}', k => 5, p => 2) WHERE satisfied"), "2")
    tally.expect("its report", node.psql("SELECT length(sdc.report((SELECT max(id) FROM sdc.releases))) > 1000"), "t")
    node.psql("SELECT sdc.drop_release((SELECT max(id) FROM sdc.releases))")


# releases whose strata are masked on the workers: their arguments, and the order in which their rows
# are read
STRATIFIED = {
    "keys of all kinds": ("'{age,height,feeling,score}', 5, '{illness}', 2, keep => '{cat}'", "age, height, feeling, score, illness, cat"),
    "a seed": ("'{age,height}', 5, '{illness}', 2, method => 'random_rows', seed => 3", "age, height, illness"),
    "persons": ("'{age,height}', 3, '{illness}', 2, entity => 'owner', l => 1.5", "age, height, illness, region, owner"),
    "NULLs, weights and codes": ("'{gap,zip,cat}', 4, weights => '{\"gap\": 3}', categorical => '{cat}'", "gap, zip, cat"),
    "refined": ("'{age,height}', 5, refine => true, effort => 1, seed => 3, standardize => false", "age, height"),
}
# persons are in one region each, and one region is too small for any promise
STRATA = """
CREATE TABLE strata_local AS
SELECT id, age, (id * 16807 % 2147)::float8 AS height, CASE WHEN id % 7 > 0 THEN age END AS gap, zip, illness, cat, feeling, score, person,
       CASE WHEN id % 500 = 1 THEN 'isle ' || id % 3 ELSE region END AS region,
       CASE WHEN id % 500 = 1 THEN 'isle ' || id ELSE region || person % 400 END AS owner
FROM local_rows ORDER BY id;
CREATE TABLE strata_spread (LIKE strata_local);
SELECT create_distributed_table('strata_spread', 'region');
INSERT INTO strata_spread SELECT * FROM strata_local ORDER BY random();
"""
CONTENT = "SELECT count(*), md5(string_agg(r::text, ',' ORDER BY r::text)) FROM {} AS r"
# what Citus says where it does not push an INSERT … SELECT down
NOT_PUSHED = ("collecting insert ... select results on coordinator", "performing repartitioned insert ... select")


def masked_on_workers(node, tally):
    """Strata are masked where they are: the release holds the rows of the releases of each stratum on
    one node, and promises what the release of all of them does."""
    node.psql(*filter(str.strip, STRATA.split(";\n")))
    call = "sdc.publish_microaggregated('{t}', '{to}', {arguments}, strata => '{{region}}'{more})"
    for what, (arguments, order) in STRATIFIED.items():
        call_of = lambda source, to, more: call.format(t=source, to=to, arguments=arguments, more=more)
        lenient = ", max_suppressed => 100"
        said = node.psql(f"SELECT id FROM {call_of('strata_spread', 'masked', lenient)}", options="-c client_min_messages=debug1", messages=True)
        tally.expect(f"{what}: pushed down", str([line for line in NOT_PUSHED if line in said.lower()]), "[]")
        parts = []
        for number, region in enumerate(["north", "south"]):
            node.psql(f"CREATE VIEW part_source AS SELECT * FROM strata_local WHERE region = '{region}' ORDER BY {order}")
            node.psql(f"SELECT id FROM {call_of('part_source', f'part_{number}', '')}")
            parts.append(f"SELECT * FROM part_{number}")
            node.psql("ALTER VIEW part_source RENAME TO part_source_%d" % number)
        union = "(" + " UNION ALL ".join(parts) + ")"
        tally.expect(f"{what}: rows", node.psql(CONTENT.format("masked")), node.psql(CONTENT.format(union)))
        entry = "SELECT rows, suppressed, groups, achieved - 'persons', achieved -> 'persons' FROM sdc.releases WHERE target LIKE 'public.{}'"
        least = f"SELECT sum(rows), 6, sum(groups), jsonb_strip_nulls(jsonb_build_object('k', min((achieved ->> 'k')::int), 'l', min((achieved ->> 'l')::float8), 'p', min((achieved ->> 'p')::int))), sum((achieved ->> 'persons')::int) FROM sdc.releases WHERE target LIKE 'public.part_%'"
        found = entry.format("masked").replace("achieved - 'persons'", "jsonb_strip_nulls(achieved - 'persons')")
        tally.expect(f"{what}: the register", node.psql(found), node.psql(least))
        loss = node.psql("SELECT (loss ->> 'information_loss')::float8 BETWEEN 0.0001 AND 99 FROM sdc.releases WHERE target = 'public.masked'")
        tally.expect(f"{what}: loss", loss, "t")
        tally.expect(f"{what}: unchanged", node.psql("SELECT unchanged FROM sdc.releases AS r, sdc.verify_release(r.id) WHERE target = 'public.masked'"), "t")
        tally.expect(f"{what}: nothing is left", node.psql("SELECT count(*) FROM pg_class WHERE relname LIKE 'pg_sdc_rows%'"), "0")
        node.psql("SELECT sdc.drop_release(id) FROM sdc.releases WHERE target ~ 'public.(masked|part_)'")
        node.psql("DROP VIEW part_source_0, part_source_1")
    refusals(node, tally, call)


def refusals(node, tally, call):
    """What a release of one node refuses is refused in the same words, and leaves nothing behind."""
    wrong = {
        "small strata": "'{age,height}', 5",
        "persons of several strata": "'{age,height}', 5, entity => 'person', max_suppressed => 100",
        "strata of which all fail": "'{age,height}', 5, '{illness}', 8",
    }
    for what, arguments in wrong.items():
        said = [node.psql(f"SELECT id FROM {call.format(t=source, to='masked', arguments=arguments, more='')}", check=False) for source in ("strata_spread", "strata_local")]
        tally.expect(what, said[0], said[1])
        tally.expect(f"{what}: an error", str("ERROR" in said[0]), "True")
    tally.expect("nothing is left", node.psql("SELECT count(*) FROM pg_class WHERE relname LIKE 'pg_sdc_rows%' OR relname = 'masked'"), "0")
    # groups are compared with all rows: on one node, and the table is distributed all the same
    close = call.format(t="strata_spread", to="masked", arguments="'{age,height}', 50, '{illness}', t => 0.6", more="").replace("'strata_spread'", "'by_region'")
    node.psql(f"SELECT id FROM {close}")
    tally.expect("t", node.psql("SELECT count(*) FROM citus_tables WHERE table_name = 'masked'::regclass"), "1")
    node.psql("SELECT sdc.drop_release(id) FROM sdc.releases WHERE target = 'public.masked'")


def ask(cluster, tally):
    settings(cluster.coordinator, tally)
    spread(cluster.coordinator, tally)
    masked_on_workers(cluster.coordinator, tally)
    compare(cluster.coordinator, tally, "with a register of its own")
    pages(cluster.coordinator, tally)
    share_register(cluster, tally)
    compare(cluster.coordinator, tally, "with a shared register")
