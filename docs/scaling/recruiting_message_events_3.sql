-- recruiting_message_events by months, 3 of 3: the table of today becomes the first partition of a new one. No row is
-- copied.

-- Reads the table, while others go on reading and writing.
alter table public.recruiting_message_events validate constraint first_partition;

-- From here on everybody waits until the end of the transaction, a few milliseconds.
select private.lock_with_references('public.recruiting_message_events');

alter table public.recruiting_message_events drop constraint recruiting_message_events_pkey;
alter table public.recruiting_message_events
  add constraint recruiting_message_events_pkey primary key using index recruiting_message_events_id_received_at_key;
revoke all on public.recruiting_message_events from service_role;
alter table public.recruiting_message_events rename to recruiting_message_events_first;
alter table public.recruiting_message_events_first set schema private;

create table public.recruiting_message_events (like private.recruiting_message_events_first including all)
  partition by range (received_at);
comment on table public.recruiting_message_events is
  'Every delivery callback of the SMS provider, also for unknown messages. Rows are added and never changed.';
alter table public.recruiting_message_events enable row level security;
grant select, insert on public.recruiting_message_events to service_role;

-- A unique constraint of a partitioned table must have the time in it, so it cannot be on the id alone.
create function private.skip_repeated_event() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  perform private.lock_message(new.provider_message_id);
  if exists (
    select from public.recruiting_message_events e
    where e.provider_message_id = new.provider_message_id and e.id = new.id
  ) then
    return null;
  end if;
  return new;
end
$$;

comment on function private.skip_repeated_event() is
  'Trigger: a callback of a message is stored once for each id. One that comes again is left out without an error.';

create trigger skip_repeated_event
  before insert on public.recruiting_message_events
  for each row execute function private.skip_repeated_event();

select private.attach_first_partition('public.recruiting_message_events', 'private.recruiting_message_events_first');
select private.maintain_partitions('public.recruiting_message_events', '1 month');

do $$
begin
  if exists (select from pg_extension where extname = 'pg_cron') then
    perform cron.schedule(
      'partitions of recruiting_message_events', '27 3 * * *',
      $job$select private.maintain_partitions('public.recruiting_message_events', '1 month', '1 year')$job$);
  end if;
end
$$;

notify pgrst, 'reload schema';
