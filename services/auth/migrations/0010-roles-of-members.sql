-- Roles for deployments are for members of the env. Those of others never counted, and would have come to life again with
-- the next membership.
with gone as (
  delete from deployment_permissions p
  where not exists (
    select from env_user_permissions m where m.user_id = p.user_id and m.env_id = p.env_id
  )
  returning p.id, p.env_id, p.user_id, p.kind_id, p.role
),
told as (
  update outbox o set version = nextval('outbox_version'), operation = 'DELETE', changed_at = clock_timestamp()
  from gone
  where o.resource = 'deployment_permissions' and o.id = gone.id
)
insert into audit_log (action, resource, object_id, env_id, details)
select 'delete', 'deployment_permissions', id, env_id, jsonb_build_object(
  'user_id', jsonb_build_array(user_id, null),
  'kind_id', jsonb_build_array(kind_id, null),
  'role', jsonb_build_array(role, null)
)
from gone;

-- No action on deletion: who removes a member removes the roles too, with an audit line and news for each.
alter table deployment_permissions
  add constraint deployment_permissions_of_member_fkey
  foreign key (user_id, env_id) references env_user_permissions (user_id, env_id);
