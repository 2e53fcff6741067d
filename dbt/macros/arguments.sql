{#- Literals of SQL: a text, a list of names as an array, a number; none is NULL. -#}
{%- macro text(value) -%}
{{ 'NULL' if value is none else "'" ~ (value | string | replace("'", "''")) ~ "'" }}
{%- endmacro -%}
{%- macro names(list) -%}
{%- if list is none -%} NULL {%- else -%}
ARRAY[{% for name in list %}{{ pg_sdc.text(name) }}{{ ', ' if not loop.last }}{% endfor %}]::name[]
{%- endif -%}
{%- endmacro -%}
{%- macro number(value) -%}
{{ 'NULL' if value is none else value }}
{%- endmacro -%}
{#- An argument of any kind: lists are names, mappings JSON. -#}
{%- macro argument(value) -%}
{%- if value is none -%} NULL
{%- elif value is boolean -%} {{ 'true' if value else 'false' }}
{%- elif value is number -%} {{ value }}
{%- elif value is mapping -%} {{ pg_sdc.text(tojson(value)) }}::jsonb
{%- elif value is string -%} {{ pg_sdc.text(value) }}
{%- else -%} {{ pg_sdc.names(value) }}
{%- endif -%}
{%- endmacro -%}
