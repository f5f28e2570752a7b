-- Counters of limits that must hold over all processes; unlogged, since losing them in a crash only forgives.
create unlogged table rate_limits (
  key text not null,
  window_start timestamptz not null,
  count int not null,
  expires_at timestamptz not null,
  primary key (key, window_start)
);
create index rate_limits_expiry on rate_limits (expires_at);
