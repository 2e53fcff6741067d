-- What others may see: groups of at least three similar patients with two illnesses, no id.
SELECT age, height, illness
FROM   sdc.microaggregate(NULL::{{ ref('patient') }}, '{age,height}', 3, '{illness}', 2)
ORDER  BY md5(random()::text)
