-- A version is the time of its change in microseconds, so that an owner which was restored from a backup goes on above all
-- that it published before, without having to know of it. The sequence is the floor: it is raised above a copy that is
-- ahead of its owner in spite of that, such as after a clock that went wrong.
create function next_outbox_version() returns bigint language sql volatile as $$
  select greatest(nextval('outbox_version'), (extract(epoch from clock_timestamp()) * 1000000)::bigint)
$$;
