-- What somebody reads who does not look closely (decision 0084): in small letters, `0` as o, `1` and `i` as l, `rn` as m, without dashes, and
-- without official, real and the as whole words at an end. Two names with the same text look alike.
create function username_skeleton(name text) returns text
  language sql immutable strict parallel safe
  return replace(
    translate(
      regexp_replace(
        regexp_replace(
          translate(lower(name collate "C"), '01i', 'oll'),
          -- Their own letters are read as the others are: official is offlclal.
          '^((the|real|offlclal)[-_]+)+(?=.)', ''
        ),
        '([-_]+(the|real|offlclal))+[-_]*$', ''
      ),
      '-_', ''
    ),
    'rn', 'm'
  );

create index accounts_username_skeleton on accounts (username_skeleton(username));
