-- Quick replies: what the agents of an agency write often. Managers keep them.

create table public.quick_replies (
  id uuid primary key default gen_random_uuid(),
  agency_id uuid not null references public.agencies (id) on delete cascade,
  shortcut text not null check (shortcut ~ '^[a-z0-9_-]{1,32}$'),
  body text not null check (length(body) between 1 and 1600),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (agency_id, shortcut)
);

comment on table public.quick_replies is
  'The quick replies of an agency. An agent finds one by its shortcut, and may change the words before they are sent.';
comment on column public.quick_replies.shortcut is 'What an agent types after `/`: letters from a to z, digits, - and _.';
comment on column public.quick_replies.body is
  'The words, with the placeholders of a greeting: {first_name}, {agent} and {agency}.';

create trigger set_updated_at
  before update on public.quick_replies
  for each row execute function private.set_updated_at();

alter table public.quick_replies enable row level security;
grant select on public.quick_replies to authenticated;
grant select, insert, update, delete on public.quick_replies to service_role;

create policy "agents read the quick replies of their agency" on public.quick_replies
  for select to authenticated
  using (agency_id = (select private.current_agency_id()));

create function private.quick_reply_writer() returns public.agents
language plpgsql
set search_path = ''
as $$
declare
  caller constant public.agents := private.writer();
begin
  if caller.role <> 'manager' then
    raise exception 'only a manager may change quick replies' using errcode = 'insufficient_privilege';
  end if;
  return caller;
end
$$;

comment on function private.quick_reply_writer() is
  'Returns the active manager who is signed in, and who cannot leave before the transaction ends. 42501 if there is none.';

create function public.save_quick_reply(
  shortcut text,
  body text,
  quick_reply_id uuid default null,
  seen_at timestamptz default null
) returns jsonb
language plpgsql
security definer
set search_path = ''
as $$
declare
  max_length constant integer := 1600;
  caller constant public.agents := private.quick_reply_writer();
  given_shortcut constant text := lower(btrim(shortcut));
  unknown constant text := (
    select p.given[1]
    from regexp_matches(body, '\{[^{}]*\}', 'g') p (given)
    where p.given[1] not in ('{first_name}', '{agent}', '{agency}')
    limit 1
  );
  saved public.quick_replies;
begin
  if coalesce(given_shortcut, '') !~ '^[a-z0-9_-]{1,32}$' then
    perform private.invalid_field('shortcut', 'must have 1 to 32 letters from a to z, digits, - or _');
  elsif private.visible_text(coalesce(body, '')) !~ '[^ \n]' then
    perform private.invalid_field('body', 'must not be empty');
  elsif private.utf16_length(body) > max_length then
    perform private.invalid_field('body', format(
      'must have at most %s characters, counted in UTF-16 units (most emoji have 2 or more)', max_length));
  elsif unknown is not null then
    perform private.invalid_field('body', format(
      'there is no placeholder %s. Use {first_name}, {agent} or {agency}', left(unknown, 50)));
  elsif regexp_replace(body, '\{(first_name|agent|agency)\}', '', 'g') ~ '[{}]' then
    perform private.invalid_field('body', 'must have no other braces than those of {first_name}, {agent} and {agency}');
  end if;

  if quick_reply_id is null then
    insert into public.quick_replies as q (agency_id, shortcut, body)
    values (caller.agency_id, given_shortcut, save_quick_reply.body)
    returning q.* into saved;
  else
    select q.* into saved
    from public.quick_replies q
    where q.id = quick_reply_id and q.agency_id = caller.agency_id
    for update;
    if not found then
      raise exception 'quick_reply_id: there is no such quick reply' using errcode = 'PT404';
    elsif saved.updated_at <> seen_at then
      raise exception 'seen_at: another manager has changed this quick reply meanwhile' using errcode = 'PT409';
    end if;
    update public.quick_replies q
    set shortcut = given_shortcut, body = save_quick_reply.body
    where q.id = saved.id
    returning q.* into saved;
  end if;
  return to_jsonb(saved) - 'agency_id';
exception when unique_violation then
  raise exception 'shortcut: another quick reply has it' using errcode = 'PT409';
end
$$;

comment on function public.save_quick_reply(text, text, uuid, timestamptz) is
  'Stores a quick reply of the manager''s agency: a new one, or with quick_reply_id a new shortcut and body of an existing '
  'one. shortcut: 1 to 32 letters from a to z, digits, - or _; stored in lower case. body: at most 1,600 UTF-16 units, with no '
  'placeholders other than {first_name}, {agent} and {agency}. seen_at: its updated_at as the manager has read it, in '
  'microseconds; null: the current state is not compared. Returns {id, shortcut, body, created_at, updated_at}. Errors: 22023 '
  '(HTTP 400) names the field, and the placeholder; 42501 (403) if the caller is not an active manager; PT404 for an unknown '
  'one; PT409 if another one has the shortcut, or it was changed since seen_at. Security definer because agents may not write '
  'the tables.';
grant execute on function public.save_quick_reply(text, text, uuid, timestamptz) to authenticated;

create function public.delete_quick_reply(quick_reply_id uuid) returns jsonb
language plpgsql
security definer
set search_path = ''
as $$
declare
  caller constant public.agents := private.quick_reply_writer();
begin
  delete from public.quick_replies q where q.id = quick_reply_id and q.agency_id = caller.agency_id;
  if not found then
    raise exception 'quick_reply_id: there is no such quick reply' using errcode = 'PT404';
  end if;
  return jsonb_build_object('id', quick_reply_id);
end
$$;

comment on function public.delete_quick_reply(uuid) is
  'Deletes a quick reply of the manager''s agency. Returns {id}. Errors: 42501 (HTTP 403) if the caller is not an active '
  'manager; PT404 for an unknown one, also one that was deleted before. Security definer because agents may not write the '
  'tables.';
grant execute on function public.delete_quick_reply(uuid) to authenticated;

create function public.quick_replies_to(conversation_id uuid) returns jsonb
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  caller constant public.agents := private.current_agent();
  conversation public.recruiting_conversations;
  lead public.recruiting_leads;
begin
  if caller.id is null then
    raise exception 'only an active agent may write to recruits' using errcode = 'insufficient_privilege';
  end if;
  select c.* into conversation
  from public.recruiting_conversations c
  where c.id = quick_replies_to.conversation_id and private.may_write(caller, c);
  if not found then
    raise exception 'conversation_id: there is no such conversation' using errcode = 'PT404';
  end if;
  select l.* into lead from public.recruiting_leads l where l.id = conversation.recruiting_lead_id;
  lead.agency_id := conversation.agency_id;
  return (
    select coalesce(jsonb_agg(jsonb_build_object(
      'id', q.id, 'shortcut', q.shortcut, 'body', private.fill_template(q.body, lead, caller.id)
    ) order by q.shortcut), '[]')
    from public.quick_replies q
    where q.agency_id = conversation.agency_id
  );
end
$$;

comment on function public.quick_replies_to(uuid) is
  'The quick replies of the agency for the recruit of a conversation, with the recruit''s first name, the name of the caller '
  'and that of the agency in the place of the placeholders, as in a greeting: [{id, shortcut, body}], by shortcut. Errors: '
  '42501 (HTTP 403) if the caller is not an active agent; PT404 for a conversation in which the caller may not write. Security '
  'definer because an agent who was given the conversation with a colleague''s recruit does not read the recruit, whose name '
  'is in the words. It first checks that the caller may write in the conversation.';
grant execute on function public.quick_replies_to(uuid) to authenticated;
