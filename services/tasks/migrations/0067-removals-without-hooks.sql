-- A removal that was requested without the hooks of its release, one of which fails each time.
alter table deployment_tasks add column skips_hooks boolean not null default false;
