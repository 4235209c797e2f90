-- Whether status_polls shows what the deployment is: a change takes the mark away, and whoever follows it sets it again.
alter table deployments add column polls_followed boolean not null default false;

create index deployments_polls_to_follow on deployments (id) where not polls_followed;
