-- The patients with the roles of their columns and a policy, from which each run publishes a release.
SELECT id, age, height, illness FROM {{ ref('patient') }}
