-- A bad lead goes back: an operator takes it from the agency that got it.

create function public.return_lead(lead_id uuid, reason text) returns jsonb
language plpgsql
security definer
set search_path = ''
-- Longer than the lock timeout, also under load (private.admit_request()), so that the operator gets its error.
set statement_timeout = '4s'
set lock_timeout = '2s'
as $$
begin
  perform private.require_operator();
  if coalesce(btrim(reason), '') = '' or length(reason) > 500 then
    raise exception 'reason: must be a text of 1 to 500 characters' using errcode = 'PT400';
  end if;
  perform private.note_operator_action('lead return', jsonb_build_object('lead_id', lead_id));
  return private.take_lead_back(lead_id, reason, private.operator_name());
exception when lock_not_available then
  raise exception 'lead_id: others have locked the lead. Try again in a moment.' using errcode = 'PT409';
end
$$;

comment on function public.return_lead(uuid, text) is
  'Takes a distributed recruiting lead back from its agency permanently. The order''s count falls by one, and an order that '
  'was filled is open again, or closed where it has ended. The lead no longer belongs to an agency and is never distributed '
  'again; sent again, it is a duplicate. Its conversations stay with the agency''s managers, without the lead and without an '
  'agent; the bot sends nothing more in them, and waiting texts are refused (lead_returned). The notifications of the lead '
  'count as read. reason: 1 to 500 characters. lead_returns has who had the lead. Returns {lead_id, agency, agent|null, '
  'order_id, filled, quantity, order_status, conversations, texts}: of the order after it, and how many conversations and '
  'waiting texts there were. For operators; for a signed-in one, it adds a row to operator_actions. PT400 names reason; PT404 '
  'for an unknown lead; PT409 if no order has the lead, it was already returned, a text to the recruit is being sent, or a '
  'lock is held for 2 s. 42501 for a user who is not an operator. Security definer because operators may not read or write the '
  'tables.';
grant execute on function public.return_lead(uuid, text) to authenticated, service_role;

create function private.take_lead_back(lead_id uuid, reason text, returned_by text) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  lead public.recruiting_leads;
  conversations uuid[];
  texts integer;
  counted public.recruiting_orders;
begin
  lead := private.lock_returned_lead(lead_id);
  conversations := array(
    select c.id from public.recruiting_conversations c where c.recruiting_lead_id = lead.id order by c.id for no key update);
  if exists (
    select
    from public.text_outbox o
    where o.conversation_id = any (conversations)
      and (o.state = 'sending' or o.state = 'unconfirmed' and o.due_at < 'infinity')
  ) then
    raise exception 'lead_id: a text to this recruit is being sent. Try again in some minutes.' using errcode = 'PT409';
  end if;
  texts := (
    select count(*) from public.text_outbox o where o.conversation_id = any (conversations) and o.state = 'pending');
  perform private.leave_conversation(c.id, lead.agent_id)
  from public.recruiting_conversations c
  where c.id = any (conversations)
  order by c.id;
  perform private.skip_greetings(array[lead.id], 'lead_returned');
  -- The agency no longer works with the recruit.
  update public.recruit_stages s set ended_at = clock_timestamp() where s.recruiting_lead_id = lead.id and s.ended_at is null;
  update public.agent_notifications n set read_at = now() where n.lead_id = lead.id and n.read_at is null;

  insert into public.lead_returns (recruiting_lead_id, agency_id, order_id, agent_id, distributed_at, reason, returned_by)
  values (
    lead.id, lead.agency_id, lead.order_id, lead.agent_id, lead.distributed_at, take_lead_back.reason,
    take_lead_back.returned_by);
  -- While the agency has it.
  perform private.add_dispatches('lead.returned', array[lead.id], jsonb_build_object('reason', take_lead_back.reason));
  -- A trigger takes it off the count of its day.
  update public.recruiting_leads l
  set distribution = 'returned', agency_id = null, order_id = null, agent_id = null, distributed_at = null
  where l.id = lead.id;
  update public.recruiting_orders o
  set
    filled = greatest(o.filled - 1, 0),
    status = case
      when o.status <> 'filled' then o.status
      -- Nobody can open an order that has ended.
      when o.ends_at <= now() then 'closed'
      else 'open'
    end
  where o.id = lead.order_id
  returning * into counted;

  return jsonb_build_object(
    'lead_id', lead.id,
    'agency', (select g.name from public.agencies g where g.id = lead.agency_id),
    'agent', (select concat_ws(' ', a.first_name, a.last_name) from public.agents a where a.id = lead.agent_id),
    'order_id', counted.id,
    'filled', counted.filled,
    'quantity', counted.quantity,
    'order_status', counted.status,
    'conversations', cardinality(conversations),
    'texts', texts);
end
$$;

comment on function private.take_lead_back(uuid, text, text) is
  'Does the work of return_lead() without checking the caller. returned_by: stored in lead_returns. 55P03 if a lock is held.';

create function private.return_rejected_leads() returns integer
language plpgsql
set search_path = ''
set lock_timeout = '500ms'
as $$
declare
  rejected record;
  returned integer := 0;
begin
  for rejected in
    select p.id, p.lead_id, p.excerpt, p.reason, d.name, d.agency_id
    from private.dispatches p
    join public.destinations d on d.id = p.destination_id
    where p.return_due_at <= clock_timestamp()
    order by p.return_due_at
    limit 100
    for no key update of p skip locked
  loop
    begin
      if exists (
        select
        from public.recruiting_leads l
        where l.id = rejected.lead_id and l.agency_id = rejected.agency_id and l.order_id is not null
      ) then
        perform private.take_lead_back(
          rejected.lead_id, coalesce(
            case when rejected.reason !~ '^HTTP \d+$' then nullif(btrim(rejected.reason), '') end,
            nullif(btrim(rejected.excerpt), ''), 'rejected by the receiver'), rejected.name);
        returned := returned + 1;
      end if;
      update private.dispatches p set return_due_at = null where p.id = rejected.id;
    exception when others then
      -- A text to the recruit is being sent, or others hold a lock.
      update private.dispatches p set return_due_at = clock_timestamp() + interval '1 minute' where p.id = rejected.id;
    end;
  end loop;
  return returned;
end
$$;

comment on function private.return_rejected_leads() is
  'Returns the leads that receivers have rejected, with the words of the receiver as the reason. A lead that cannot be '
  'returned now, because a text to the recruit is being sent, is returned within minutes. Returns the number.';

create function private.return_rejected_lead() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  perform private.return_rejected_leads();
  return null;
end
$$;

comment on function private.return_rejected_lead() is 'Trigger: returns a lead as soon as its receiver has rejected it.';

create trigger return_rejected_lead
  after update of state on private.dispatches
  for each row when (new.return_due_at is not null and old.return_due_at is null)
  execute function private.return_rejected_lead();

create function private.lock_returned_lead(lead_id uuid) returns public.recruiting_leads
language plpgsql
set search_path = ''
as $$
declare
  seen public.recruiting_leads;
  lead public.recruiting_leads;
begin
  select l.* into seen from public.recruiting_leads l where l.id = lead_id;
  -- Before rows, in the order of texting/consent.sql. No text to the recruit is claimed meanwhile, and no conversation begins.
  perform private.lock_consent(seen.agency_id, seen.phone);
  select l.* into lead from public.recruiting_leads l where l.id = lead_id for no key update;
  if lead.id is null then
    raise exception 'lead_id: there is no such recruiting lead' using errcode = 'PT404';
  elsif lead.distribution = 'returned' then
    raise exception 'lead_id: the lead was returned before' using errcode = 'PT409';
  elsif lead.order_id is null then
    raise exception 'lead_id: no order has got the lead' using errcode = 'PT409';
  elsif (lead.agency_id, lead.phone) is distinct from (seen.agency_id, seen.phone) then
    raise exception 'lead_id: others have changed the lead meanwhile. Try again.' using errcode = 'PT409';
  end if;
  return lead;
end
$$;

comment on function private.lock_returned_lead(uuid) is
  'A lead that an order has got, locked with the consent of its recruit. PT404 and PT409 as return_lead().';

create function private.leave_conversation(conversation_id uuid, agent_id uuid) returns void
language plpgsql
set search_path = ''
as $$
declare
  losing uuid[];
begin
  losing := array[agent_id, (
    select c.assigned_agent_id from public.recruiting_conversations c where c.id = leave_conversation.conversation_id
  )];
  perform private.refuse_waiting_texts(conversation_id, 'lead_returned');
  -- While the lead is known, so that the page of its agent is notified.
  update public.recruiting_conversations c
  set status = 'bot', assigned_agent_id = null
  where c.id = leave_conversation.conversation_id;
  update public.recruiting_conversations c
  set recruiting_lead_id = null
  where c.id = leave_conversation.conversation_id;
  update public.agent_notifications n
  set read_at = now()
  where n.conversation_id = leave_conversation.conversation_id and n.agent_id = any (losing) and n.read_at is null;
  perform private.end_bot_session(conversation_id, 'no_lead');
end
$$;

comment on function private.leave_conversation(uuid, uuid) is
  'Takes a conversation from its agents: the lead''s (agent_id) and the one who has it. It stays with the managers, who are '
  'notified of a text that the bot has not answered. The caller has locked the conversation.';

-- The first half has no condition: with one, the planner would read all of it for a page of leads.
create view private.lead_places with (security_invoker = true) as
select l.id, l.vendor_id, l.vendor_lead_id, l.first_name, l.last_name, l.phone, l.email, l.state, l.distribution,
  l.created_at, l.agency_id, l.agent_id, l.order_id, l.distributed_at, null::timestamptz as returned_at,
  null::text as return_reason, l.distribution <> 'returned' as is_last
from public.recruiting_leads l
union all
select l.id, l.vendor_id, l.vendor_lead_id, l.first_name, l.last_name, l.phone, l.email, l.state, l.distribution,
  l.created_at, r.agency_id, r.agent_id, r.order_id, r.distributed_at, r.created_at, r.reason, true
from public.lead_returns r
join public.recruiting_leads l on l.id = r.recruiting_lead_id;

comment on view private.lead_places is
  'Recruiting leads with the agency, agent and order that have them, or had them until they were returned. Ask for is_last: '
  'a returned lead has a second row, as it is now.';
grant select on private.lead_places to service_role;
