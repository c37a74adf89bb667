set local check_function_bodies = off;

create or replace function private.forget_number_paused()
  returns trigger
  language plpgsql
  set search_path to ''
  AS $function$
begin
  -- Whoever has locked a text is about to send or refuse it. And one statement may set many numbers to active, so to wait
  -- here could be to wait in a circle.
  with held as (
    select o.message_id
    from public.text_outbox o
    where o.service_phone = new.phone and o.state = 'pending' and o.reason = 'number_paused'
    for update skip locked
  )
  update public.text_outbox o
  set reason = null
  from held h
  where o.message_id = h.message_id;
  return null;
end
$function$;
