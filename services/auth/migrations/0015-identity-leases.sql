-- Gateways that may reuse identities for a moment. No row has a time: a row goes only after its lease has run out on the clock of
-- whoever removes it, so a clock of the database that is set does no harm. See docs/decisions/0015-identity-leases.md.
create table identity_leases (
  gateway text primary key,
  -- Never the same again, also where the row went and came back: whoever removes it names the renewal that it waited for.
  renewal uuid not null default gen_random_uuid(),
  lease_ms integer not null,

  constraint identity_leases_gateway_named check (gateway ~ '^[0-9a-f]{16}$'),
  constraint identity_leases_lease_ms_bounded check (lease_ms between 1 and 1000)
);
