-- sdc.report: the page's words. What it looks like is tested in a browser, by tests/run-browser.
CREATE EXTENSION IF NOT EXISTS pg_sdc;
SET client_min_messages = error;
CREATE SCHEMA clinic;
CREATE TABLE clinic.patient AS
SELECT i AS id, 20 + (i * 37) % 60 AS age, 150 + (i * 79) % 40 AS height, date '1950-01-01' + (i * 271) % 9000 AS born,
       CASE WHEN i % 3 = 0 THEN 'F' ELSE 'M' END AS sex, (ARRAY['Flu', 'HIV', 'Cancer', 'Asthma'])[1 + i % 4] AS illness
FROM   generate_series(1, 240) AS i;
-- what a reader sees: without styles and tags, one line for each block
CREATE FUNCTION words(page text) RETURNS SETOF text LANGUAGE sql AS $$
    SELECT regexp_replace(line, 'sdc\.attack\(\d+\)', 'sdc.attack(N)') FROM (
        SELECT trim(regexp_replace(regexp_replace(regexp_replace(regexp_replace(
                   regexp_replace(replace(page, '&#160;', ' '), '<style>.*</style>', ''), '</(p|h[1-3]|tr|dd|text|title|div|summary|pre)>', E'\n', 'g'),
                   '</(td|th|dt|strong)>', ' | ', 'g'), '<[^>]*>', '', 'g'), '(\| )+(\n|$)', E'\n', 'g')) AS text) t,
        regexp_split_to_table(text, '\n') AS line
    WHERE line <> '' AND line !~ '^pg_sdc'
$$;

-- an error without the release's number
CREATE FUNCTION failure(query text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE query;
    RETURN 'none';
EXCEPTION WHEN OTHERS THEN
    RETURN format('%s: %s', SQLSTATE, regexp_replace(SQLERRM, '\d+', 'N'));
END $$;

SELECT * FROM words(sdc.report('clinic.patient', '{age,sex}', '{illness}', k => 5, p => 3, ks => NULL));
-- nothing required, no sensitive column; unknown literals find the table's form
SELECT count(*) > 10 AS page FROM words(sdc.report('clinic.patient', '{sex}'));
-- the figures are those of the functions behind it
SELECT page LIKE '%<strong>' || trim_scale(round(100 * risk::numeric, 1)) || '&#160;%</strong><span>on average%' AS same_risk,
       page LIKE '%k = 10</text>%' AS curve, page LIKE '%<td>' || loss || '&#160;%</td>%' AS same_loss
FROM  (SELECT sdc.report('clinic.patient', '{age,sex}', k => 3) AS page) p,
      (SELECT sdc.reidentification_risk(age, sex) AS risk FROM clinic.patient) r,
      (SELECT trim_scale(round(loss::numeric, CASE WHEN loss < 10 THEN 2 ELSE 1 END)) AS loss FROM sdc.risk_utility(NULL::clinic.patient, '{age,sex}', '{50}')) u;

-- the sample against its population, or against what weights say of it; the figures are those of sdc.risk
CREATE TABLE clinic.resident AS SELECT sex, district FROM (VALUES ('F', 1, 5), ('M', 1, 2), ('F', 2, 6), ('M', 2, 1)) v (sex, district, n), generate_series(1, n);
CREATE TABLE clinic.survey AS SELECT sex, district, weight FROM (VALUES ('F', 1, 1, 5), ('M', 1, 2, 1), ('F', 2, 3, 2)) v (sex, district, n, weight), generate_series(1, n);
CREATE FUNCTION by_attacker(page text) RETURNS SETOF text LANGUAGE sql AS
$$ SELECT w FROM words(page) AS w WHERE w ~ '^(k-map|delta-presence|prosecutor|journalist|marketer) \| [^a-z]|in the population|^Risky columns' $$;
SELECT * FROM by_attacker(sdc.report('clinic.survey', '{sex,district}', population => 'clinic.resident', k_map => 3, delta => 0.9));
SELECT * FROM by_attacker(sdc.report('clinic.survey', '{sex,district}', weight => 'weight'));
SELECT * FROM by_attacker(sdc.report('clinic.survey', '{sex,district}', population => 'clinic.resident', k => 1, k_map => 2, audience => 'public'));
SELECT attacker, measure, round(value::numeric, 3) AS value FROM sdc.risk('clinic.survey', '{sex,district}', population => 'clinic.resident')
WHERE measure ~ 'average|k_map|delta|expected';
SELECT failure($$SELECT sdc.report('clinic.survey', '{sex,district}', weight => 'sex')$$);
SELECT failure($$SELECT sdc.report('clinic.survey', '{sex,district}', weight => 'weight', population => 'clinic.resident')$$);

-- the page stands alone, is ASCII, and closes the elements it opens
CREATE VIEW page AS SELECT sdc.report('clinic.patient', '{age,sex}', '{illness}', k => 5) AS html;
SELECT html ~ '^<!DOCTYPE html><html lang="en">' AS html, html !~ '[^\x01-\x7f]' AS ascii, html !~* '(https?:|<script|src=|url\(|@import)' AS alone,
       html LIKE '%http-equiv="Content-Security-Policy" content="default-src ''none''%' AS policy,
       (SELECT count(*) FROM regexp_matches(html, '<svg', 'g')) = (SELECT count(*) FROM regexp_matches(html, '</svg>', 'g')) AS closed,
       (SELECT count(*) FROM regexp_matches(html, '<figure><svg[^>]*role="img" aria-labelledby="([^"]*)"[^>]*><title id="\1">', 'g'))
     = (SELECT count(*) FROM regexp_matches(html, '<figure>', 'g')) AS titled
FROM   page;

-- every name is escaped
CREATE TABLE clinic."<b>odd" ("<script>alert(1)</script>" int, "a""b'&" text);
INSERT INTO clinic."<b>odd" SELECT i % 5, i % 3 FROM generate_series(1, 30) AS i;
SELECT page LIKE '%&lt;script&gt;alert(1)&lt;/script&gt;%' AS shown, page ~ '<script' AS script, page ~ '<b>' AS bold
FROM   sdc.report('clinic."<b>odd"', ARRAY['<script>alert(1)</script>'], ARRAY['a"b''&'], k => 2, p => 2) AS page;

-- small and odd tables
CREATE TABLE clinic.odd AS SELECT 1 AS one, 'x'::text AS word, 'NaN'::float8 AS nan;
SELECT * FROM words(sdc.report('clinic.odd', '{one}', k => 2));
SELECT * FROM words(sdc.report('clinic.odd', '{one,nan}', '{word}', p => 2)) WHERE words ~ 'Left out|alone';
TRUNCATE clinic.odd;
SELECT * FROM words(sdc.report('clinic.odd', '{one}', '{word}', k => 2));

-- releases by each method, checked again as they stand
SELECT id AS averaged FROM sdc.publish_microaggregated('clinic.patient', 'clinic.averaged', '{age,born,sex}', 4, '{illness}', 2, method => 'p_first') \gset
SELECT sdc.interval_hierarchy('clinic.patient', 'age', 'clinic.age_h', '{20,40}') IS NOT NULL AS built;
SELECT id AS general FROM sdc.publish_generalized('clinic.patient', 'clinic.general', '{"age": "clinic.age_h"}', 4, '{illness}', 2) \gset
SELECT id AS anatomy FROM sdc.publish_anatomy('clinic.patient', 'clinic.anatomy', '{age,sex}', 'illness', 3, seed => 1) \gset
SELECT id AS permuted FROM sdc.publish_permutation('clinic.patient', 'clinic.permuted', '{age,sex}', 'illness', 3, seed => 1) \gset
SELECT regexp_replace(words, '^Release \d+', 'Release N') AS words FROM words(sdc.report_release(:averaged, ks => NULL)) WHERE words !~ 'Published|^[0-9a-f]{64}$|^ *(SET|SELECT|FROM|GROUP) ';
SELECT regexp_replace(words, '^Release \d+', 'Release N') AS words FROM words(sdc.report(:general)) WHERE words !~ 'Published|^[0-9a-f]{64}$|^ *(SET|SELECT|FROM|GROUP) ';
SELECT regexp_replace(words, '^Release \d+', 'Release N') AS words FROM words(sdc.report(:anatomy)) WHERE words !~ 'Published|^[0-9a-f]{64}$|^ *(SET|SELECT|FROM|GROUP) ';
SELECT words FROM words(sdc.report(:permuted)) WHERE words ~ 'diversity|Checksum|age \|';

-- a perturbed release promises nothing, and has a page
SELECT id AS blurred FROM sdc.publish_perturbed('clinic.patient', 'clinic.blurred', '{"age": {"method": "rank_swap", "percent": 5}, "born": {"method": "noise", "share": 0.1}}', keep => '{illness}', seed => 1) \gset
SELECT words FROM words(sdc.report(:blurred)) WHERE words ~ '^(Rows by value of|born \| (mean|sd|median)|Correlations|The keys were perturbed|Recommendation|These figures are of|The figures would hold|None of the attacks|How many values|il1s)';
SELECT sdc.drop_release(:blurred) \g /dev/null
-- ranges and sets are counted by what they stand for, beside the source: their charts are as long as the source's,
-- and no rows are lost
SELECT id AS recoded FROM sdc.publish_mondrian('clinic.patient', 'clinic.recoded', '{age,born,sex}', 7, '{illness}') \gset
SELECT words FROM words(sdc.report(:recoded)) WHERE words ~ '^(Rows by value of|(F|M|[A-Z][a-z]+|\d+&#8211;\d+) \| \d+ \| \d+ ?$)';
SELECT count(*) AS charts, bool_and(before = 240 AND after BETWEEN 239 AND 241) AS complete FROM (
    SELECT n, sum(part[1]::int) AS before, sum(part[2]::int) AS after
    FROM (SELECT words, count(*) FILTER (WHERE words ~ '^Rows by value') OVER (ORDER BY line) AS n FROM words(sdc.report(:recoded)) WITH ORDINALITY AS w (words, line)) w,
         regexp_match(words, '^\S+ ?\S* \| (\d+) \| (\d+) ?$') AS part WHERE n > 0 AND part IS NOT NULL GROUP BY n) c;
-- a set is no value of its own
SELECT count(*) AS sets FROM words(sdc.report(:recoded)) WHERE words ~ '\{';
-- a label that the source does not have cannot be read back, and stands as it is
SELECT sdc.drop_release(:recoded) \g /dev/null
SELECT sdc.prefix_hierarchy('clinic.patient', 'illness', 'clinic.illness_start', 2) \g /dev/null
SELECT id AS recoded FROM sdc.publish_mondrian('clinic.patient', 'clinic.recoded', '{age,illness}', 7, hierarchies => '{"illness": "clinic.illness_start"}') \gset
SELECT words FROM words(sdc.report(:recoded)) WHERE words ~ '^(Rows by value of|[A-Z*][a-z*]+ \| \d+ \| \d+ ?$)';
SELECT sdc.drop_release(:recoded) \g /dev/null

-- where blanks match anything, a release is judged as it was made: by matches, and by those who know so many keys
SELECT id AS blanked FROM sdc.publish_suppressed('clinic.patient', 'clinic.blanked', '{age,height,sex}', 5, '{illness}', reading => 'wildcard') \gset
SELECT words FROM words(sdc.report(:blanked)) WHERE words ~ 'requirement|^k-anonymity \| .*\d|Anyone who|keeps its promise';
SELECT sdc.drop_release(:blanked) \g /dev/null
SELECT id AS blanked, achieved ->> 'k_wildcard' AS all_keys FROM sdc.publish_suppressed('clinic.patient', 'clinic.blanked', '{age,height,sex}', 5, '{illness}', reading => 'wildcard', known_keys => 1) \gset
SELECT words FROM words(sdc.report(:blanked)) WHERE words ~ 'requirement|^k-anonymity \| .*\d|Anyone who|keeps its promise';
-- the figure is the least of all single keys
SELECT min(actual) AS by_single_keys, :all_keys AS by_all FROM unnest('{age,height,sex}'::name[]) AS key, sdc.check_anonymity('clinic.blanked', ARRAY[key], k => 5, nulls => 'wildcard');
-- who takes a value away that others were to match breaks the promise
UPDATE clinic.blanked SET age = 1000 WHERE ctid = (SELECT min(ctid) FROM clinic.blanked WHERE age IS NOT NULL);
UPDATE clinic.blanked SET age = 1001 WHERE age IS NULL;
SELECT words FROM words(sdc.report(:blanked)) WHERE words ~ 'requirement|Anyone who|anyone who|keep its promise';
SELECT sdc.drop_release(:blanked) \g /dev/null
-- sets of known keys are counted after one reading, and not at all where there are too many
CREATE TABLE clinic.wide AS SELECT g % 2 AS k1, 0 AS k2, 0 AS k3, 0 AS k4, 0 AS k5, 0 AS k6, 0 AS k7, 0 AS k8, 0 AS k9, 0 AS k10, 0 AS k11, 0 AS k12 FROM generate_series(1, 12) AS g;
SELECT id AS wide FROM sdc.publish_suppressed('clinic.wide', 'clinic.blanked', '{k1,k2,k3,k4,k5,k6,k7,k8,k9,k10,k11,k12}', 3, reading => 'wildcard', known_keys => 6) \gset
SELECT words FROM words(sdc.report(:wide)) WHERE words ~ 'requirement|^k-anonymity \| .*\d|Anyone who|not counted|No verdict|keeps its promise';
INSERT INTO clinic.blanked SELECT CASE WHEN g & 1 = 0 THEN g END, CASE WHEN g & 2 = 0 THEN g END, CASE WHEN g & 4 = 0 THEN g END, CASE WHEN g & 8 = 0 THEN g END, CASE WHEN g & 16 = 0 THEN g END, CASE WHEN g & 32 = 0 THEN g END, g FROM generate_series(1, 20000) AS g;
SELECT words FROM words(sdc.report(:wide)) WHERE words ~ 'requirement|^k-anonymity \| .*\d|Anyone who|not counted|No verdict|keeps its promise|was checked';
SELECT sdc.drop_release(:wide) \g /dev/null
DROP TABLE clinic.wide;
-- the checksum is what its recipe gives, in whatever order the rows are, and under other settings
SET datestyle = 'SQL, DMY';
SELECT substring(sdc.report(:averaged) FROM '<code class="sum">([0-9a-f]{64})</code>') AS sum \gset
SET datestyle = 'ISO, YMD';
CREATE TABLE clinic.copy AS SELECT * FROM clinic.averaged ORDER BY 1, 2, 3, 4;
SELECT format('SELECT (%s) = %L AS same', replace(substring(page FROM '<pre><code>SET .*; *\n(SELECT .*);</code></pre>'), 'clinic.averaged', 'clinic.copy'), :'sum')
FROM   sdc.report(:averaged) AS page \gexec
UPDATE clinic.copy SET age = age + 1 WHERE ctid = '(0,1)';
SELECT format('SELECT (%s) = %L AS same', replace(substring(page FROM '<pre><code>SET .*; *\n(SELECT .*);</code></pre>'), 'clinic.averaged', 'clinic.copy'), :'sum')
FROM   sdc.report(:averaged) AS page \gexec

RESET datestyle;
-- a release that was changed says so
DELETE FROM clinic.averaged WHERE ctid = '(0,1)';
SELECT words FROM words(sdc.report_release(:averaged, ks => '{}')) WHERE words ~ 'changed since';

-- the public: no source, no publisher, no key values, no count below k, only figures that hold
SELECT * FROM words(sdc.report('clinic.patient', '{age,sex}', '{illness}', k => 5, p => 3, audience => 'public', ks => NULL));
SELECT words FROM words(sdc.report('clinic.patient', '{sex}', '{illness}', k => 5, p => 2, audience => 'public', ks => '{5,100}'));
SELECT regexp_replace(words, '^Release \d+', 'Release N') AS words FROM words(sdc.report_release(:general, 'public')) WHERE words !~ 'Published|^[0-9a-f]{64}$|^ *(SET|SELECT|FROM|GROUP) ';
SELECT count(*) FROM words(sdc.report_release(:anatomy, 'public')) WHERE words ~ 'clinic.patient|by postgres';

-- a release whose source is gone, changed, or not for the caller
CREATE ROLE sdc_reader;
GRANT USAGE ON SCHEMA clinic TO sdc_reader;
GRANT SELECT ON clinic.general TO sdc_reader;
SET ROLE sdc_reader;
SELECT words FROM words(sdc.report(:general)) WHERE words ~ 'not yours|Meets|before';
SELECT failure(format('SELECT sdc.report(%s)', :averaged));
RESET ROLE;
-- who may read the keys of the source sees them before and after
GRANT SELECT (age, illness) ON clinic.patient TO sdc_reader;
SET ROLE sdc_reader;
SELECT words FROM words(sdc.report(:general)) WHERE words ~ 'not yours|Meets|before';
RESET ROLE;
REVOKE ALL ON clinic.general FROM sdc_reader;
REVOKE ALL ON SCHEMA clinic FROM sdc_reader;
-- an entry that somebody made up does no harm
INSERT INTO sdc.release (source, target, method, parameters, rows, groups, achieved, loss)
SELECT source, target, method, parameters - 'sensitive', rows, groups, achieved, loss FROM sdc.releases WHERE id = :anatomy
RETURNING id AS forged \gset
SELECT failure(format('SELECT sdc.report(%s)', :forged)) AS forged;
ALTER TABLE clinic.patient RENAME COLUMN born TO birthday;
SELECT words FROM words(sdc.report(:averaged)) WHERE words ~ 'gone';
DROP TABLE clinic.patient CASCADE;
SELECT words FROM words(sdc.report(:general)) WHERE words ~ 'gone|Meets';
SET ROLE sdc_reader;
SELECT failure(format('SELECT sdc.report(%s)', :general));
RESET ROLE;
GRANT USAGE ON SCHEMA clinic TO sdc_reader;
GRANT SELECT ON clinic.general TO sdc_reader;
SET ROLE sdc_reader;
SELECT count(*) > 10 AS page FROM words(sdc.report(:general));
SELECT sdc.report('clinic.averaged', '{age}');
RESET ROLE;
DROP TABLE clinic.general;
SELECT failure(format('SELECT sdc.report(%s)', :general));

-- releases about persons: the verdict counts persons, not rows
CREATE TABLE clinic.visit AS SELECT 'p' || 1 + i % 30 AS person, 20 + (1 + i % 30) / 10 AS age, (ARRAY['Flu', 'HIV', 'Cancer'])[1 + i % 3] AS illness FROM generate_series(0, 89) AS i;
INSERT INTO clinic.visit SELECT 'p1', 20, 'Flu' FROM generate_series(1, 60);
SELECT id AS visits, achieved FROM sdc.publish_microaggregated('clinic.visit', 'clinic.visits', '{age}', 5, '{illness}', 2, entity => 'person', l => 2) \gset visits_
SELECT :'visits_achieved' AS achieved;
SELECT property, actual FROM sdc.check_anonymity('clinic.visits', '{age}', '{illness}');
SELECT words FROM words(sdc.report(:visits_visits)) WHERE words ~ 'Persons|person|requirements|anonymity|diversity|sensitivity|at most';
SELECT words FROM words(sdc.report_release(:visits_visits, 'public')) WHERE words ~ 'Persons|person|requirements|anonymity|diversity|at most';
-- once rows have changed, nothing is known of persons
UPDATE clinic.visits SET illness = 'Cold' WHERE illness = 'HIV' AND age = (SELECT max(age) FROM clinic.visits);
SELECT words FROM words(sdc.report(:visits_visits)) WHERE words ~ 'Persons|person|requirements|anonymity|diversity|at most';
-- attackers find persons where persons are counted, and rows elsewhere
SELECT words FROM words(sdc.report('clinic.visit', '{age}', '{illness}', ks => NULL, entity => 'person')) WHERE words ~ 'finds the right|of its .* right';
SELECT words FROM words(sdc.report('clinic.visit', '{age}', '{illness}', ks => NULL)) WHERE words ~ 'finds the right|of its .* right';

-- progress: the rows of this view note what sdc.progress says while a report reads them
CREATE TABLE clinic.seen (phase text, done bigint, total bigint);
CREATE FUNCTION clinic.look() RETURNS int LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_stat_clear_snapshot();
    INSERT INTO clinic.seen SELECT p.phase, p.done, p.total FROM sdc.progress p WHERE p.pid = pg_backend_pid();
    RETURN 1;
END $$;
CREATE VIEW clinic.watched AS SELECT clinic.look() AS age, i AS id FROM generate_series(1, 2) AS i;
SELECT count(*) > 0 AS page FROM words(sdc.report('clinic.watched', '{age}', '{id}', ks => '{2}'));
SELECT DISTINCT * FROM clinic.seen ORDER BY phase DESC, done;
SELECT count(*) AS left_over FROM sdc.progress;

-- the curve of a large table is drawn from a sample: about 10,000 rows, or all rows of some persons. The caller
-- needs no right to read other columns.
CREATE TABLE clinic.many AS SELECT i / 2 AS person, 'z' || i % 97 AS zip, 'w' || i % 13 AS ward, i AS secret FROM generate_series(1, 12000) AS i;
GRANT SELECT (person, zip, ward) ON clinic.many TO sdc_reader;
SET ROLE sdc_reader;
SELECT replace(substring(words FROM 'sample of ([0-9,]+) of 12,000 rows'), ',', '')::int BETWEEN 9500 AND 10500 AS sampled
FROM   words(sdc.report('clinic.many', '{zip,ward}', ks => '{50}')) WHERE words ~ 'random sample';
SELECT replace(substring(words FROM 'sample of ([0-9,]+) of 12,000 rows'), ',', '')::int BETWEEN 9500 AND 10500 AS sampled
FROM   words(sdc.report('clinic.many', '{zip,ward}', ks => '{50}', entity => 'person')) WHERE words ~ 'random sample';
SELECT count(*) AS "not needed" FROM words(sdc.report('clinic.many', '{person}', ks => '{50}')) WHERE words ~ 'random sample';
RESET ROLE;
REVOKE ALL ON clinic.many FROM sdc_reader;

-- errors
SELECT sdc.report(0);
SELECT sdc.report('clinic.copy', '{age}', audience => 'press');
SELECT sdc.report('clinic.copy', '{age}', audience => 'public');
SELECT sdc.report('clinic.copy', '{}');
SELECT sdc.report('clinic.copy', '{age}', '{age}');
SELECT sdc.report('clinic.copy', '{age}', k => 0);
SELECT sdc.report('clinic.copy', '{age}', ks => '{0}');
SELECT sdc.report('clinic.copy', NULL);

DELETE FROM sdc.release;
DROP SCHEMA clinic CASCADE;
DROP VIEW IF EXISTS page;
DROP FUNCTION words, failure, by_attacker;
DROP ROLE sdc_reader;
