{#
    The statement that publishes a relation, in place of its release of the last run. For a post-hook:
        post_hook: "{{ pg_sdc.publish(this, 'shared.patient', keys=['age'], k=5) }}"
    The method is that of a function sdc.publish_…, and the arguments are those of the function. Grants,
    dependent views and the owner of the release stay as they are. With sequence=true the first run starts
    a sequence, and each later one continues it; that needs entity, the column that tells persons apart.
#}
{%- macro publish(relation, target, method='microaggregated', sequence=false) -%}
SELECT rows FROM sdc.publish_{{ method }}(
           {{ pg_sdc.text(relation) }}, {{ pg_sdc.text(target) }}, replace => true
           {%- if sequence %}, continues => coalesce((SELECT id FROM {{ pg_sdc.release_of(target) }}), 0){% endif %}
           {%- for name, value in kwargs.items() %}, {{ name }} => {{ pg_sdc.argument(value) }}{% endfor %})
{%- endmacro -%}
{#- The release of this name in the register: no row before the first run. -#}
{%- macro release_of(target) -%}
(SELECT max(id) AS id FROM sdc.releases WHERE to_regclass(target) = to_regclass({{ pg_sdc.text(target) }})) AS release
{%- endmacro -%}
{#-
    The statement that makes the report of a release, and keeps it in a table (made_at, page).
        post_hook: "{{ pg_sdc.keep_report('shared.patient', 'private.reports') }}"
-#}
{%- macro keep_report(target, reports) -%}
CREATE TABLE IF NOT EXISTS {{ reports }} (made_at timestamptz, page text);
INSERT INTO {{ reports }} SELECT now(), sdc.report(id) FROM {{ pg_sdc.release_of(target) }}
{%- endmacro -%}
