-- When a registry was last scanned without a failure, and what failed since.
alter table registry_polls add column last_scan_at timestamptz(3), add column last_error text;
-- What failed in this repository; null unless something did.
alter table helm_registries add column last_error text;
