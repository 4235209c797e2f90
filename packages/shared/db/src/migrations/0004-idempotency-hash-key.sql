-- Keys the hashes of remembered requests. Each service makes its own, the first time it starts.
create table idempotency_hash_key (
  only_one boolean primary key default true,
  -- Two random UUIDs: 244 random bits, without an extension.
  hash_key bytea not null,

  constraint idempotency_hash_key_only_one check (only_one)
);

insert into idempotency_hash_key (hash_key)
values (decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex'));
