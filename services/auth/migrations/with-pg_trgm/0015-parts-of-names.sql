-- Without the list of pending entries, which every search would read from end to end.
create index users_parts_of_display_name on users using gin (lower(display_name) gin_trgm_ops) with (fastupdate = off);
create index users_parts_of_email on users using gin (lower(email) gin_trgm_ops) with (fastupdate = off);
create index bots_parts_of_display_name on bots using gin (lower(display_name) gin_trgm_ops) with (fastupdate = off);
