-- Where a package is that cannot be found by its digest: a chart repository names a URL for each.
alter table helm_charts add column archive_url text;
