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
        tally.expect(f"{name} on one node {when}", str("ERROR" in wanted), "False" if "ERROR" not in wanted else wanted)
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


def ask(cluster, tally):
    compare(cluster.coordinator, tally, "with a register of its own")
    pages(cluster.coordinator, tally)
    share_register(cluster, tally)
    compare(cluster.coordinator, tally, "with a shared register")
