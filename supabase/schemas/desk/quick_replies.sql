-- Quick replies: what the agents of an agency write often. operators/quick_replies.sql has how they are changed.

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
