{#
    The statement that publishes a relation, in place of its release of the last run. For a post-hook:
        post_hook: "{{ pg_sdc.publish(this, 'shared.patient', keys=['age'], k=5) }}"
    The method is that of a function sdc.publish_…, and the arguments are those of the function. Grants,
    dependent views and the owner of the release stay as they are.
#}
{%- macro publish(relation, target, method='microaggregated') -%}
SELECT rows FROM sdc.publish_{{ method }}(
           {{ pg_sdc.text(relation) }}, {{ pg_sdc.text(target) }}, replace => true
           {%- for name, value in kwargs.items() %}, {{ name }} => {{ pg_sdc.argument(value) }}{% endfor %})
{%- endmacro -%}
