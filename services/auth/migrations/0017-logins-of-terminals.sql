-- Where the page of the callback hands the code: `screen`, or a port of the person's computer. Null where the page keeps it.
alter table login_attempts
  add column hand_to text,
  add constraint login_attempts_handed_only_with_challenge check (hand_to is null or challenge is not null);
