-- What the price provider calls the company or fund of a ticker. Tickers whose name nobody found have no row.
create table symbols (
  symbol text primary key check (symbol = upper(symbol)),
  name text not null check (name <> '')
);
