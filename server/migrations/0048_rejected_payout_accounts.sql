-- When an account was first seen rejected, and its trader and the operator were told; stays, so that they are told once.
alter table payout_accounts add column rejected_at timestamptz;
