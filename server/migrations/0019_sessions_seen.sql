-- Where and when a session was last used, beside where it began, so that its owner can tell a stolen one in the list of
-- their sessions. Null until it is used again after it was opened.
alter table sessions
  add column seen_at timestamptz,
  add column seen_ip inet,
  add column seen_user_agent text;
