-- Gateways that may reuse identities for a moment. Rows hold no time: before a replica removes a row, it waits out the lease on
-- its own clock, so adjusting the clock of the database does no harm. See docs/decisions/0015-identity-leases.md.
create table identity_leases (
  gateway text primary key,
  -- Unique to each renewal, even after the row was removed: a removal names the renewal whose lease it waited out.
  renewal uuid not null default gen_random_uuid(),
  lease_ms integer not null,

  constraint identity_leases_gateway_named check (gateway ~ '^[0-9a-f]{16}$'),
  constraint identity_leases_lease_ms_bounded check (lease_ms between 1 and 1000)
);
