-- The report of 500,000 rows (ACS, 4 keys) beside the queries it rests on, with and without the
-- risk-utility curve, and of a release of them.
\ir acs.psql
\if :present
\else
    \quit
\endif
VACUUM ANALYZE acs;
SELECT id AS release FROM sdc.publish_microaggregated('acs', 'acs_public', '{age,gender,education,state}', 5, '{occ50}', 3) \gset

CREATE TABLE part (page text, query text);
INSERT INTO part VALUES
    ('table', 'SELECT array_agg(actual) FROM sdc.check_anonymity(''acs'', ''{age,gender,education,state}'', ''{occ50}'', k => 5, p => 3)'),
    ('table', 'SELECT array_agg(rows) FROM sdc.histogram(''acs'', ''{age,gender,education,state}'')'),
    ('table', 'SELECT sdc.reidentification_risk(age, gender, education, state) FROM acs'),
    ('table', 'SELECT sdc.p_sensitivity(ROW(age, gender, education, state), occ50) FROM acs'),
    ('curve', 'SELECT array_agg(loss) FROM sdc.risk_utility(NULL::acs, ''{age,gender,education,state}'', sensitive => ''{occ50}'', p => 3)'),
    ('release', 'SELECT array_agg(actual) FROM sdc.check_anonymity(''acs_public'', ''{age,gender,education,state}'', ''{occ50}'', k => 5, p => 3)'),
    ('release', 'SELECT array_agg(rows) FROM sdc.histogram(''acs_public'', ''{age,gender,education,state}'')'),
    ('release', 'SELECT sdc.reidentification_risk(age, gender, education, state) FROM acs_public'),
    ('release', 'SELECT sdc.p_sensitivity(ROW(age, gender, education, state), occ50) FROM acs_public'),
    ('release', 'SELECT encode(sha256(string_agg(part, '''' ORDER BY first)), ''hex'') FROM (SELECT get_byte(hash, 0) AS first,
        sha256(string_agg(hash, '''' ORDER BY hash)) AS part FROM (SELECT sha256(convert_to(ROW(r.*)::text, ''UTF8'')) AS hash FROM acs_public r) h GROUP BY 1) p');
-- the distribution of each key, before and after
INSERT INTO part
SELECT 'release', format('SELECT count(*) FROM (SELECT %1$I, count(*) FROM %2$I GROUP BY %1$I) g', key, source)
FROM   unnest('{age,gender,education,state}'::text[]) AS key, unnest('{acs,acs_public}'::text[]) AS source;

\echo 'Milliseconds; the target is 3 times the queries.'
WITH queries AS MATERIALIZED (SELECT page, sum(ms(query, CASE page WHEN 'curve' THEN 1 ELSE 3 END)) AS ms FROM part GROUP BY page),
     pages (page, parts, ms) AS MATERIALIZED (VALUES
         ('table', '{table}'::text[], ms('SELECT sdc.report(''acs'', ''{age,gender,education,state}'', ''{occ50}'', k => 5, p => 3, ks => NULL)')),
         ('table with curve', '{table,curve}', ms('SELECT sdc.report(''acs'', ''{age,gender,education,state}'', ''{occ50}'', k => 5, p => 3)', 1)),
         ('release', '{release}', ms(format('SELECT sdc.report_release(%s, ks => NULL)', :release))))
SELECT p.page, p.ms AS report, sum(q.ms) AS queries, round(p.ms / sum(q.ms), 2) AS ratio
FROM   pages p JOIN queries q ON q.page = ANY (p.parts)
GROUP  BY p.page, p.parts, p.ms ORDER BY p.ms;
