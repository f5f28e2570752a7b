-- The small curve beside a rank (decision 0055), drawn by the night's job from trader_days. It is a picture, so floats.
create table trader_sparklines (
  trader_id uuid primary key,
  -- 100 first, then up to thirty more, of which the last is that of the last session.
  levels real[] not null check (cardinality(levels) between 3 and 31),
  constraint trader_sparklines_trader foreign key (trader_id) references users on delete cascade
);
