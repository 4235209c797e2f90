create table users (
  id uuid primary key default gen_random_uuid(),
  created_at timestamptz(3) not null default now(),
  -- Who the provider says it is: a user is bound to its subject, the e-mail alone proves nothing.
  issuer text not null,
  subject text not null,
  email text not null,
  display_name text not null,
  is_admin boolean not null,
  is_active boolean not null,
  -- Carried by session JWTs. A deactivation raises it, so that sessions from before it stay refused for good.
  session_epoch integer not null default 0,

  constraint users_subject_key unique (issuer, subject)
);

create unique index users_email_key on users (lower(email));
create index users_newest_first on users (created_at desc, id desc);
create index users_active_site_admins on users (id) where is_admin and is_active;
