-- Annotations may hold what a chart copied out of secrets, so only some are shown now. Without a fingerprint a row is written again when
-- its cluster is listed; those of clusters that are not reached lose the annotations here.
update k8s_resources set metadata = metadata - 'annotations' - 'message', fingerprint = ''
where metadata ?| array['annotations', 'message'];
