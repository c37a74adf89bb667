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
  'Trigger of every table with an updated_at: the time of the transaction that last changed the row.';
