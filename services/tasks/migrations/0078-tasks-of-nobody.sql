-- Those that no user created: bots, deployments and Berth itself.
create index deployment_tasks_of_nobody on deployment_tasks (execute_at desc, id desc) where acting_user_id is null;
