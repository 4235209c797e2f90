-- Whether the release refers to the credentials by their upstream name, so that a second Secret is refreshed.
alter table service_credentials add column upstream boolean not null default false;
