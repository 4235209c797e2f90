create table leases (
  name text primary key,
  holder text not null,
  until timestamptz not null,
  fence bigint not null
);
