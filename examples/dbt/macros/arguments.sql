{#- A list of names as an array, a number or none as a literal. -#}
{%- macro names(list) -%}
ARRAY[{% for name in list %}'{{ name | replace("'", "''") }}'{{ ', ' if not loop.last }}{% endfor %}]::name[]
{%- endmacro -%}
{%- macro number(value) -%}
{{ 'NULL' if value is none else value }}
{%- endmacro -%}
