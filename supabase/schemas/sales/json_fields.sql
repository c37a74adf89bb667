-- Readers of JSON fields for submit_lead_presentation(). An invalid value raises an error with errcode 22023
-- (invalid_parameter_value), whose message begins with the path of the field, such as `sale.annual_premium`. A missing
-- field, null and a blank string all become null.

create function private.invalid_field(path text, problem text) returns void
language plpgsql
set search_path = ''
as $$
begin
  raise exception '%: %', private.quoted(path), private.quoted(problem, 200)
    using errcode = 'invalid_parameter_value';
end
$$;

comment on function private.invalid_field(text, text) is 'Raises the error for the field with this path.';
grant execute on function private.invalid_field(text, text) to authenticated;

create function private.require_fields(object jsonb, path text, known text[]) returns void
language plpgsql
set search_path = ''
as $$
declare
  key text;
begin
  if jsonb_typeof(object) <> 'object' then
    perform private.invalid_field(path, 'must be an object');
  end if;
  for key in select k from jsonb_object_keys(object) k loop
    if key <> all (known) then
      perform private.invalid_field(path || '.' || key, 'unknown field');
    end if;
  end loop;
end
$$;

comment on function private.require_fields(jsonb, text, text[]) is
  'Raises an error if the value is not an object or has an unknown key.';
grant execute on function private.require_fields(jsonb, text, text[]) to authenticated;

create function private.text_field(object jsonb, path text, key text, is_required boolean default false)
returns text
language plpgsql
set search_path = ''
as $$
declare
  value constant text := nullif(btrim(object ->> key, e' \t\n\r'), '');
begin
  if coalesce(jsonb_typeof(object -> key), 'null') not in ('string', 'null') then
    perform private.invalid_field(path || '.' || key, 'must be a string');
  elsif value is null and is_required then
    perform private.invalid_field(path || '.' || key, 'is required');
  end if;
  return value;
end
$$;

comment on function private.text_field(jsonb, text, text, boolean) is
  'Returns a string without surrounding spaces, tabs and line ends.';
grant execute on function private.text_field(jsonb, text, text, boolean) to authenticated;

create function private.amount_field(object jsonb, path text, key text, is_required boolean default false)
returns numeric
language plpgsql
set search_path = ''
as $$
declare
  type constant text := coalesce(jsonb_typeof(object -> key), 'null');
begin
  if type = 'number' and (object ->> key)::numeric between 0 and 999999999999.99 then
    return round((object ->> key)::numeric, 2);
  elsif type <> 'null' then
    perform private.invalid_field(path || '.' || key, 'must be a number from 0 to 999999999999.99');
  elsif is_required then
    perform private.invalid_field(path || '.' || key, 'is required');
  end if;
  return null;
end
$$;

comment on function private.amount_field(jsonb, text, text, boolean) is 'Returns an amount of money, rounded to cents.';
grant execute on function private.amount_field(jsonb, text, text, boolean) to authenticated;

create function private.count_field(object jsonb, path text, key text) returns integer
language plpgsql
set search_path = ''
as $$
declare
  type constant text := coalesce(jsonb_typeof(object -> key), 'null');
begin
  if type = 'number'
    and (object ->> key)::numeric between 0 and 100
    and (object ->> key)::numeric % 1 = 0
  then
    return (object ->> key)::numeric;
  elsif type <> 'null' then
    perform private.invalid_field(path || '.' || key, 'must be a whole number from 0 to 100');
  end if;
  return null;
end
$$;

comment on function private.count_field(jsonb, text, text) is 'Returns a number of people, from 0 to 100.';
grant execute on function private.count_field(jsonb, text, text) to authenticated;

create function private.boolean_field(object jsonb, path text, key text) returns boolean
language plpgsql
set search_path = ''
as $$
begin
  if coalesce(jsonb_typeof(object -> key), 'null') not in ('boolean', 'null') then
    perform private.invalid_field(path || '.' || key, 'must be true or false');
  end if;
  return object ->> key;
end
$$;

comment on function private.boolean_field(jsonb, text, text) is 'Returns true, false or null.';
grant execute on function private.boolean_field(jsonb, text, text) to authenticated;

create function private.date_field(object jsonb, path text, key text) returns date
language plpgsql
set search_path = ''
as $$
declare
  value constant text := private.text_field(object, path, key);
  result date;
begin
  if value !~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' then
    perform private.invalid_field(path || '.' || key, 'must be a date, YYYY-MM-DD');
  end if;
  result := value;
  return result;
exception when datetime_field_overflow or invalid_datetime_format then
  perform private.invalid_field(path || '.' || key, 'must be a date that exists');
end
$$;

comment on function private.date_field(jsonb, text, text) is 'Returns a date in the format YYYY-MM-DD (ISO 8601).';
grant execute on function private.date_field(jsonb, text, text) to authenticated;
