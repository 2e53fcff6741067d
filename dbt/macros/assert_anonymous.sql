{#
    The statement that stops a run if a relation is not as anonymous as required. For a post-hook:
        post_hook: "{{ pg_sdc.assert_anonymous(this, keys=['age'], sensitive=['illness'], k=5, p=2) }}"
    It runs in the transaction that makes the model, so readers keep the table of the last run. What is
    left out is what the labels and the policy of the relation say.
#}
{%- macro assert_anonymous(relation, keys=none, sensitive=none, k=none, p=none, l=none, t=none, entity=none) -%}
SELECT sdc.assert_anonymity(
           {{ pg_sdc.text(relation) }}, {{ pg_sdc.names(keys) }}, {{ pg_sdc.names(sensitive) }},
           k => {{ pg_sdc.number(k) }}, p => {{ pg_sdc.number(p) }}, l => {{ pg_sdc.number(l) }}, t => {{ pg_sdc.number(t) }},
           entity => {{ pg_sdc.text(entity) }})
{%- endmacro -%}
