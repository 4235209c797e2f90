-- Who asked for a task: the rights of whoever asked for a change that is made later are checked again then. It is not
-- public, since what a bot asks for shows neither a user nor a deployment.
alter table deployment_tasks add column requester jsonb;

update deployment_tasks set requester = case
  when acting_user_id is not null then jsonb_build_object('kind', 'user', 'id', acting_user_id)
  when acting_deployment_id is not null then jsonb_build_object('kind', 'deployment', 'id', acting_deployment_id)
end
where status = 'Pending' and change is not null;

-- Of bots only the audit log knows.
update deployment_tasks t set requester = jsonb_build_object('kind', a.actor_kind, 'id', a.actor_id)
from audit_log a
where t.status = 'Pending' and t.change is not null and t.requester is null
  and a.resource = 'deployment_tasks' and a.action = 'create' and a.object_id = t.id and a.actor_id is not null;

-- Most claims find no change that is due, and must learn that for next to nothing.
create index deployment_tasks_changes_due on deployment_tasks (due_at) where status = 'Pending' and change is not null;
