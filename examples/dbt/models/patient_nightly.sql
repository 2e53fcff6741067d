-- The rows that are published every night, as a sequence of releases.
{{ config(materialized='view') }}
SELECT id, age, height, illness, height >= 170 AS tall FROM {{ ref('patient') }}
