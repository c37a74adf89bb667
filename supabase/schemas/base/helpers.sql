-- Functions that several areas share.

create function private.set_updated_at() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  new.updated_at := now();
  return new;
end
$$;

comment on function private.set_updated_at() is
  'Trigger of every table with an updated_at: sets it to the time of the transaction that changes the row.';

-- Leads call these four, so they are not SQL functions, which would be planned at each call.

create function private.lead_state(vendor_metadata jsonb) returns text
language plpgsql
immutable
set search_path = ''
as $$
begin
  return case when vendor_metadata ->> 'state' ~ '^[A-Za-z]{2}$' then upper(vendor_metadata ->> 'state') end;
end
$$;

comment on function private.lead_state(jsonb) is
  'Returns the state of a lead with this vendor_metadata, in two capitals: the value of recruiting_leads.state, also '
  'before the lead is stored. Null for anything but two letters.';

create function private.indexable_id(id text) returns text
language plpgsql
immutable
set search_path = ''
as $$
begin
  return case
    when btrim(id) = '' then null
    when length(id) <= 512 then id
    else 'sha256:' || encode(sha256(convert_to(id, 'UTF8')), 'hex')
  end;
end
$$;

comment on function private.indexable_id(text) is
  'Returns a vendor''s or provider''s id in its stored form: null if blank; if longer than 512 characters, `sha256:` '
  'and its SHA-256 in hexadecimal, because an index entry cannot be larger than about 2,700 bytes.';

create function private.erased_id(vendor_id uuid, id text) returns text
language plpgsql
immutable
set search_path = ''
as $$
begin
  return 'sha256:' || encode(sha256(convert_to(concat_ws(' ', vendor_id, id), 'UTF8')), 'hex');
end
$$;

comment on function private.erased_id(uuid, text) is
  'Returns the replacement of a vendor''s id that contains the phone or email address of an erased person: `sha256:` '
  'and the SHA-256 of the vendor''s id and this one in hexadecimal.';

create function private.time_ordered_id() returns uuid
language plpgsql
volatile
set search_path = ''
as $$
begin
  return encode(
    overlay(
      uuid_send(gen_random_uuid())
      placing substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3)
      from 1 for 6),
    'hex')::uuid;
end
$$;

comment on function private.time_ordered_id() is
  'Returns a new id that begins with the time: new ids are added at the end of their index, and not to a page that '
  'must be read first.';

-- Texts that people have typed or pasted.

create function private.visible_text(given text, instead text default '') returns text
language plpgsql
immutable
set search_path = ''
as $$
declare
  -- Control characters and invisible characters: Default_Ignorable_Code_Point (Unicode Standard, section 5.21) and
  -- interlinear annotation marks, such as zero-width spaces and joiners, soft hyphens, direction marks, variation
  -- selectors and tags.
  invisible constant text :=
    '[\x01-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e'
    '\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]';
  line_break constant text := '\r\n|[\x0a-\x0d\u0085\u2028\u2029]';
  -- [[:space:]] depends on the locale. The last but one character is the blank Braille pattern.
  blank constant text := '[\t\u00a0\u1680\u2000-\u200a\u202f\u205f\u2800\u3000]';
begin
  return regexp_replace(regexp_replace(regexp_replace(
    given, invisible, instead, 'g'), line_break, e'\n', 'g'), blank, ' ', 'g');
end
$$;

comment on function private.visible_text(text, text) is
  'Returns a text as its reader sees it: without characters that are invisible, change the direction or control a '
  'terminal. All whitespace becomes spaces and line feeds. instead: the replacement of each removed character.';

create function private.utf16_length(given text) returns integer
language plpgsql
immutable
set search_path = ''
as $$
begin
  return length(given) + regexp_count(given, '[\U00010000-\U0010FFFF]');
end
$$;

comment on function private.utf16_length(text) is
  'Returns the length of a text in UTF-16 units, as the SMS provider and JavaScript count it. Most emoji have two or '
  'more.';

-- Values in error messages.

create function private.quoted(value anyelement, most integer default 100) returns text
language sql
stable
set search_path = ''
as $$
  select regexp_replace(left(t.text, most), '[\x01-\x1f\x7f-\x9f\u2028\u2029]', '?', 'g')
    || case when length(t.text) > most then '...' else '' end
  from (select value::text as text) t
$$;

comment on function private.quoted(anyelement, integer) is
  'Returns a value for an error message: truncated to this many characters, with `?` in place of each control '
  'character and line separator. PostgREST writes the message of an error with a SQLSTATE PTxyz into the status line '
  'of its response, where a line end would begin a header.';
grant execute on function private.quoted(anyelement, integer) to authenticated;

create function private.iso_time(moment timestamptz) returns text
language sql
stable
set search_path = ''
return to_char(moment at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');

comment on function private.iso_time(timestamptz) is 'A time as ISO 8601 in UTC, to the millisecond.';

-- Batches of rows: a row that the database refuses is reported, and the other rows are stored.

create function private.is_call_error(code text) returns boolean
language sql
immutable
set search_path = ''
as $$
  -- The connection, a read-only transaction, a deadlock, resources, an operator, the system; a lock, and corrupted
  -- files.
  select left(code, 2) in ('08', '25', '40', '53', '57', '58') or code in ('55006', '55P03', 'XX001', 'XX002')
$$;

comment on function private.is_call_error(text) is
  'Returns whether an error with this SQLSTATE is never caused by a row, such as a lock or a full disk. It ends the '
  'whole call.';

create function private.row_error(code text) returns jsonb
language sql
immutable
set search_path = ''
as $$
  select jsonb_build_object('error', jsonb_build_object(
    'code', code, 'message', format('refused by the database (SQLSTATE %s)', code)))
$$;

comment on function private.row_error(text) is
  'Returns the result of a row that the database refused: {error: {code, message}}. The message contains only the '
  'SQLSTATE, because the error''s own message may quote data or internal names.';

create function private.require_stored(results jsonb) returns void
language plpgsql
set search_path = ''
as $$
declare
  code text;
begin
  if results @? '$[*] ? (!exists (@.error))' then
    return;
  end if;
  -- Class 22 is invalid data, 23 and 44 are violated constraints, P0 is a raised exception: only the row is at fault. A
  -- trigger may also raise an exception with its own code, so every class that Postgres itself does not use counts as
  -- well.
  select r #>> '{error,code}' into code
  from jsonb_array_elements(results) r
  where left(r #>> '{error,code}', 2) in (
    '00', '01', '02', '03', '08', '09', '0A', '0B', '0F', '0L', '0P', '0Z', '10', '20', '21', '24', '25', '26', '27',
    '28', '2B', '2D', '2F', '34', '38', '39', '3B', '3D', '3F', '40', '42', '53', '54', '55', '57', '58', '72', 'F0',
    'HV', 'XX'
  )
  limit 1;
  if found then
    raise exception 'no row could be stored' using errcode = code;
  end if;
end
$$;

comment on function private.require_stored(jsonb) is
  'Ends the call if all of its rows have an error, and one of these may concern all rows. results: an array of '
  '{error: {code, message}} or anything else. Raises that error''s code.';

create function private.operator_name() returns text
language sql
stable
set search_path = ''
return left(coalesce(
  nullif(current_setting('admin.operator', true), ''),
  nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'email'), 128);

comment on function private.operator_name() is
  'Returns the name of the operator in this transaction: the setting admin.operator of the command, or the email '
  'address of the signed-in user; null if there is neither.';
grant execute on function private.operator_name() to service_role;
