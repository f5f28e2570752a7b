-- What an address may be mailed, and how often its codes may be tried, is counted twice: for devices that have signed in to
-- it before, and for everybody else, so that strangers who use theirs up lock nobody out (decision G-04).
alter table sign_in_addresses
  alter column sent_at set default '{}',
  add column known_sent_at timestamptz[] not null default '{}',
  add column known_wrong_at timestamptz[] not null default '{}';
alter table otp_challenges
  add column known_wrong_tries int not null default 0 check (known_wrong_tries between 0 and 5);

-- The ten minutes in which the mail of a request has a place among those that the whole product sends, as long as the place
-- can be given back: null once the mail has gone, or will not.
alter table otp_challenges add column place_in timestamptz;
