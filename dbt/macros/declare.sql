{#
    The statement that labels the columns of a model with the roles in their `meta`. For a post-hook:
        post_hook: "{{ pg_sdc.declare() }}"
    Columns say `meta: {sdc: key}`, or identifier, key categorical, sensitive, entity, weight, strata, keep.
    The model says `meta: {sdc_policy: "k=5 p=2"}`. Both stand below `config:` from dbt 1.10 on.
#}
{%- macro declare() -%}
{%- set roles = {} -%}
{%- for column in model.columns.values() -%}
    {%- set role = (column.get('config') or {}).get('meta', {}).get('sdc') or (column.get('meta') or {}).get('sdc') -%}
    {%- if role -%}{%- do roles.setdefault(role, []).append(column.name) -%}{%- endif -%}
{%- endfor -%}
{%- set keys = roles.get('key', []) + roles.get('key categorical', []) -%}
SELECT sdc.declare(
           {{ pg_sdc.text(this) }}, identifiers => {{ pg_sdc.names(roles.get('identifier', [])) }},
           keys => {{ pg_sdc.names(keys) }}, categorical => {{ pg_sdc.names(roles.get('key categorical', [])) }},
           sensitive => {{ pg_sdc.names(roles.get('sensitive', [])) }}, strata => {{ pg_sdc.names(roles.get('strata', [])) }},
           keep => {{ pg_sdc.names(roles.get('keep', [])) }}
           {%- if roles.get('entity') %}, entity => {{ pg_sdc.text(roles['entity'][0]) }}{% endif %}
           {%- if roles.get('weight') %}, weight => {{ pg_sdc.text(roles['weight'][0]) }}{% endif %}
           {%- set policy = model.config.get('meta', {}).get('sdc_policy') %}
           {%- if policy %}, policy => {{ pg_sdc.text(policy) }}{% endif %})
{%- endmacro -%}
