-- Traders are offered by the beginning of their name. Letters are compared by their bytes, whatever the database's own order
-- is, so that a beginning is one range of the index.
create index accounts_name_beginnings on accounts (lower(username) collate "C") where username is not null;
