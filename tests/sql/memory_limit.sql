-- One limit on memory: whoever sets it, whatever is counted. tests/memory measures what backends
-- really take.
CREATE EXTENSION IF NOT EXISTS pg_sdc;
CREATE SCHEMA memory_limit;
SET search_path = memory_limit;
SET max_parallel_workers_per_gather = 0;
CREATE TABLE many AS SELECT i, i % 1000 AS g FROM generate_series(1, 100000) AS i;
GRANT USAGE ON SCHEMA memory_limit TO PUBLIC;
GRANT SELECT ON many TO PUBLIC;

-- anybody raises sdc.max_memory; a superuser's ceiling stays
CREATE ROLE sdc_modest;
SELECT sdc.k_anonymity(1);
SET sdc.memory_ceiling = '1MB';
SET ROLE sdc_modest;
SET sdc.memory_ceiling = '1GB';
SET sdc.max_memory = '1GB';
SELECT sdc.k_anonymity(i) FROM many;
SELECT sdc.k_anonymity(g) FROM many;
RESET ROLE;
-- no ceiling, and one above what is allowed anyway
SET sdc.memory_ceiling = '2GB';
SELECT sdc.k_anonymity(i) FROM many;
SET sdc.max_memory = '1MB';
SELECT sdc.k_anonymity(i) FROM many;
RESET sdc.memory_ceiling;
SHOW sdc.memory_ceiling;
-- a ceiling below the least that works is that least
SET sdc.memory_ceiling = '0';
SELECT sdc.k_anonymity(g) FROM many;
RESET sdc.memory_ceiling;

-- many small states count together, and go when their query does
SET sdc.max_memory = '4MB';
SET enable_sort = off;
SELECT count(*) FROM (SELECT sdc.k_anonymity(i) FROM many GROUP BY i OFFSET 0) AS s;
RESET enable_sort;
SELECT min(k) FROM (SELECT sdc.k_anonymity(i) AS k FROM many WHERE i <= 1000 GROUP BY i / 10) AS s;

-- what PostgreSQL keeps for a call counts as well
SET sdc.max_memory = '16MB';
SELECT count(*) FROM (SELECT sdc.permute(repeat('x', 500)) OVER () FROM many) AS s;
SELECT count(*) FROM (SELECT sdc.permute(i) OVER () FROM many) AS s;
-- one partition after the other: what a partition held is given back
SELECT count(*) FROM (SELECT sdc.permute(repeat('x', 500)) OVER (PARTITION BY i / 5000) FROM many) AS s;
SELECT count(*) FROM (SELECT sdc.mdav(2, i) OVER (PARTITION BY i / 5000) FROM many) AS s;

-- in one transaction: 200 calls that stop for want of memory leave nothing behind
CREATE FUNCTION stopped(times int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE stopped int := 0;
BEGIN
    FOR time IN 1 .. times LOOP
        BEGIN
            PERFORM sdc.mdav(3, i, g, i + g) OVER () FROM many;
        EXCEPTION WHEN configuration_limit_exceeded THEN stopped := stopped + 1;
        END;
    END LOOP;
    RETURN stopped;
END $$;
SET sdc.max_memory = '6MB';
SELECT stopped(200), (SELECT count(*) FROM (SELECT sdc.mdav(3, i) OVER () FROM many WHERE i <= 50000) AS s);
RESET sdc.max_memory;
DROP SCHEMA memory_limit CASCADE;
DROP ROLE sdc_modest;
