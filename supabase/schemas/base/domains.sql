-- The values that several columns may have. An error names the domain and not the column, so a check constraint of the
-- column is better if people enter the value. Postgres cannot compare a record that contains a domain with one that
-- contains text. Functions use pg_input_is_valid().

create domain public.e164 as text check (value ~ '^\+[1-9][0-9]{1,14}$');
comment on domain public.e164 is 'A phone number in E.164 (ITU-T).';

create domain public.service_phone as text check (value ~ '^(\+[1-9][0-9]{1,14}|[0-9]{5,6})$');
comment on domain public.service_phone is 'One of our numbers: E.164, or a short code of 5 or 6 digits.';

create domain public.consent_state as text check (value in ('opted_in', 'opted_out'));
comment on domain public.consent_state is 'Whether a recruit has opted in to, or out of, the texts of an agency.';
