-- Marks are looked up in rounds over all that is held, whoever looks or does not (decision 0087).
alter table symbol_marks
  -- Its place in the round that runs, by chance, anew each round; null once it was asked about, and of one that is not in it.
  add column turn uuid,
  -- Its price is shown to those who see a position that was opened before: the beginning of the round before that in which it was found.
  add column for_opened_before timestamptz;
create index symbol_marks_turn on symbol_marks (turn) where turn is not null;
update symbol_marks set for_opened_before = answered_at;

alter table mark_pace
  -- When the round that runs began, and the one before it.
  add column round_at timestamptz,
  add column round_before_at timestamptz;
