-- recruiting_messages by quarters, 4 of 4: the table of today becomes the first partition of a new one. No row is copied.

-- Reads the table, while others go on reading and writing.
alter table public.recruiting_messages validate constraint first_partition;

-- From here on everybody waits until the end of the transaction, a few milliseconds.
select private.lock_with_references('public.recruiting_messages');

-- A foreign key cannot refer to the id alone any more. The trigger delete_message_references takes its place.
alter table public.agent_notifications drop constraint agent_notifications_message_id_fkey;
alter table public.text_outbox drop constraint text_outbox_message_id_fkey;
alter table public.recruiting_messages drop constraint recruiting_messages_provider_message_id_key;
alter table public.recruiting_messages drop constraint recruiting_messages_pkey;
alter table public.recruiting_messages
  add constraint recruiting_messages_pkey primary key using index recruiting_messages_id_created_at_key;
drop trigger set_updated_at on public.recruiting_messages;
drop trigger apply_early_callbacks_on_insert on public.recruiting_messages;
drop trigger apply_early_callbacks_on_update on public.recruiting_messages;
drop policy "readers of a conversation read its messages" on public.recruiting_messages;
revoke all on public.recruiting_messages from authenticated, service_role;
alter table public.recruiting_messages rename to recruiting_messages_first;
alter table public.recruiting_messages_first set schema private;

create table public.recruiting_messages (like private.recruiting_messages_first including all)
  partition by range (created_at);
alter table public.recruiting_messages
  add constraint recruiting_messages_conversation_id_fkey
    foreign key (conversation_id) references public.recruiting_conversations (id) on delete cascade;
comment on table public.recruiting_messages is 'A text message from or to a recruit.';
create trigger set_updated_at
  before update on public.recruiting_messages
  for each row execute function private.set_updated_at();
create trigger apply_early_callbacks_on_insert
  before insert on public.recruiting_messages
  for each row when (new.provider_message_id is not null)
  execute function private.apply_early_callbacks();
create trigger apply_early_callbacks_on_update
  before update of provider_message_id on public.recruiting_messages
  for each row when (
    new.provider_message_id is not null
    and new.provider_message_id is distinct from old.provider_message_id
  )
  execute function private.apply_early_callbacks();
alter table public.recruiting_messages enable row level security;
grant select on public.recruiting_messages to authenticated;
grant select, insert, update, delete on public.recruiting_messages to service_role;
create policy "readers of a conversation read its messages" on public.recruiting_messages
  for select to authenticated
  using (
    exists (
      select from public.recruiting_conversations c where c.id = recruiting_messages.conversation_id
    )
  );

-- A unique constraint of a partitioned table must have the time in it, so none can be on the MessageSid or the id alone.
-- Whoever stores a message therefore first takes a lock of its own and then looks. A repeated id comes with the same
-- MessageSid, or with none. Postgres has room for a few thousand locks, so a transaction must not store more messages.
create function private.lock_repeats(provider_message_id text) returns void
language plpgsql
set search_path = ''
as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('repeated message ' || provider_message_id, 0));
end
$$;

comment on function private.lock_repeats(text) is
  'Makes every other transaction that stores this message wait until this one ends.';
grant execute on function private.lock_repeats(text) to service_role;

create function private.is_repeated_message(message public.recruiting_messages) returns boolean
language plpgsql
set search_path = ''
as $$
begin
  perform private.lock_repeats(coalesce(message.provider_message_id, message.id::text));
  return exists (
    select from public.recruiting_messages m where m.provider_message_id = message.provider_message_id
  ) or exists (
    select from public.recruiting_messages m where m.id = message.id
  );
end
$$;

comment on function private.is_repeated_message(public.recruiting_messages) is
  'Whether a message with this MessageSid or id is stored. Every other transaction that stores one waits until this one '
  'ends. In transactions that are read committed, as those of PostgREST are.';
grant execute on function private.is_repeated_message(public.recruiting_messages) to service_role;

create function private.skip_repeated_message() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  return case when not private.is_repeated_message(new) then new end;
end
$$;

comment on function private.skip_repeated_message() is
  'Trigger: a message is stored once for each MessageSid and id. One that comes again is left out without an error.';

create trigger skip_repeated_message
  before insert on public.recruiting_messages
  for each row execute function private.skip_repeated_message();

create function private.refuse_repeated_message() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  perform private.lock_repeats(new.provider_message_id);
  if exists (select from public.recruiting_messages m where m.provider_message_id = new.provider_message_id) then
    raise exception 'provider_message_id: another message has it' using errcode = 'unique_violation';
  end if;
  return new;
end
$$;

comment on function private.refuse_repeated_message() is
  'Trigger: a message cannot get the MessageSid of another. 23505, as of a unique constraint.';

create trigger refuse_repeated_message
  before update of provider_message_id on public.recruiting_messages
  for each row when (new.provider_message_id is distinct from old.provider_message_id)
  execute function private.refuse_repeated_message();

create function private.delete_message_references() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  delete from public.text_outbox o where o.message_id = old.id;
  delete from public.agent_notifications n where n.message_id = old.id;
  return null;
end
$$;

comment on function private.delete_message_references() is
  'Trigger: what refers to a message is deleted with it, as by a foreign key.';

create trigger delete_message_references
  after delete on public.recruiting_messages
  for each row execute function private.delete_message_references();

select private.attach_first_partition('public.recruiting_messages', 'private.recruiting_messages_first');
select private.maintain_partitions('public.recruiting_messages', '3 months');

do $$
begin
  if exists (select from pg_extension where extname = 'pg_cron') then
    perform cron.schedule(
      'partitions of recruiting_messages', '37 3 * * *',
      $job$select private.maintain_partitions('public.recruiting_messages', '3 months')$job$);
  end if;
end
$$;

notify pgrst, 'reload schema';
