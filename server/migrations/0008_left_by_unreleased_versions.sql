-- Drops the leftovers of versions before 1.0.0, which no code knows any more: such a database goes on with 1.0.0 (server/src/platform/upgrade/migrate.ts). In a new
-- one there is nothing of it.

-- Mails about money are in the outbox alone.
drop trigger if exists note_in_money_mails on outbox;
drop table if exists money_mails;
drop function if exists note_outbox_mail, note_money_mail;
update outbox set ended_as = 'unneeded' where ended_as = 'left';
alter table outbox
  drop constraint outbox_ended_as_check,
  add constraint outbox_ended_as_check check (ended_as in ('sent', 'unneeded', 'refused', 'given up'));
alter table otp_challenges drop column if exists place_in;

-- Plans of mails are in mail_plans, and the work of readers is written with the event's number.
alter table position_events
  drop column if exists planned_at,
  drop column if exists audience_size,
  drop column if exists work_written;

drop index if exists accounts_username_before, accounts_name_beginnings, trader_stats_rank, trader_scores_rank,
  positions_public_unknown;
