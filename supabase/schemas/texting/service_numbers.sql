-- Our own numbers: what texts are sent from, and how fast.

create function private.clear_paused_reason() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  new.paused_reason := null;
  return new;
end
$$;

comment on function private.clear_paused_reason() is 'Trigger: an active number has no paused_reason.';

create trigger clear_paused_reason
  before insert or update on public.service_numbers
  for each row when (new.status = 'active' and new.paused_reason is not null)
  execute function private.clear_paused_reason();

create function private.pause_number(phone text, reason text) returns void
language plpgsql
set search_path = ''
as $$
begin
  update public.service_numbers n
  set status = 'paused', paused_reason = reason
  where n.phone = pause_number.phone and n.status = 'active';
end
$$;

comment on function private.pause_number(text, text) is
  'Pauses a number of ours that may not send. reason: the provider''s code.';
