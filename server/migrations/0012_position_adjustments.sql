-- What an operator changed in positions because a stock was split or is no longer traded (decision G-47). The key keeps a
-- split from being counted twice, however often its command runs.
create table position_adjustments (
  trader_id uuid not null,
  position_id uuid not null,
  reason text not null check (reason in ('split', 'delisting')),
  -- First day on which the stock traded at its new price, or day of the close.
  effective_on date not null,
  open_price_before numeric(18, 6) not null,
  open_price_after numeric(18, 6) not null,
  adjusted_at timestamptz not null,
  primary key (trader_id, position_id, reason, effective_on),
  constraint position_adjustments_position foreign key (trader_id, position_id)
    references positions (trader_id, id) on delete cascade
);
