-- Payments that came back are shown with their day, also those that somebody returned in Stripe's dashboard (rules G-55, G-98).

-- When something of the payment was last found to have gone back; null for what went back before this column came.
alter table invoices add column refunded_at timestamptz;

-- A desk lists these of its trader, whatever else was paid.
create index invoices_taken_off on invoices (trader_id) where refunded_cents > 0 or disputed_at is not null;
