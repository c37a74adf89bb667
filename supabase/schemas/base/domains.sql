-- The values that a column may hold, where more than one column may hold the same. An error names the domain and not
-- the column. Postgres does not compare a record that has a domain with one that has a text. So a check that names its
-- column is better where people enter the value. Functions ask pg_input_is_valid().

create domain public.e164 as text check (value ~ '^\+[1-9][0-9]{1,14}$');
comment on domain public.e164 is 'A phone number in E.164 (ITU-T).';

create domain public.service_phone as text check (value ~ '^(\+[1-9][0-9]{1,14}|[0-9]{5,6})$');
comment on domain public.service_phone is 'One of our numbers: E.164, or a short code of 5 or 6 digits.';

create domain public.consent_state as text check (value in ('opted_in', 'opted_out'));
comment on domain public.consent_state is 'Whether a recruit wants texts of an agency.';
