-- What a symbol cost at the end of a session, as it was quoted that day (decision 0046). A day without a row is unknown, or no
-- trading day; nothing is ever put in its place.
create table symbol_days (
  symbol text not null check (symbol = upper(symbol)),
  -- Of the session, in UTC.
  day date not null,
  close numeric(18, 6) not null check (close > 0),
  -- Asked later than on the day itself.
  late boolean not null,
  primary key (symbol, day)
);
