-- Sequences: releases that continue each other. What a sequence remembers links persons to groups,
-- so nobody but the library reads or writes these tables; publishers read sdc.memberships.

CREATE TABLE sdc.release_sequence (
    release  bigint PRIMARY KEY,
    sequence bigint NOT NULL
);
CREATE INDEX ON sdc.release_sequence (sequence);
COMMENT ON TABLE sdc.release_sequence IS 'internal: the sequence that a release belongs to';
COMMENT ON COLUMN sdc.release_sequence.sequence IS 'first release of the sequence';

CREATE TABLE sdc.membership (
    sequence bigint NOT NULL,
    person   text NOT NULL,
    grp      int NOT NULL,
    place    int NOT NULL,
    since    bigint NOT NULL
);
CREATE INDEX ON sdc.membership USING brin (sequence);
COMMENT ON TABLE sdc.membership IS 'internal: who is in which group of a sequence; sdc.memberships shows them to its publisher';
COMMENT ON COLUMN sdc.membership.place IS 'slot of the person; 0 for anatomy';
COMMENT ON COLUMN sdc.membership.since IS 'release in which the person joined the group';

CREATE TABLE sdc.sequence_group (
    sequence bigint NOT NULL,
    grp      int NOT NULL,
    number   int NOT NULL,
    shown    text
);
CREATE INDEX ON sdc.sequence_group USING brin (sequence);
COMMENT ON TABLE sdc.sequence_group IS 'internal: what each group of a sequence shows in every release';
COMMENT ON COLUMN sdc.sequence_group.grp IS 'group of sdc.membership; for anatomy a set of values';
COMMENT ON COLUMN sdc.sequence_group.number IS 'number of the key, or of the value of the set';
COMMENT ON COLUMN sdc.sequence_group.shown IS 'the key that the group shows, or the value, as text';

CREATE TABLE sdc.sequence_slot (
    sequence  bigint NOT NULL,
    slot      int NOT NULL,
    signature int NOT NULL,
    shown     text NOT NULL
);
CREATE INDEX ON sdc.sequence_slot USING brin (sequence);
COMMENT ON TABLE sdc.sequence_slot IS 'internal: what each member of the groups of a sequence shows; not for anatomy';
COMMENT ON COLUMN sdc.sequence_slot.slot IS 'place of sdc.membership: each group has one person in each slot of its signature';
COMMENT ON COLUMN sdc.sequence_slot.signature IS 'what a group shows of its members';
COMMENT ON COLUMN sdc.sequence_slot.shown IS 'hash of what is published of the person in the slot as it is';

-- An entry that is deleted leaves nothing behind.
CREATE FUNCTION sdc.forget_release() RETURNS trigger
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $forget$
BEGIN
    -- on any other table it would delete entries of others in the name of whoever deletes rows there
    IF TG_RELID OPERATOR(pg_catalog.<>) 'sdc.release'::pg_catalog.regclass THEN
        RAISE EXCEPTION USING ERRCODE = 'feature_not_supported', MESSAGE = 'sdc.forget_release() is for sdc.release alone';
    END IF;
    DELETE FROM sdc.release_end e WHERE e.release OPERATOR(pg_catalog.=) OLD.id;
    DELETE FROM sdc.release_sequence q WHERE q.release OPERATOR(pg_catalog.=) OLD.id;
    DELETE FROM sdc.membership m WHERE m.sequence OPERATOR(pg_catalog.=) OLD.id;
    DELETE FROM sdc.sequence_group g WHERE g.sequence OPERATOR(pg_catalog.=) OLD.id;
    DELETE FROM sdc.sequence_slot s WHERE s.sequence OPERATOR(pg_catalog.=) OLD.id;
    RETURN NULL;
END
$forget$;
REVOKE EXECUTE ON FUNCTION sdc.forget_release() FROM PUBLIC;
COMMENT ON FUNCTION sdc.forget_release() IS 'internal: deletes what hangs on an entry of the register';
CREATE TRIGGER forget AFTER DELETE ON sdc.release FOR EACH ROW EXECUTE FUNCTION sdc.forget_release();

-- A sequence goes on after a restore.
SELECT pg_catalog.pg_extension_config_dump('sdc.release_sequence', '');
SELECT pg_catalog.pg_extension_config_dump('sdc.membership', '');
SELECT pg_catalog.pg_extension_config_dump('sdc.sequence_group', '');
SELECT pg_catalog.pg_extension_config_dump('sdc.sequence_slot', '');

CREATE VIEW sdc.memberships WITH (security_barrier) AS
SELECT o.sequence, f.person, f.grp, f.since
FROM (SELECT l.id AS sequence FROM sdc.registered l
      WHERE pg_catalog.pg_has_role(l.publisher, 'USAGE')
        AND EXISTS (SELECT FROM sdc.release_sequence q WHERE q.sequence OPERATOR(pg_catalog.=) l.id)
      OFFSET 0) o
CROSS JOIN LATERAL (
    SELECT m.person, m.grp, m.since
    FROM sdc.membership m
    WHERE m.sequence OPERATOR(pg_catalog.=) o.sequence
      AND NOT EXISTS (SELECT FROM sdc.membership n
                      WHERE n.sequence OPERATOR(pg_catalog.=) m.sequence AND n.person OPERATOR(pg_catalog.=) m.person
                        AND n.since OPERATOR(pg_catalog.>) m.since)
    OFFSET 0) f;
COMMENT ON VIEW sdc.memberships IS 'who is in which group of the caller''s sequences, and since which release; for anatomy grp is a set of values';

CREATE FUNCTION sdc.end_sequence(release bigint) RETURNS bigint
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'sdc_end_sequence';
COMMENT ON FUNCTION sdc.end_sequence(bigint)
    IS 'forgets who is in which group of the sequence that a release belongs to, and returns how many persons these were; its releases stay but cannot be continued';
