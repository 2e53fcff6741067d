-- Injection: SQL in the names of tables, columns, targets, hierarchies, and in predicates and
-- other texts is a name or a value, never SQL.
CREATE EXTENSION IF NOT EXISTS pg_sdc;
SET client_min_messages = error;
CREATE SCHEMA "in; DROP TABLE canary; --";
SET search_path = "in; DROP TABLE canary; --";
CREATE TABLE canary (alive bool);
CREATE TABLE "p""; DROP TABLE canary; --" ("a'); DROP TABLE canary; --" int, "b"" FROM canary; --" text, "c$$" text);
INSERT INTO "p""; DROP TABLE canary; --" SELECT i, 'b' || i % 4, 'c' || i % 5 FROM generate_series(1, 40) AS i;
\set source '''"p""; DROP TABLE canary; --"'''
\set keys 'ARRAY[''a''''); DROP TABLE canary; --'']::name[]'
\set b '''b" FROM canary; --'''
\set c '''c$$'''

-- checks
SELECT property, actual FROM sdc.check_anonymity(:source, :keys, ARRAY[:b, :c], k => 1, t => 1);
SELECT count(*) FROM sdc.violations(:source, :keys, ARRAY[:c], k => 2, t => 0.1);
SELECT max_p FROM sdc.feasibility(:source, ARRAY[:b], 2);
SELECT property, actual FROM sdc.check_anonymity(:source, :keys, ARRAY[:b], categories => '[["b0'']; DROP TABLE canary; --", "b0"], ["b1", "b2", "b3"]]');
SELECT property FROM sdc.check_anonymity(:source, :keys, entity => :c);

-- masks and releases, target names included
SELECT count(*) FROM sdc.microaggregate(NULL::"p""; DROP TABLE canary; --", :keys, 3);
SELECT target FROM sdc.publish_microaggregated(:source, '"m""; DROP TABLE canary; --"', :keys, 3, ARRAY[:b], 2, keep => ARRAY[:c]);
SELECT target FROM sdc.publish_anatomy(:source, '"a''; DROP TABLE canary; --"', :keys, :b, 2);
SELECT target FROM sdc.publish_permutation(:source, '"$$; DROP TABLE canary; --"', :keys, :b, 2);
SELECT target FROM sdc.publish_p_alpha(:source, '"c''; DROP TABLE canary; --"', :keys, :b, '[["b0", "''); DROP TABLE canary; --"], ["b1", "b2", "b3"]]', 3, 2, 1, publish => 'both');
SELECT sdc.publish_p_alpha(:source, 'x', :keys, :b, '[["b0"], ["b1", "b2", "b3"]]', 3, 2, 1, publish => '''; DROP TABLE canary');
SELECT sum(rows) AS rows FROM sdc.histogram(:source, :keys, entity => :c);
SELECT count(*) FROM sdc.risk_utility(NULL::"p""; DROP TABLE canary; --", :keys, '{2,3}', ARRAY[:b], 2);
SELECT sdc.report(:source, :keys, ARRAY[:b], k => 2, p => 2, ks => '{2}') LIKE '%&quot; FROM canary; --%' AS page;
SELECT count(sdc.report(id)) AS pages FROM sdc.releases WHERE source LIKE '"in; DROP%';
SELECT sdc.interval_hierarchy(:source, 'a''); DROP TABLE canary; --', '"h''""; --"', '{10,20}');
SELECT sdc.prefix_hierarchy(:source, :c, '"x''; --"');
SELECT sdc.grouping_hierarchy(:source, :b, '"g""; --"', '[{"''); DROP TABLE canary; --": ["b0", "b1", "b2", "b3"]}]');
SELECT level0, level1 FROM "g""; --" ORDER BY level0;
SELECT sdc.generalize(5, '"h''""; --"', 1);
SELECT target, rows FROM sdc.publish_generalized(:source, '"n''; --"',
    jsonb_build_object('a''); DROP TABLE canary; --', '"h''""; --"'), 2, ARRAY[:b], 2, keep => ARRAY[:c]);

-- predicates
SELECT sdc.estimate_count('"a''; DROP TABLE canary; --"', '"b"" FROM canary; --" = ''b1''');
SELECT sdc.estimate_count('"a''; DROP TABLE canary; --"', '"b"" FROM canary; --" = ''b1''''; DROP TABLE canary; --''');
SELECT sdc.estimate_count('"a''; DROP TABLE canary; --"', '"b"" FROM canary; --" = ''b1''; DROP TABLE canary; --');
SELECT sdc.estimate_count('"a''; DROP TABLE canary; --"', 'true) OR (SELECT count(*) FROM pg_authid) > (0');
SELECT sdc.estimate_count('"a''; DROP TABLE canary; --"', '(SELECT 1) = 1');
SELECT sdc.estimate_count('"a''; DROP TABLE canary; --"', E'"c$$" = E''\\''; DROP TABLE canary; --''');

-- texts that are no names at all
SELECT sdc.publish_anatomy(:source, 'x; DROP TABLE canary', :keys, :b, 2);
SELECT sdc.publish_anatomy(:source, 'a.b.c', :keys, :b, 2);
SELECT sdc.publish_anatomy(:source, '', :keys, :b, 2);
SELECT sdc.publish_anatomy(:source, 'nulls', :keys, :b, 2, nulls => ''';DROP TABLE canary');
SELECT sdc.publish_microaggregated(:source, 'method', :keys, 2, method => ''';DROP TABLE canary');
SELECT sdc.minimal_generalizations(:source, '{"b\" FROM canary; --": "\"canary; DROP TABLE canary\""}', 2);
SELECT sdc.date_hierarchy('canary', 'alive', 'd', '{"year'', x); DROP TABLE canary; --"}');
SELECT count(*) FROM sdc.check_anonymity(:source, ARRAY['a"']::name[]);

-- the register brings the names back as they are
SELECT count(*) FROM sdc.releases WHERE source LIKE '"in; DROP%';
SELECT sdc.drop_release(id) FROM sdc.releases WHERE source LIKE '"in; DROP%';
SELECT relname FROM pg_class WHERE relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema) AND relkind IN ('r', 'v') ORDER BY relname COLLATE "C";
SET client_min_messages = warning;
DROP SCHEMA "in; DROP TABLE canary; --" CASCADE;
