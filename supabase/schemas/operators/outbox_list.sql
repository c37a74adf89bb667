-- The texts that have not left, why not, and what holds them, for operators.

create function private.why_not_sent(state text, reason text, until text, number_status text, paused_reason text)
returns text
language sql
immutable
set search_path = ''
as $$
  select case state
    when 'held' then case
      when number_status is null then 'its number is not one of the agency''s'
      when number_status = 'paused' then 'its number is paused: ' || coalesce(paused_reason, 'no reason given')
      when reason = 'quiet_hours' and until = 'infinity' then 'its state has no open hours: set them with the command hours set'
      when reason = 'quiet_hours' then 'quiet hours, until ' || until
      when reason = 'credentials' then 'Twilio refuses our login; tried again at ' || until
      when reason = 'no_account' then 'no account at Twilio is set: see TWILIO_ACCOUNT_SID'
      else 'tried again at ' || until || coalesce(', after ' || reason, '')
    end
    when 'due' then 'it is sent next'
    when 'sending' then 'it is being sent'
    when 'refused' then case reason
      when 'opted_out' then 'the recruit has opted out'
      when 'suppressed' then 'the recruit is suppressed'
      when 'cancelled' then 'it was cancelled'
      when 'country' then 'greetings go to other countries alone: see TEXTING_COUNTRIES'
      when 'taken_over' then 'an agent has taken the conversation over from the bot'
      when 'answered' then 'the recruit had written before this reminder'
      when 'script_ended' then 'the bot''s part had ended'
      when 'lead_returned' then 'the lead was taken back from the agency'
      when 'expired' then 'it could not be sent for a day'
      when 'no_greeting' then 'the order has no greeting any more'
      when 'no_consent' then 'the vendor has no text consent any more'
      else 'the bot was stopped: ' || coalesce(reason, 'no reason given')
    end
    when 'never_queued' then case reason
      when 'no_greeting' then 'the order has no greeting any more'
      when 'no_consent' then 'the vendor has no text consent, or the lead says no'
      when 'no_phone' then 'the lead has no phone number that can be texted'
      when 'is_test' then 'it is a test lead'
      when 'opted_out' then 'the recruit had opted out before'
      when 'suppressed' then 'the recruit was suppressed'
      when 'lead_returned' then 'the lead was taken back from the agency'
      when 'texted_before' then 'the agency has texted the recruit before'
      when 'no_number' then 'the agency had no number'
      when 'taken_over' then 'an agent had the conversation already'
      when 'too_long' then 'it would have had more than 1,600 characters'
      when 'expired' then 'it could not be queued for a day'
      else 'an error, which the database''s log has'
    end
    when 'unconfirmed' then case
      when until <> 'infinity' then 'the response was lost; Twilio is asked for it at ' || until
      else 'nobody knows whether it was sent'
    end
    when 'failed' then case reason
      when 'unconfirmed' then 'nobody knows whether it was sent'
      when 'media_not_found' then 'a file of it is not in the bucket text-media'
      else 'Twilio: ' || coalesce(reason, 'no reason given')
    end
  end
$$;

comment on function private.why_not_sent(text, text, text, text, text) is
  'Why a text is in a state of private.text_state(), or was never queued, in words for operators; null for one that was sent. '
  'until: its due_at, in ISO 8601 or `infinity`. number_status: null where our number is not one of the agency''s.';
grant execute on function private.why_not_sent(text, text, text, text, text) to authenticated;

create view private.outbox_list as
select t.*, private.why_not_sent(t.state, t.reason, t.due_at, t.number, t.paused_reason) as why,
  case
    when t.state = 'unconfirmed' and t.due_at = 'infinity' then 'unknown'
    when t.state <> 'held' then t.state
    when t.number is null then 'no_number'
    when t.number = 'paused' then 'number_paused'
    when t.reason = 'quiet_hours' and t.due_at = 'infinity' then 'no_hours'
    when t.reason in ('quiet_hours', 'credentials', 'no_account') then t.reason
    else 'later'
  end as cause
from (
  select o.message_id, o.created_at, c.agency_id, g.name as agency, c.service_phone as "from", c.recruit_phone as "to",
    c.recruiting_lead_id as lead_id, o.kind,
    private.text_state(
      m.status, o.state, o.due_at, n.status is not distinct from 'active' and o.reason is distinct from 'no_account') as state,
    coalesce(o.reason, m.error_code) as reason,
    case when isfinite(o.due_at) then to_char(o.due_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
      else 'infinity' end as due_at,
    o.attempt, o.segments, n.status as number, n.paused_reason, o.state as outbox_state,
    array(
      select l.state from public.recruiting_leads l where l.id = c.recruiting_lead_id and l.state is not null
      union
      select a.state from public.area_codes a
      where a.area_code = substring(c.recruit_phone from '^\+1(...).{7}$') and a.state is not null
      order by 1
    ) as states
  from public.text_outbox o
  join public.recruiting_messages m on m.id = o.message_id
  join public.recruiting_conversations c on c.id = o.conversation_id
  join public.agencies g on g.id = c.agency_id
  left join public.service_numbers n on n.phone = c.service_phone and n.agency_id = c.agency_id
  where (o.state <> 'accepted' or m.status = 'failed') and (select private.may_operate())
  union all
  select null, s.created_at, s.agency_id, g.name, null, l.phone, l.id, 'greeting', 'never_queued', s.reason, null, 0, 0, null,
    null, null, '{}'
  from public.skipped_greetings s
  join public.recruiting_leads l on l.id = s.recruiting_lead_id
  join public.agencies g on g.id = s.agency_id
  where (select private.may_operate())
) t;

grant select on private.outbox_list to authenticated, service_role;

create view public.outbox_list with (security_invoker = true) as select * from private.outbox_list;

comment on view public.outbox_list is
  'Our texts that Twilio does not have or could not deliver. state: held, due, sending, unconfirmed, refused, failed, or '
  'never_queued: a greeting of skipped_greetings, which has no message_id; why: the reason in words; due_at: ISO 8601 in UTC, '
  'or infinity; number: the state of our number, null where it is not one of the agency''s; outbox_state: as the outbox has '
  'it, pending, sending and unconfirmed are found by an index; states: of the recruit''s lead and area code, whose hours '
  'count; '
  'cause: what holds it (no_number, number_paused, no_hours, quiet_hours, credentials, no_account, later), unknown if nobody '
  'knows whether it was sent, else its state.';
grant select on public.outbox_list to authenticated, service_role;

create view public.unsent_cause_list with (security_invoker = true) as
select c.cause, c.subject, max(c.agency) as agency, count(*)::int as texts, min(c.created_at) as since
from (
  select t.cause, t.agency, t.created_at, case
    when t.cause in ('no_number', 'number_paused') then t."from"
    when t.cause = 'no_hours' then array_to_string(t.states, ',')
  end as subject
  from private.outbox_list t
  where t.outbox_state in ('pending', 'sending', 'unconfirmed')
) c
group by c.cause, c.subject;

comment on view public.unsent_cause_list is
  'Why texts are not sent yet, as outbox_list has it, with how many and since when the oldest waits; subject: the number of '
  'no_number and number_paused, with an agency, and the states of no_hours, else null.';
grant select on public.unsent_cause_list to authenticated, service_role;
