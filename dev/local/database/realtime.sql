-- Realtime's objects of a hosted project: the table of its messages, and the functions that send one and name the
-- topic. Names, types and rights are Supabase's own, so that a migration works in both. The gateway serves Realtime's
-- protocol and listens for what is sent here. It runs once in the life of a database.

-- Roles belong to the whole server, which may have a second database.
do $$
begin
  if to_regrole('supabase_realtime_admin') is null then
    -- The role that the gateway logs in as. It asks the policies as the role of the user who joins a topic.
    create role supabase_realtime_admin login noinherit;
    grant anon, authenticated, service_role to supabase_realtime_admin;
  end if;
end
$$;
alter role supabase_realtime_admin set statement_timeout to '5s';
alter role supabase_realtime_admin set lock_timeout to '2s';

create schema realtime authorization supabase_realtime_admin;
set local role supabase_realtime_admin;
grant usage on schema realtime to postgres, anon, authenticated, service_role;

create table realtime.messages (
  topic text not null,
  extension text not null,
  payload jsonb,
  event text,
  private boolean default false,
  updated_at timestamp not null default now(),
  inserted_at timestamp not null default now(),
  id uuid not null default gen_random_uuid(),
  primary key (id, inserted_at)
) partition by range (inserted_at);

-- A hosted project has a partition for each day besides.
create table realtime.messages_default partition of realtime.messages default;

-- A project adds policies, for example for the topic that a role may join.
alter table realtime.messages enable row level security;
alter table realtime.messages_default enable row level security;
grant select, insert, update on realtime.messages to postgres, anon, authenticated, service_role;

create function realtime.topic() returns text
language sql
stable
as $$
  select nullif(current_setting('realtime.topic', true), '')
$$;

create function realtime.send(payload jsonb, event text, topic text, private boolean default true) returns void
language plpgsql
as $$
declare
  message_id uuid := gen_random_uuid();
begin
  perform set_config('realtime.topic', topic, true);
  insert into realtime.messages (id, topic, extension, payload, event, private)
  values (message_id, topic, 'broadcast', jsonb_build_object('id', message_id) || payload, event, private);
exception when others then
  raise warning 'realtime.send: %', sqlerrm;
end
$$;

-- In the place of replication, which hosted Realtime reads. A notification holds 8,000 bytes.
create function realtime.notify_gateway() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  perform pg_notify('realtime_messages', json_build_object(
    'id', new.id, 'topic', new.topic, 'event', new.event, 'payload', new.payload)::text);
  return null;
end
$$;

create trigger notify_gateway
  after insert on realtime.messages
  for each row when (new.extension = 'broadcast' and new.private and new.event is not null)
  execute function realtime.notify_gateway();

reset role;
