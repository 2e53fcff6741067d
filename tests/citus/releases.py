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
    "ALTER TABLE sdc.release_end DROP CONSTRAINT release_end_release_fkey",
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


def ask(cluster, tally):
    settings(cluster.coordinator, tally)
    spread(cluster.coordinator, tally)
    compare(cluster.coordinator, tally, "with a register of its own")
    pages(cluster.coordinator, tally)
    share_register(cluster, tally)
    compare(cluster.coordinator, tally, "with a shared register")
