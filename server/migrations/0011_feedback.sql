-- What people told us, kept with its author (decision G-64). The same words of the same person are kept once, so that a
-- call whose answer was lost can be repeated.
create table feedback (
  id uuid primary key,
  user_id uuid not null references users on delete cascade,
  body text not null check (char_length(body) between 1 and 500),
  created_at timestamptz not null,
  unique (user_id, body)
);
create index feedback_newest on feedback (created_at desc, id desc);
