-- Positions with their changes and events, the counts of each trader, and the figures of the night. Tables that are spread over nodes
-- (server/src/platform/distribution/distributed-tables.ts) begin each key with the trader.

-- Positions

create type hold_length as enum (
  'less_than_one_week', 'one_to_three_weeks', 'one_to_three_months', 'three_to_six_months', 'more_than_six_months'
);

-- Rules that must hold whatever the code does: one active position a symbol, no close on the UTC day of the opening,
-- every price from a preview of its own.
create table positions (
  trader_id uuid not null,
  id uuid not null,
  symbol text not null check (symbol = upper(symbol)),
  hold_length hold_length not null,
  open_price numeric(18, 6) not null check (open_price > 0),
  open_notes text not null check (char_length(open_notes) between 1 and 500),
  opened_at timestamptz not null,
  open_preview_id uuid not null,
  close_price numeric(18, 6) check (close_price > 0),
  close_notes text check (char_length(close_notes) between 1 and 500),
  closed_at timestamptz,
  -- Of the last trade before the close.
  close_quoted_at timestamptz,
  close_preview_id uuid,
  percentage_gain numeric(38, 12),
  active boolean generated always as (closed_at is null) stored,
  -- A close at a price of the market redeems a preview. The operator, who closes what is left in a stock that is gone
  -- (rule G-47), names the price and redeems none.
  closed_by_operator boolean not null default false,
  -- Closed on the day of the opening because the market override was on (rule G-10).
  override_used boolean not null default false,
  -- A close whose price nobody could trade at any more is unsettled: it is closed and mailed at once, and its price is that of the first
  -- trade after it (ADR 0076). Until then close_price is the last price, and percentage_gain what that makes.
  unsettled boolean not null default false,
  -- When an unsettled close got its price; null for one that was settled from the start.
  settled_at timestamptz,
  -- The first trade; the last price, since there was none for ten session days; the operator.
  settled_by text check (settled_by in ('trade', 'last_price', 'operator')),
  -- A worker that asks writes it first, so that no other one asks too.
  settle_asked_at timestamptz,
  -- Past its plan an open position is public (rule G-16, ADR 0086): from when on everybody is shown it while it is open. The rule is
  -- `publicAt` of contract/src/kept-plan.ts.
  public_at timestamptz,
  -- When its trader is mailed of that; null once they have been.
  public_mail_due timestamptz,
  -- An operator strikes a position (ADR 0079): it counts nowhere from then on, and stays in lists, marked as struck.
  struck_at timestamptz,
  -- Why, as everybody reads it beside the position.
  struck_reason text check (char_length(struck_reason) between 1 and 500),
  -- The first day (UTC) on which the ticker was another company's while the position was not ended; null for all others.
  ticker_lost_on date,
  primary key (trader_id, id),
  constraint positions_trader foreign key (trader_id) references users on delete cascade,
  constraint positions_closed_whole check (
    num_nonnulls(close_price, close_notes, closed_at, percentage_gain) in (0, 4)
  ),
  constraint positions_closed_by_one check (
    (closed_at is not null) = (close_preview_id is not null or closed_by_operator)
    and not (close_preview_id is not null and closed_by_operator)
  ),
  constraint positions_never_closed_early check (
    closed_at is null
    or (closed_at at time zone 'UTC')::date > (opened_at at time zone 'UTC')::date
    or override_used
  ),
  constraint positions_settled_once check (
    (not unsettled or (closed_at is not null and settled_at is null))
    and (settled_at is null) = (settled_by is null)
    and (settled_at is null or settled_at >= closed_at)
  ),
  constraint positions_struck_whole check ((struck_at is null) = (struck_reason is null))
);
create unique index positions_one_active_a_symbol on positions (trader_id, symbol) where closed_at is null;
create unique index positions_open_preview on positions (trader_id, open_preview_id);
create unique index positions_close_preview on positions (trader_id, close_preview_id);
create index positions_active on positions (trader_id, opened_at desc) where closed_at is null;
-- The list of closed positions in its orders; the middle, the first and the last of each are the record's.
create index positions_closed on positions (trader_id, closed_at desc) where closed_at is not null;
create index positions_closed_gain on positions (trader_id, percentage_gain, id) where closed_at is not null;
create index positions_closed_held on positions (trader_id, extract(epoch from closed_at - opened_at), id)
  where closed_at is not null;
create index positions_unsettled on positions (settle_asked_at) where unsettled;
-- For the sweep.
create index positions_public_mail_due on positions (public_mail_due) where public_mail_due is not null and closed_at is null;

-- Events

-- Each publication of a position, written with it. The number is drawn from the trader's head (see traders).
create table position_events (
  trader_id uuid not null,
  event_no bigint not null,
  position_id uuid not null,
  -- Readers of the feed and of Activity hear of a settlement; nobody is mailed. A split changes a price that was published, so it is an
  -- event with a mail.
  kind text not null check (kind in ('opened', 'closed', 'settled', 'adjusted')),
  created_at timestamptz not null,
  -- The request that published it, as the log and the answer name it: with it one search finds the opening, its readers and its mails
  -- (ADR 0065). Null for what no request published.
  request_id text,
  primary key (trader_id, event_no),
  -- A record that others were mailed about does not go with its author: whoever published is not deleted by a cascade.
  constraint position_events_position foreign key (trader_id, position_id) references positions (trader_id, id)
);
-- A position can be split more than once.
create unique index position_events_opened_and_closed_once on position_events (trader_id, position_id, kind)
  where kind <> 'adjusted';
-- A page takes the newest events of each trader; figures of delivery those of a day or a week.
create index position_events_newest on position_events (trader_id, created_at desc, event_no desc);
create index position_events_by_time on position_events (created_at);
-- The night's job looks for publications beside openings and closes.
create index position_events_changes on position_events (trader_id, created_at) where kind not in ('opened', 'closed');

-- Changes that an operator made in positions: a stock was split or is no longer traded, one price was wrong, the position says nothing about its
-- trader, or the share has another ticker (rule G-47, ADR 0078, 0079 and 0080). The key keeps a split from being counted twice, however
-- often its command runs.
create table position_adjustments (
  trader_id uuid not null,
  position_id uuid not null,
  reason text not null check (reason in ('split', 'delisting', 'price', 'struck', 'renamed')),
  -- First day on which the stock traded at its new price, or day of the close.
  effective_on date not null,
  -- 0 for what is counted once a day; of a correction, which can be made more than once a day, the number of its event.
  nth bigint not null default 0,
  open_price_before numeric(18, 6) not null,
  open_price_after numeric(18, 6) not null,
  adjusted_at timestamptz not null,
  event_no bigint,
  -- Of a split.
  new_shares int check (new_shares > 0),
  old_shares int check (old_shares > 0),
  -- Of a price that was set right.
  corrected text check (corrected in ('open', 'close')),
  price_before numeric(18, 6),
  price_after numeric(18, 6),
  -- Why, as followers read it.
  explained text,
  -- Of a price that was taken back with others: people are mailed once about all of them, and not of this event.
  retraction_id uuid,
  -- Of a share that trades under another ticker from a day on.
  symbol_before text check (symbol_before = upper(symbol_before)),
  symbol_after text check (symbol_after = upper(symbol_after)),
  constraint position_adjustments_pkey primary key (trader_id, position_id, reason, effective_on, nth),
  constraint position_adjustments_position foreign key (trader_id, position_id)
    references positions (trader_id, id) on delete cascade,
  constraint position_adjustments_event foreign key (trader_id, event_no)
    references position_events (trader_id, event_no),
  constraint position_adjustments_event_whole check (
    num_nonnulls(event_no, new_shares, old_shares) in (0, 3)
    or (reason in ('price', 'struck', 'renamed') and event_no is not null and num_nonnulls(new_shares, old_shares) = 0)
  ),
  constraint position_adjustments_corrected_whole check (
    num_nonnulls(corrected, price_before, price_after) = 3 * (reason = 'price')::int
    and (explained is not null) = (reason in ('price', 'struck'))
  ),
  constraint position_adjustments_renamed_whole check (
    num_nonnulls(symbol_before, symbol_after) = 2 * (reason = 'renamed')::int and symbol_before <> symbol_after
  )
);
create unique index position_adjustments_of_event on position_adjustments (trader_id, event_no)
  where event_no is not null;
create index position_adjustments_of_retraction on position_adjustments (retraction_id, trader_id)
  where retraction_id is not null;

-- Readers of events

-- Readers of the events of positions. Adding a reader is a row here and code that takes its work (docs/decisions/0034).
create table event_readers (
  name text primary key,
  registered_at timestamptz not null,
  -- It only acts for followers: it has no work where a trader has none (ADR 0100).
  followers_only boolean not null default false
);
-- The planner of mails is the first reader.
insert into event_readers (name, registered_at) values ('mail', now());

-- Events that a reader has still to read: written with the event's number, deleted when the reader has done it.
-- Readers take a trader's events in order. One that was tried too often is parked and holds up none behind it.
-- No foreign key: number and work are written by one statement, before the event itself, since what is spread over nodes is written by
-- statements of its own (ADR 0069). Work is of this transaction's event, and events are never deleted.
create table event_work (
  trader_id uuid not null,
  reader text not null references event_readers,
  event_no bigint not null,
  -- Of the event.
  created_at timestamptz not null,
  tries int not null default 0,
  retry_at timestamptz,
  -- Worker whose database session holds the advisory lock of this number (see worker_numbers).
  lease_owner int,
  leased_at timestamptz,
  parked_at timestamptz,
  -- Why the last try failed, in words without addresses or notes.
  last_fault text,
  primary key (trader_id, reader, event_no)
);
create index event_work_waiting on event_work (reader, created_at) where parked_at is null;
-- Events that a reader gave up are counted at every scrape.
create index event_work_parked on event_work (reader, parked_at) where parked_at is not null;

-- Traders whose earlier events a new reader has still to be given. Until then it is given none of theirs: order.
create table event_backfills (
  trader_id uuid not null,
  reader text not null references event_readers,
  -- The last event from before the reader was registered.
  last_event_no bigint not null,
  primary key (trader_id, reader)
);
create index event_backfills_of_reader on event_backfills (reader);

-- Draws the number of a trader's next event, one more than the last committed, and writes the work of each reader.
-- The first statement waits for whoever changes the trader's followers. The second one begins after that wait, so it sees those
-- that were committed meanwhile; one statement for both would look at the followers of before.
-- An event that is drawn now finds as followers those whose entitlement has begun and not ended: the formula above the table of
-- subscriptions, for a number that is higher than all that are there.
create function draw_event(of_trader uuid, moment timestamptz, out drawn bigint, out has_work boolean) language plpgsql as $$
begin
  update traders set last_event_no = last_event_no + 1 where trader_id = of_trader returning last_event_no into drawn;
  if drawn is null then
    return;
  end if;
  insert into event_work (trader_id, reader, event_no, created_at)
  select of_trader, name, drawn, moment from event_readers
  where not followers_only or exists (
    select from subscriptions
    where trader_id = of_trader and entitled_from_event is not null and entitled_until_event is null
  );
  has_work := found;
end $$;

-- Counts of a trader

-- Kept in the transaction that opens or closes, without struck positions. gain_avg is generated, so the order of the leaderboard is an index.
create table trader_stats (
  trader_id uuid primary key,
  -- When the trader opened the first position: shown beside every Subscribe button.
  first_opened_at timestamptz,
  open_count int not null default 0 check (open_count >= 0),
  closed_count int not null default 0 check (closed_count >= 0),
  -- Of the closed ones; they are in no average.
  unsettled_count int not null default 0 check (unsettled_count between 0 and closed_count),
  settled_count int generated always as (closed_count - unsettled_count) stored,
  -- Closed with a gain, and closed within the plan (ADR 0052).
  win_count int not null default 0 check (win_count >= 0),
  kept_count int not null default 0 check (kept_count >= 0),
  gain_sum numeric(44, 12) not null default 0,
  gain_avg numeric generated always as (
    case when closed_count > unsettled_count then round(gain_sum / (closed_count - unsettled_count), 12) end
  ) stored,
  -- Suspended people are ranked and offered nowhere (ADR 0074). It stands beside what ranks them, here and in trader_scores, so that a
  -- list of the best reads none of them, however many they are.
  suspended boolean not null default false,
  constraint trader_stats_trader foreign key (trader_id) references users on delete cascade
);
create index trader_stats_board on trader_stats (gain_avg desc, settled_count desc, trader_id)
  where settled_count >= 1 and not suspended;

-- Figures of the night

-- Returns of a trader's open positions in one session, beside the index (ADR 0053). A day without an open position has no row.
create table trader_days (
  trader_id uuid not null,
  day date not null,
  -- Positions that were open in it.
  positions int not null check (positions > 0),
  -- Mean of their returns on that day, in percent of their value before it. Null in a session that counts in the score alone: all of the
  -- day's positions ended after the bell before it (ADR 0077).
  day_return numeric(24, 10),
  -- Mean of their profits on that day, in percent of the stake, less the index's on the same stake. Null when none of them was
  -- opened within the index's known past.
  excess numeric(24, 10),
  -- Both of what is shown to people who may not see open positions (ADR 0054): over the positions that everybody may know of, which are
  -- closed ones and open ones past their plan. Null when there was none of them. Scores are made of shown_excess.
  shown_return numeric(24, 10),
  shown_excess numeric(24, 10),
  primary key (trader_id, day),
  constraint trader_days_trader foreign key (trader_id) references users on delete cascade
);

-- How far trader_days is computed. A version of what it holds has one row.
create table day_runs (
  version int primary key,
  -- The last session.
  as_of date not null,
  ran_at timestamptz not null
);

-- The step of the night's days that is under way (ADR 0098): written with each page of traders, so that a run that was cut off goes on from
-- there. A version has one row while days are missing, and none when day_runs tells the truth.
create table day_steps (
  version int primary key,
  -- The days that the step computes for each trader: from one on, to a session.
  from_day date not null,
  through date not null,
  -- Traders up to this id have them.
  done_to uuid not null,
  -- Changes since then are computed with them; null once that is done for everybody.
  changed_since timestamptz,
  -- When the days were begun, which is what they will be as new as.
  began_at timestamptz not null
);

-- Each night's run; the newest is shown.
create table score_runs (
  -- The last session that it knows.
  as_of date primary key,
  -- Version of the formula.
  formula int not null,
  ran_at timestamptz not null,
  traders int not null
);

-- Estimates, so floats. In percent a position over the index.
create table trader_scores (
  as_of date not null,
  trader_id uuid not null,
  low double precision not null,
  middle double precision not null,
  high double precision not null,
  -- How much of the estimate is the trader's own, 0 to 1; the rest is what all traders have in common.
  reliability double precision not null check (reliability between 0 and 1),
  suspended boolean not null default false,
  primary key (as_of, trader_id),
  check (low <= middle and middle <= high),
  constraint trader_scores_trader foreign key (trader_id) references users on delete cascade
);
create index trader_scores_board on trader_scores (as_of, low desc, trader_id) where not suspended;

-- The small curve beside a rank (ADR 0055), drawn by the night's job from trader_days. It is a picture, so floats.
create table trader_sparklines (
  trader_id uuid primary key,
  -- 100 first, then up to thirty more, of which the last is that of the last session.
  levels real[] not null check (cardinality(levels) between 3 and 31),
  constraint trader_sparklines_trader foreign key (trader_id) references users on delete cascade
);

-- A trigger keeps `suspended` in the transaction that suspends, so that every writer does it.
create function follow_suspension() returns trigger language plpgsql as $$
begin
  -- Scores are written page by page, each by a statement of its own: this waits for one that is under way, and the next one sees this.
  lock table trader_scores in share row exclusive mode;
  -- The row is made before the first position too, so that an opening at the same time finds it.
  insert into trader_stats (trader_id, suspended) values (new.id, new.suspended_at is not null)
    on conflict (trader_id) do update set suspended = excluded.suspended;
  -- The scores that are shown, and those of a run that has not ended.
  update trader_scores set suspended = new.suspended_at is not null
    where trader_id = new.id and as_of >= coalesce((select max(as_of) from score_runs), '-infinity');
  return null;
end $$;
create trigger follow_suspension after update of suspended_at on users
  for each row when ((old.suspended_at is null) <> (new.suspended_at is null)) execute function follow_suspension();

create function mark_suspended_scores() returns trigger language plpgsql as $$
begin
  update trader_scores score set suspended = true
    from added join users on users.id = added.trader_id and users.suspended_at is not null
    where score.as_of = added.as_of and score.trader_id = added.trader_id;
  return null;
end $$;
create trigger mark_suspended_scores after insert on trader_scores
  referencing new table as added for each statement execute function mark_suspended_scores();
