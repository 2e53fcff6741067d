-- attack => true and attack_limit in publishing functions: figures in the register, or nothing left behind.
CREATE EXTENSION IF NOT EXISTS pg_sdc;
SET client_min_messages = error;
CREATE SCHEMA trial;
CREATE TABLE trial.clinic AS
SELECT i AS id, 20 + (i * 37) % 60 AS age, 150 + (i * 53) % 45 AS height, (ARRAY['F','M'])[1 + i % 2] AS sex,
       (ARRAY['Flu','Asthma','Cancer','Gastritis','HIV','Angina'])[1 + CASE WHEN i % 10 < 7 THEN ((i * 37) % 60) / 10 ELSE (i * 7) % 6 END] AS illness
FROM generate_series(1, 600) i;
CREATE TABLE trial.ages AS SELECT a::text AS level0, (a / 20 * 20)::text AS level1, '*' AS level2 FROM generate_series(20, 79) a;

-- every method takes it; what the register has is what sdc.attack() finds
CREATE FUNCTION trial.kept(id bigint) RETURNS TABLE (attack text, measured float8, exceeds bool) LANGUAGE sql AS $$
    SELECT a.attack, a.measured, a.exceeds FROM sdc.releases r, jsonb_to_recordset(r.achieved -> 'attacks') AS a (attack text, measured float8, exceeds bool)
    WHERE r.id = $1 $$;
SELECT (p).id AS anatomy, p IS NOT NULL AS no_nulls FROM sdc.publish_anatomy('trial.clinic', 'trial.a', '{age,sex}', 'illness', 3, seed => 1, attack => true) p \gset
SELECT :'no_nulls' AS no_nulls;
SELECT k.attack, round(k.measured::numeric, 3) AS measured, k.exceeds, round(k.measured::numeric, 9) IS NOT DISTINCT FROM round(n.measured::numeric, 9) AS as_now
FROM trial.kept(:anatomy) k JOIN sdc.attack(:anatomy, seed => 1) n USING (attack);
SELECT id AS averaged FROM sdc.publish_microaggregated('trial.clinic', 'trial.m', '{age,height}', 4, '{illness}', 2, attack => true) \gset
SELECT attack, exceeds FROM trial.kept(:averaged);
SELECT id AS general FROM sdc.publish_generalized('trial.clinic', 'trial.g', '{"age": "trial.ages"}', 5, '{illness}', 2, attack => true) \gset
SELECT attack, exceeds FROM trial.kept(:general) WHERE attack !~ 'intersection';
SELECT id AS permuted FROM sdc.publish_permutation('trial.clinic', 'trial.p', '{age,sex}', 'illness', 3, seed => 1, attack => true) \gset
SELECT attack, exceeds FROM trial.kept(:permuted) WHERE attack !~ 'intersection';
-- a permutation is not advised where there is one
SELECT note FROM sdc.attack_inference(:permuted) WHERE exceeds;
SELECT id AS weighed FROM sdc.publish_p_alpha('trial.clinic', 'trial.w', '{age,height}', 'illness', '[["HIV","Cancer"],["Angina","Asthma"],["Flu","Gastritis"]]', 4, 2, 0.5, attack => true) \gset
SELECT attack, exceeds FROM trial.kept(:weighed) WHERE attack !~ 'intersection';
-- ranges and blanked cells are attacked, noise is not: the list is empty
SELECT a ->> 'attack' AS attack, a -> 'exceeds' AS exceeds FROM sdc.publish_mondrian('trial.clinic', 'trial.r', '{age,height}', 4, attack => true) p, jsonb_array_elements(p.achieved -> 'attacks') a;
SELECT a ->> 'attack' AS attack, a -> 'exceeds' AS exceeds FROM sdc.publish_suppressed('trial.clinic', 'trial.s', '{age,sex}', 3, attack => true) p, jsonb_array_elements(p.achieved -> 'attacks') a;
SELECT achieved -> 'attacks' AS attacks FROM sdc.publish_perturbed('trial.clinic', 'trial.n', '{"age": {"method": "rank_swap", "percent": 5}}', attack => true);
-- without it nothing is kept
SELECT achieved ? 'attacks' AS attacked FROM sdc.publish_anatomy('trial.clinic', 'trial.q', '{age,sex}', 'illness', 3);

-- a replaced release is attacked, too
SELECT jsonb_array_length(achieved -> 'attacks') > 0 AS attacked
FROM sdc.publish_anatomy('trial.clinic', 'trial.q', '{age,sex}', 'illness', 3, replace => true, attack => true);

-- keys with NULL
CREATE TABLE trial.gaps AS SELECT nullif(age, 40) AS age, height, illness FROM trial.clinic;
SELECT a ->> 'attack' AS attack, a ->> 'persons' AS persons, (a ->> 'measured')::float8 <= 0.25 AS kept
FROM sdc.publish_microaggregated('trial.gaps', 'trial.gaps_m', '{age,height}', 4, attack => true) p, jsonb_array_elements(p.achieved -> 'attacks') a
WHERE a ->> 'attack' = 'linkage';

-- the limit: inference at most so often right
\set VERBOSITY default
SELECT count(*) AS before FROM sdc.releases \gset
SELECT sdc.publish_anatomy('trial.clinic', 'trial.refused', '{age,sex}', 'illness', 3, seed => 1, attack_limit => 0.3);
SELECT to_regclass('trial.refused') IS NULL AND to_regclass('trial.refused_qit') IS NULL AS no_table,
       (SELECT count(*) FROM sdc.releases) = :before AS no_entry, (SELECT count(*) FROM sdc.release_history WHERE target ~ 'refused') AS no_history;
SELECT jsonb_array_length(achieved -> 'attacks') > 0 AS kept
FROM sdc.publish_anatomy('trial.clinic', 'trial.allowed', '{age,sex}', 'illness', 3, seed => 1, attack_limit => 0.99);
SELECT sdc.publish_permutation('trial.clinic', 'trial.refused', '{age,sex}', 'illness', 3, seed => 1, attack_limit => 0.05);
SELECT sdc.publish_anatomy('trial.clinic', 'trial.refused', '{age,sex}', 'illness', 3, attack_limit => 1.5);
SELECT sdc.publish_anatomy('trial.clinic', 'trial.refused', '{age,sex}', 'illness', 3, attack_limit => 'NaN');
SELECT sdc.publish_anatomy('trial.clinic', 'trial.refused', '{age,sex}', 'illness', 3, attack => NULL);
-- a limit that cannot be measured is not kept
SELECT sdc.publish_microaggregated('trial.clinic', 'trial.refused', '{age,height}', 4, attack_limit => 0.3);
SELECT sdc.publish_mondrian('trial.clinic', 'trial.refused', '{age,height}', 4, attack_limit => 0.3);

-- readers of a release do not see how well it can be attacked
CREATE ROLE trial_reader;
GRANT USAGE ON SCHEMA trial TO trial_reader;
GRANT SELECT ON trial.a TO trial_reader;
SET ROLE trial_reader;
SELECT id = :anatomy AS this, achieved ? 'attacks' AS shown, achieved ? 'l' AS rest FROM sdc.releases;
RESET ROLE;

-- the report's section
CREATE FUNCTION trial.words(html text) RETURNS SETOF text LANGUAGE sql AS $$
    SELECT w FROM regexp_split_to_table(regexp_replace(regexp_replace(html, '<style>.*</style>', ''), '<[^>]*>', E'\n', 'g'), E'\n+') w WHERE w <> '' $$;
SELECT w FROM trial.words(sdc.report(:anatomy)) WITH ORDINALITY t (w, n)
WHERE n BETWEEN (SELECT n FROM trial.words(sdc.report(:anatomy)) WITH ORDINALITY t (w, n) WHERE w = 'Attacked')
            AND (SELECT n + 19 FROM trial.words(sdc.report(:anatomy)) WITH ORDINALITY t (w, n) WHERE w = 'Attacked');
-- what was not promised is not said to be kept, and what was not tried is not said to be all there is
SELECT count(*) FILTER (WHERE row ~ '<td>(yes|no)</td>$') AS judged, count(*) FILTER (WHERE row ~ '<td></td>$') AS not_judged
FROM regexp_split_to_table(substring(sdc.report(:averaged) FROM 'Too much.*?</table>'), '</tr>') row;
SELECT id AS noisy FROM sdc.publish_perturbed('trial.clinic', 'trial.noisy', '{"age": {"method": "noise", "share": 0.1}}', attack => true) \gset
SELECT substring(sdc.report(:noisy) FROM 'None of the attacks.*?</p>') AS said;
SELECT count(*) FILTER (WHERE w = 'Attacked') AS for_the_public FROM trial.words(sdc.report_release(:anatomy, 'public')) w;

REVOKE ALL ON trial.a FROM trial_reader;
REVOKE ALL ON SCHEMA trial FROM trial_reader;
DROP ROLE trial_reader;
SET client_min_messages = error;
SELECT count(sdc.drop_release(id)) > 10 AS dropped FROM sdc.releases WHERE target ~ '^trial[.]';
DROP SCHEMA trial CASCADE;
