-- Counts the tokens of a user, with those that were revoked within a day, before one is added.
create index user_tokens_of_user on user_tokens (user_id, revoked_at);
