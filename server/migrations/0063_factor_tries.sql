-- Wrong codes of a second step are counted for devices that have passed it before and for everybody else, and recovery codes apart from
-- the authenticator's, so that somebody who reads the mailbox keeps its owner from neither (decision 0083). `wrong_at` stays the count
-- of everybody else's codes of the authenticator.
alter table mfa_factors
  add column known_wrong_at timestamptz[] not null default '{}',
  add column recovery_wrong_at timestamptz[] not null default '{}',
  add column known_recovery_wrong_at timestamptz[] not null default '{}';

-- When the person was last mailed that all tries were used up: once in a quarter of an hour.
alter table users add column factor_tries_told_at timestamptz;
