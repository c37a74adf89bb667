-- Functions that several topics share.

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
  'A vendor''s or provider''s id as it is stored: null when blank; above 512 characters `sha256:` and its SHA-256 in '
  'hex, because an index entry cannot be larger than about 2,700 bytes.';
grant execute on function private.indexable_id(text) to service_role;

-- For batches of rows: a row that the database refuses is reported, and the other rows are stored.

create function private.is_row_error(code text) returns boolean
language sql
immutable
set search_path = ''
as $$
  -- Class 22 is bad data, 23 and 44 are broken constraints, P0 is a raised exception. A trigger may also raise an
  -- exception with a code of its own, so every class that Postgres itself does not use counts as well.
  select left(code, 2) in ('22', '23', '44', 'P0') or left(code, 2) not in (
    '00', '01', '02', '03', '08', '09', '0A', '0B', '0F', '0L', '0P', '0Z', '10', '20', '21', '24', '25', '26', '27',
    '28', '2B', '2D', '2F', '34', '38', '39', '3B', '3D', '3F', '40', '42', '53', '54', '55', '57', '58', '72', 'F0',
    'HV', 'XX'
  )
$$;

comment on function private.is_row_error(text) is
  'Whether an error with this SQLSTATE concerns one row, so that other rows may still be stored. Any other error, such '
  'as a missing privilege, a lock or a full disk, concerns the whole call.';
grant execute on function private.is_row_error(text) to service_role;

create function private.row_error_reason(code text) returns text
language sql
immutable
set search_path = ''
as $$
  select format('refused by the database (SQLSTATE %s)', code)
$$;

comment on function private.row_error_reason(text) is
  'The reason reported for a row that the database refused. It holds only the SQLSTATE, because the error''s message '
  'may quote data or internal names.';
grant execute on function private.row_error_reason(text) to service_role;
