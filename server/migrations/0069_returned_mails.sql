-- When the last sign-in mail to an address came back, refused for good or bounced; null once one was taken. People who ask again are told
-- so, and mailed all the same (decision 0091).
alter table sign_in_addresses add column returned_at timestamptz;
