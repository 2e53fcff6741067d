"""Checks, publishes and reports a table from Python, with psycopg 3:

    pip install "psycopg[binary]"
    python examples/clients/publish.py          with PGHOST, PGPORT, PGUSER, PGDATABASE as for psql
"""

import psycopg
from psycopg import errors

with psycopg.connect(autocommit=False) as connection:
    # warnings about earlier releases are notices of the connection
    connection.add_notice_handler(lambda notice: print(f"{notice.severity}: {notice.message_primary}"))
    # lists are arrays, dictionaries JSON: name arguments, as in SQL
    keys, sensitive = ["age", "sex"], ["illness"]
    try:
        with connection.transaction():
            connection.execute("SELECT sdc.assert_anonymity('patient', %s, %s, k => %s, p => %s)", (keys, sensitive, 5, 2))
    except errors.CheckViolation as refused:
        print("the table itself must not be published:", refused.diag.message_primary)
        print("because", refused.diag.message_detail)
    release = connection.execute(
        "SELECT id, rows, achieved->>'k', achieved->>'p' FROM sdc.publish_microaggregated('patient', 'patient_public', %s, k => %s, sensitive => %s, p => %s, replace => true)",
        (keys, 5, sensitive, 2),
    ).fetchone()
    print("release {}: {} rows, k = {}, p = {}".format(*release))
    page = connection.execute("SELECT sdc.report(%s::bigint)", release[:1]).fetchone()[0]
    print(f"a report of {len(page) // 1000} kB")
