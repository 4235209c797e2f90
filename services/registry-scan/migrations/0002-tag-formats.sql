create table helm_tag_formats (
  id uuid primary key default gen_random_uuid(),
  created_at timestamptz(3) not null default now(),
  pattern text not null,

  constraint helm_tag_formats_pattern_key unique (pattern)
);

create index helm_tag_formats_newest_first on helm_tag_formats (created_at desc, id desc);

-- Grows with every change of the formats; charts that were parsed with a smaller one are parsed again.
create table tag_formats_revision (
  only_row boolean primary key default true,
  revision bigint not null,

  constraint tag_formats_revision_one_row check (only_row)
);
insert into tag_formats_revision (revision) values (1);

-- The newest is tried first: `git describe` with the branch behind it, then branch and running number.
insert into helm_tag_formats (created_at, pattern) values
  (now() - interval '1 second', '^(?:chart-)?v?(?<version>\d+\.\d+\.\d+)-(?<branch>.+)\.(?<revision>\d+)$'),
  (now(), '^(?:chart-)?v?(?<version>\d+\.\d+\.\d+)(?:-(?<revision>\d+)-g(?<commit>[0-9a-f]+)(?:-(?<branch>.+))?)?$');
