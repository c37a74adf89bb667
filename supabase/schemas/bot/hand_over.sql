-- A conversation goes from the bot to a person, and back.

create function private.escalate(conversation public.recruiting_conversations) returns void
language plpgsql
set search_path = ''
as $$
declare
  lead_agent_id constant uuid := (
    select l.agent_id from public.recruiting_leads l where l.id = conversation.recruiting_lead_id
  );
begin
  update public.recruiting_conversations c
  set status = 'escalated', assigned_agent_id = chosen.id
  from private.choose_agent(conversation.agency_id, conversation.assigned_agent_id, lead_agent_id) chosen (id)
  where c.id = conversation.id and chosen.id is not null;
end
$$;

comment on function private.escalate(public.recruiting_conversations) is
  'Gives a conversation to a person: its assigned agent, else its lead''s, else the agent of the agency who has waited '
  'longest for a recruit and is not away, else a manager. It stays with the bot where none of them is active.';

create function private.note_reason() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  new.reason := (
    select s.reason
    from public.bot_sessions s
    -- It has ended in this transaction, before the conversation changed hands.
    where s.conversation_id = new.conversation_id and s.state in ('done', 'escalated') and s.updated_at = now()
  );
  return new;
end
$$;

comment on function private.note_reason() is 'Trigger: why the bot has given a conversation to a person.';

create trigger note_reason
  before insert on public.conversation_assignments
  for each row when (new.status = 'escalated' and new.by_agent_id is null)
  execute function private.note_reason();

create function public.hand_back_to_bot(conversation_id uuid) returns jsonb
language plpgsql
security definer
set search_path = ''
as $$
declare
  caller constant public.agents := private.current_agent();
begin
  update public.recruiting_conversations c
  set status = 'bot'
  where c.id = hand_back_to_bot.conversation_id
    and c.agency_id = caller.agency_id
    and (c.assigned_agent_id = caller.id or caller.role = 'manager');
  if not found then
    raise exception 'conversation_id: there is no such conversation' using errcode = 'PT404';
  end if;
  -- What the bot only listens to is the person's, who has it until now. Where this call is repeated, the bot answers.
  delete from public.bot_turns t
  where t.conversation_id = hand_back_to_bot.conversation_id
    and exists (select from public.bot_sessions s where s.conversation_id = t.conversation_id and s.state <> 'active');
  -- A script that has come to its end does not begin again, and none does while the bot is off.
  if (private.newest_bot_script(caller.agency_id)).script is not null then
    -- Where it has asked nothing yet, it introduces itself.
    delete from public.bot_sessions s
    where s.conversation_id = hand_back_to_bot.conversation_id
      and s.state = 'escalated'
      and s.asked_at is null
      and s.answers = '{}';
    update public.bot_sessions s
    set state = 'active', reason = null, tries = 0, version = s.version + 1, asked_at = null,
      asked_message_id = null, expires_at = null,
      -- Not before the question is asked, and not where the recruit has been reminded.
      remind_at = case when s.remind_at is not null then 'infinity'::timestamptz end
    where s.conversation_id = hand_back_to_bot.conversation_id
      and s.state in ('stopped', 'escalated')
      and s.reason not in ('switched_off', 'opted_out');
  end if;
  return jsonb_build_object('conversation_id', conversation_id, 'status', 'bot');
end
$$;

comment on function public.hand_back_to_bot(uuid) is
  'Gives a conversation back to the bot, which asks its question anew at the recruit''s next text. It stays assigned, so '
  'that its agent can read on. The assigned agent may call it, and a manager of its agency. Returns {conversation_id, status: '
  'bot}, also when the bot has it already: then nothing changes. PT404 for an unknown conversation, or one of other agents. '
  'Security definer because agents may not write the tables.';
grant execute on function public.hand_back_to_bot(uuid) to authenticated;
