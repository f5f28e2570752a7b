-- A name's letters are folded and compared by their bytes, whatever the database's own language is: in Turkish the small I has no
-- dot, so that nobody found Ilya by "ilya", and a second Ilya could have taken the name. A trigger on a column keeps it from this.
drop trigger accounts_username_is_set_once on accounts;
drop trigger raise_leaderboard_names on accounts;
alter table accounts alter column username type text collate "C";
create trigger accounts_username_is_set_once before update of username on accounts
  for each row when (old.username is not null and new.username is distinct from old.username)
  execute function refuse_username_change();
create trigger raise_leaderboard_names after update of username on accounts
  for each row when (old.username is distinct from new.username and old.username is not null)
  execute function raise_read_version('leaderboard');
