-- The notifications that are not written with their cause: of leads, and those that a lock delayed.

create function private.notify_of_due_leads() returns boolean
language plpgsql
set search_path = ''
-- By the index, also with a plan that was made while the table was small.
set enable_seqscan = off
as $$
declare
  deadline constant timestamptz := clock_timestamp() + interval '2 seconds';
  -- A long transaction keeps all versions of the agents, whose turns go on meanwhile, and then reads them.
  most constant integer := 500;
  taken integer;
  due uuid[];
  lead_id uuid;
begin
  with deleted as (
    delete from private.lead_notifications_due u
    where u.id = any (array(
      select w.id from private.lead_notifications_due w order by w.id limit most for update skip locked
    ))
    returning u.lead_id
  )
  select count(*), array_agg(distinct d.lead_id) into taken, due from deleted d;

  begin
    perform private.notify_of_leads(due);
  exception when others then
    -- One that fails costs only itself, and comes last the next time.
    foreach lead_id in array due loop
      begin
        if clock_timestamp() > deadline then
          raise lock_not_available using message = 'there is no time left for the lead';
        end if;
        perform private.notify_of_leads(array[lead_id]);
      exception when others then
        raise warning 'nobody is notified of the lead % yet (SQLSTATE %)', lead_id, sqlstate;
        insert into private.lead_notifications_due (lead_id) values (lead_id);
      end;
    end loop;
  end;
  return taken = most;
end
$$;

comment on function private.notify_of_due_leads() is
  'Notifies the agents of up to 500 leads of lead_notifications_due, the longest waiting first, once each. A lead whose '
  'notification fails stays there, with a warning. Returns whether there were 500.';

create function private.notify_of_leads(lead_ids uuid[]) returns void
language plpgsql
set search_path = ''
as $$
begin
  -- A lead may be going to another agent: its notification goes along, or is that agent's.
  perform from public.recruiting_leads l where l.id = any (lead_ids) order by l.id for share;
  insert into public.agent_notifications (agent_id, lead_id, kind, reason)
  select coalesce(l.agent_id, m.id), l.id, 'lead', case when r.lead_id is not null then 'came_again' end
  from public.recruiting_leads l
  left join private.lead_repeats r on r.lead_id = l.id and r.action = 'same_agent' and l.order_id is null
  left join lateral (
    select a.id
    from public.agents a
    where l.agent_id is null and a.agency_id = l.agency_id and a.role = 'manager' and a.is_active
    -- Else the agents are read for a lead with an agent too, with all versions that the turns of a burst have left.
    offset 0
  ) m on true
  where l.id = any (lead_ids) and coalesce(l.agent_id, m.id) is not null;
  perform private.add_dispatches('lead.distributed', lead_ids);
end
$$;

comment on function private.notify_of_leads(uuid[]) is
  'Notifies the agents of leads that were distributed; of one without an agent, each active manager of its agency. Adds the '
  'dispatches of `lead.distributed`.';

create function private.deliver_notifications(began_at timestamptz default clock_timestamp()) returns boolean
language plpgsql
set search_path = ''
-- Rows that others have locked have their turn the next time.
set lock_timeout = '100ms'
as $$
declare
  late record;
  texts integer := 0;
  are_more_leads boolean := false;
begin
  begin
    for late in
      with taken as (
        select w.id from private.waiting_notifications w order by w.created_at limit 1000 for update skip locked
      ), deleted as (
        delete from private.waiting_notifications w using taken t where w.id = t.id returning w.*
      )
      select
        d.conversation_id, d.unmatched_text_id, d.kind, d.reason, count(*) as texts,
        array_agg(d.message_id order by d.created_at) as message_ids
      from deleted d
      group by d.conversation_id, d.unmatched_text_id, d.kind, d.reason
    loop
      texts := texts + late.texts;
      if late.unmatched_text_id is null then
        perform private.notify_of_texts(late.conversation_id, late.message_ids, late.kind, late.reason);
      else
        perform private.notify_of_unmatched_text(t) from public.unmatched_texts t where t.id = late.unmatched_text_id;
      end if;
    end loop;
  exception when others then
    raise warning 'notifications of texts are not delivered yet (SQLSTATE %)', sqlstate;
  end;
  begin
    perform private.notify_of_late_texts();
  exception when others then
    raise warning 'nobody is notified of late texts yet (SQLSTATE %)', sqlstate;
  end;
  begin
    are_more_leads := private.notify_of_due_leads();
  exception when others then
    raise warning 'nobody is notified of new leads yet (SQLSTATE %)', sqlstate;
  end;
  return (texts = 1000 or are_more_leads)
    and clock_timestamp() < began_at + interval '20 seconds'
    -- What could not be delivered waits anew.
    and coalesce(least(
      (select u.placed_at from private.lead_notifications_due u order by u.id limit 1),
      (select min(w.created_at) from private.waiting_notifications w)
    ) < began_at, false);
end
$$;

comment on function private.deliver_notifications(timestamptz) is
  'Delivers notifications that could not be written at once, of up to 1,000 texts and 500 leads, and those of the bot''s texts '
  'that are late. Never fails: notifications that cannot be delivered now stay. The scheduler calls it every 10 seconds, and '
  'repeats the call, each in its own transaction, while it returns true: began_at is when the first of these calls began. '
  'Returns whether notifications that waited then are still undelivered, for at most 20 s.';
