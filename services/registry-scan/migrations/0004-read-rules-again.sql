-- The rules of forms have a budget now. Charts that were read without one are read again at the next look at their tags.
with again as (
  update helm_charts c set settled = false
  from helm_registries r
  where r.id = c.helm_registry_id and c.available
    and concat(c.values_ui, c.actions_schema, c.resource_types) like '%"showIf"%'
  returning r.domain_name, r.repo_name, c.image_tag
)
update registry_tags t set settled = false
from again a
where (t.domain_name, t.repo_name, t.tag) = (a.domain_name, a.repo_name, a.image_tag);
