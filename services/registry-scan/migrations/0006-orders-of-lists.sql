create index deployment_kinds_named on deployment_kinds (lower(name), created_at desc, id desc);

create index helm_registries_by_domain_name on helm_registries (domain_name, id);
create index helm_registries_by_repo_name on helm_registries (repo_name, id);
create index helm_registries_of_repo_name on helm_registries (repo_name, created_at desc, id desc);
drop index helm_registries_of_kind;
create index helm_registries_of_kind on helm_registries (kind_id, created_at desc, id desc);

create index helm_charts_by_image_tag on helm_charts (image_tag, id);
create index helm_charts_by_parsed_version on helm_charts (parsed_version, id);
create index helm_charts_by_parsed_branch on helm_charts (parsed_branch, id);
