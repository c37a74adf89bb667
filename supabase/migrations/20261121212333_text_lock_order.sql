set local check_function_bodies = off;

create or replace function private.forget_number_paused()
  returns trigger
  language plpgsql
  set search_path to ''
  AS $function$
begin
  -- In their order, as whoever changes several texts.
  with held as (
    select o.message_id
    from public.text_outbox o
    where o.service_phone = new.phone and o.state = 'pending' and o.reason = 'number_paused'
    order by o.ordinal
    for update
  )
  update public.text_outbox o
  set reason = null
  from held h
  where o.message_id = h.message_id;
  return null;
end
$function$;

create or replace function private.move_outbox_texts()
  returns trigger
  language plpgsql
  set search_path to ''
  AS $function$
begin
  with open_texts as (
    select o.message_id
    from public.text_outbox o
    where o.conversation_id = new.id and o.state in ('pending', 'sending', 'unconfirmed')
    order by o.ordinal
    for update
  )
  update public.text_outbox o
  set service_phone = new.service_phone
  from open_texts t
  where o.message_id = t.message_id;
  return null;
end
$function$;

create or replace function private.refuse_texts (
  agency_id uuid,
  phone text
)
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
begin
  -- Whoever changes several texts locks them in their order, so that nothing waits in a circle.
  with waiting as (
    select o.message_id
    from public.recruiting_conversations c
    join public.text_outbox o on o.conversation_id = c.id and o.state = 'pending'
    where c.agency_id = refuse_texts.agency_id and c.recruit_phone = refuse_texts.phone
    order by o.ordinal
    for update of o
  ), refused as (
    update public.text_outbox o
    set state = 'refused', reason = 'opted_out'
    from waiting w
    where o.message_id = w.message_id
    returning o.message_id
  )
  update public.recruiting_messages m
  -- The code that the provider would have refused them with.
  set status = 'failed', error_code = '21610', failed_at = coalesce(m.failed_at, clock_timestamp())
  from refused r
  where m.id = r.message_id;
end
$function$;
