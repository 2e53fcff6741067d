-- In the manner of pg_stat_progress_*: long-running calls of pg_sdc in this database.

COMMENT ON FUNCTION sdc.progress_info() IS 'internal: what the view sdc.progress shows';

CREATE VIEW sdc.progress AS
SELECT p.pid,
       CASE WHEN p.relid OPERATOR(pg_catalog.<>) 0::pg_catalog.oid THEN p.relid::pg_catalog.regclass END AS relation,
       p.phase, p.done, p.total
FROM sdc.progress_info() p
WHERE p.datid OPERATOR(pg_catalog.=) (SELECT d.oid FROM pg_catalog.pg_database d
                                      WHERE d.datname OPERATOR(pg_catalog.=) pg_catalog.current_database());
COMMENT ON VIEW sdc.progress IS 'long-running calls of pg_sdc in this database, and how far they are';
GRANT USAGE ON SCHEMA sdc TO PUBLIC;
