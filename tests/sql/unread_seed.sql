-- What draws nothing does not read sdc.seed: a setting that is malformed stops what draws, alone.
CREATE EXTENSION IF NOT EXISTS pg_sdc;
CREATE TEMP TABLE few AS SELECT i, i % 3 AS s, i * i AS a FROM generate_series(1, 12) AS i;
SET sdc.seed = 'no number';
SELECT max(g) FROM (SELECT sdc.mdav(3, i, a) OVER () AS g FROM few) AS t;
SELECT max(g) FROM (SELECT sdc.mondrian(3, ROW(i, a)) OVER () AS g FROM few) AS t;
SELECT max(g) FROM (SELECT sdc.p_alpha_sensitive(3, 2, 1, ROW(i), 1 + s, 3) OVER () AS g FROM few) AS t;
SELECT max(g) FROM (SELECT sdc.p_sensitive(3, 2, ROW(i, a), ROW(s)) OVER () AS g FROM few) AS t;
SELECT max(g) FROM (SELECT sdc.p_sensitive(3, 2, ROW(i, a), ROW(s), 'merge') OVER () AS g FROM few) AS t;
SELECT count(*) FROM sdc.microaggregate(NULL::few, '{i,a}', 3);
SELECT count(*) FROM sdc.microaggregate(NULL::few, '{i,a}', 3, '{s}', 2, method => 'k_first');
SELECT max(g) FROM (SELECT sdc.p_sensitive(3, 2, ROW(i, a), ROW(s), 'random_rows') OVER () AS g FROM few) AS t;
SELECT max(g) FROM (SELECT sdc.anatomy(2, s) OVER () AS g FROM few) AS t;
SELECT count(*) FROM sdc.microaggregate(NULL::few, '{i,a}', 3, refine => true);
RESET sdc.seed;
