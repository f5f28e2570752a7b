-- A name's letters are folded and compared by their bytes, whatever the database's own language is: in Turkish the small I has no
-- dot, so that nobody found Ilya by "ilya", and a second Ilya could have taken the name. One index serves uniqueness, names and
-- beginnings. The column keeps its type: a statement that another process has prepared may not change what it answers.
drop index accounts_username;
create unique index accounts_username on accounts (lower(username collate "C"));
-- The release before looks names up in this one and in accounts_name_beginnings; the next release drops both.
create index accounts_username_before on accounts (lower(username));
