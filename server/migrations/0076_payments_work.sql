-- Rows of payments that wait for their time are leased by workers themselves (decision 0107). A worker of the version before leases none, and
-- finds them by the same times as before.
alter table customers add column lease_owner int, add column leased_at timestamptz;
alter table payout_accounts add column lease_owner int, add column leased_at timestamptz;
alter table checkout_sessions add column lease_owner int, add column leased_at timestamptz;
alter table stripe_events add column lease_owner int, add column leased_at timestamptz;
alter table debts add column lease_owner int, add column leased_at timestamptz;
