create index helm_charts_of_image_tag on helm_charts (image_tag, created_at desc, id desc);
create index helm_charts_of_version on helm_charts (parsed_version, created_at desc, id desc);
