-- A class of one letter is spelt with a dot from now on: BRK.B, never BRK-B (decision G-44). What is stored with a hyphen gets the dot. Where
-- a trader has both spellings active, the younger position keeps or gets the hyphen until it is closed. The version before may write hyphens
-- still: a close copes with them.

-- With a lock on a row a close would wait for this, and this for the close.
lock table positions in exclusive mode;

-- Processes keep what they have read until it rises (decision 0070).
update traders set last_event_no = last_event_no + 1
  where trader_id in (select trader_id from positions where symbol ~ '^[A-Z]{1,5}-[A-Z]$');

-- A slash is stored nowhere: the younger one waits under it while the older one takes the dot.
update positions younger set symbol = replace(younger.symbol, '.', '/')
  where younger.closed_at is null and younger.symbol ~ '^[A-Z]{1,5}\.[A-Z]$' and exists (
    select from positions older
    where older.trader_id = younger.trader_id and older.closed_at is null
      and older.symbol = replace(younger.symbol, '.', '-') and (older.opened_at, older.id) < (younger.opened_at, younger.id)
  );
update positions dashed set symbol = replace(dashed.symbol, '-', '.')
  where dashed.symbol ~ '^[A-Z]{1,5}-[A-Z]$' and (
    dashed.closed_at is not null
    or not exists (
      select from positions dotted
      where dotted.trader_id = dashed.trader_id and dotted.closed_at is null
        and dotted.symbol = replace(dashed.symbol, '-', '.')
    )
  );
update positions set symbol = replace(symbol, '/', '-') where closed_at is null and symbol ~ '^[A-Z]{1,5}/[A-Z]$';

create temporary table still_dashed on commit drop as
  select distinct symbol, replace(symbol, '-', '.') as dotted from positions where symbol ~ '^[A-Z]{1,5}-[A-Z]$';

-- What is known of a share belongs to both spellings, and stays under the hyphen where a position has it.
insert into symbol_days (symbol, day, close, late, known_at, shares_of)
  select replace(symbol, '-', '.'), day, close, late, known_at, shares_of
  from symbol_days where symbol ~ '^[A-Z]{1,5}-[A-Z]$'
  on conflict do nothing;
insert into symbol_days (symbol, day, close, late, known_at, shares_of)
  select still_dashed.symbol, known.day, known.close, known.late, known.known_at, known.shares_of
  from symbol_days known join still_dashed on still_dashed.dotted = known.symbol
  on conflict do nothing;
delete from symbol_days where symbol ~ '^[A-Z]{1,5}-[A-Z]$' and symbol not in (select symbol from still_dashed);

insert into symbol_splits (symbol, day, shares, said_at)
  select replace(symbol, '-', '.'), day, shares, said_at
  from symbol_splits where symbol ~ '^[A-Z]{1,5}-[A-Z]$'
  on conflict do nothing;
insert into symbol_splits (symbol, day, shares, said_at)
  select still_dashed.symbol, split.day, split.shares, split.said_at
  from symbol_splits split join still_dashed on still_dashed.dotted = split.symbol
  on conflict do nothing;
delete from symbol_splits where symbol ~ '^[A-Z]{1,5}-[A-Z]$' and symbol not in (select symbol from still_dashed);

insert into symbols (symbol, name)
  select replace(symbol, '-', '.'), name from symbols where symbol ~ '^[A-Z]{1,5}-[A-Z]$'
  on conflict do nothing;
delete from symbols where symbol ~ '^[A-Z]{1,5}-[A-Z]$' and symbol not in (select symbol from still_dashed);

-- Not that the provider had no price of it: it is asked in the other spelling, and soon.
insert into symbol_marks (symbol, price, quoted_at, answered_at, watched_until, close_due)
  select replace(symbol, '-', '.'), price, quoted_at, answered_at, watched_until, close_due
  from symbol_marks where symbol ~ '^[A-Z]{1,5}-[A-Z]$'
  on conflict (symbol) do update set
    price = coalesce(symbol_marks.price, excluded.price),
    quoted_at = case when symbol_marks.price is null then excluded.quoted_at else symbol_marks.quoted_at end,
    answered_at = case when symbol_marks.price is null then excluded.answered_at else symbol_marks.answered_at end,
    watched_until = greatest(symbol_marks.watched_until, excluded.watched_until),
    close_due = coalesce(symbol_marks.close_due, excluded.close_due);
delete from symbol_marks where symbol ~ '^[A-Z]{1,5}-[A-Z]$' and symbol not in (select symbol from still_dashed);

insert into suspect_prices (symbol, price, since, told_on, accepted_price, accepted_at)
  select replace(symbol, '-', '.'), price, since, told_on, accepted_price, accepted_at
  from suspect_prices where symbol ~ '^[A-Z]{1,5}-[A-Z]$'
  on conflict do nothing;
delete from suspect_prices where symbol ~ '^[A-Z]{1,5}-[A-Z]$' and symbol not in (select symbol from still_dashed);

update price_previews set symbol = replace(symbol, '-', '.') where symbol ~ '^[A-Z]{1,5}-[A-Z]$';

-- One that has the dot for the same span stays the only one that has it.
update price_retractions dashed set symbol = replace(dashed.symbol, '-', '.')
  where dashed.symbol ~ '^[A-Z]{1,5}-[A-Z]$' and not exists (
    select from price_retractions dotted
    where dotted.symbol = replace(dashed.symbol, '-', '.') and dotted.from_at = dashed.from_at and dotted.to_at = dashed.to_at
  );

-- Of a renaming from one spelling to the other both stay: they may not be the same.
update position_adjustments set
    symbol_before = regexp_replace(symbol_before, '^([A-Z]{1,5})-([A-Z])$', '\1.\2'),
    symbol_after = regexp_replace(symbol_after, '^([A-Z]{1,5})-([A-Z])$', '\1.\2')
  where (symbol_before ~ '^[A-Z]{1,5}-[A-Z]$' or symbol_after ~ '^[A-Z]{1,5}-[A-Z]$')
    and regexp_replace(symbol_before, '^([A-Z]{1,5})-([A-Z])$', '\1.\2')
      <> regexp_replace(symbol_after, '^([A-Z]{1,5})-([A-Z])$', '\1.\2');
