-- The limits for what a user sends and uploads. Nobody who types reaches them; a faulty page or a stolen password could
-- cost money, block the number, and cause complaints of recruits.

create table private.text_limits (
  is_only boolean primary key default true check (is_only),
  waiting_texts integer not null default 10 check (waiting_texts > 0),
  texts_a_minute integer not null default 60 check (texts_a_minute > 0),
  files_an_hour integer not null default 30 check (files_an_hour > 0)
);

insert into private.text_limits default values;

comment on table private.text_limits is 'The limits for sending and uploading: one row, which the administrator may change.';
comment on column private.text_limits.waiting_texts is 'The maximum number of agents'' texts that wait in one conversation.';
comment on column private.text_limits.texts_a_minute is 'The maximum number of texts that one user sends in a minute.';
comment on column private.text_limits.files_an_hour is
  'The maximum number of files that users add to one conversation in an hour: those of three texts.';

alter table private.text_limits enable row level security;
grant select, update on private.text_limits to service_role;

create function private.require_room(conversation_id uuid, agent_id uuid) returns void
language plpgsql
set search_path = ''
as $$
declare
  limits private.text_limits;
  seconds integer;
begin
  select l.* into limits from private.text_limits l;
  if (
    select count(*) >= limits.waiting_texts
    from public.text_outbox o
    where o.conversation_id = require_room.conversation_id and o.state = 'pending' and o.kind = 'agent'
  ) then
    raise exception 'conversation_id: % texts already wait to be sent to this recruit; send the next when one of them has left',
      private.quoted(limits.waiting_texts) using errcode = 'PT429';
  end if;
  seconds := private.seconds_until_allowed('texts of agent ' || agent_id, limits.texts_a_minute);
  if seconds is not null then
    raise exception 'you have sent % texts in a minute; send the next in % seconds',
      private.quoted(limits.texts_a_minute), private.quoted(seconds) using errcode = 'PT429', detail = private.quoted(seconds);
  end if;
end
$$;

comment on function private.require_room(uuid, uuid) is
  'Counts a text of this agent to this conversation, which the caller has locked. PT429 beyond private.text_limits; its '
  'detail is the number of seconds to wait, where that is known.';

create function private.may_add_file(conversation_id uuid) returns boolean
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
  return (
    select count(*)
    from storage.objects o
    where o.bucket_id = 'text-media'
      -- By the index of names. A copy of a recruit's file has no owner.
      and o.name ~>=~ (conversation_id || '/') and o.name ~<~ (conversation_id || '0')
      and o.owner_id is not null
      and o.created_at > now() - interval '1 hour'
  ) < (select l.files_an_hour from private.text_limits l);
end
$$;

comment on function private.may_add_file(uuid) is
  'Whether users may add another file to the conversation by private.text_limits. Concurrent uploads do not count each other. '
  'Security definer because users do not read all files of a conversation, nor the limits.';
grant execute on function private.may_add_file(uuid) to authenticated;
