{#
    Fails with one row for each group that misses a requirement of sdc.violations().
    A failing test says property, column and figure of each group, but not its key values: find these
    with sdc.violations() itself, where only those who may see them look. A table without rows has no such
    group: use sdc.assert_anonymity() where that must fail, too.
#}
{% test anonymous(model, keys, sensitive=[], k=none, p=none, l=none, t=none, entity=none) %}
SELECT property, attribute, actual
FROM   sdc.violations(
           '{{ model }}', {{ pg_sdc.names(keys) }}, {{ pg_sdc.names(sensitive) }},
           k => {{ pg_sdc.number(k) }}, p => {{ pg_sdc.number(p) }}, l => {{ pg_sdc.number(l) }}, t => {{ pg_sdc.number(t) }},
           entity => {{ pg_sdc.text(entity) }})
{% endtest %}
