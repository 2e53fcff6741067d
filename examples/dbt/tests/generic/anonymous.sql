{#
    Fails with one row for each group that misses a requirement of sdc.violations().
    Don't use it with store_failures: the rows hold the key values of the groups that fail.
#}
{% test anonymous(model, keys, sensitive=[], k=none, p=none, l=none, t=none, entity=none) %}
SELECT property, attribute, actual
FROM   sdc.violations(
           '{{ model }}', {{ names(keys) }}, {{ names(sensitive) }},
           k => {{ number(k) }}, p => {{ number(p) }}, l => {{ number(l) }}, t => {{ number(t) }},
           entity => {{ "'" ~ entity ~ "'" if entity else 'NULL' }})
{% endtest %}
