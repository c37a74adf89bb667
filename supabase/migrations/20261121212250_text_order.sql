set local check_function_bodies = off;

create or replace function private.is_behind (
  waiting public.text_outbox
)
  returns boolean
  language plpgsql
  stable
  set search_path to ''
  AS $function$
begin
  return coalesce((
    select true
    from public.text_outbox o
    where o.conversation_id = waiting.conversation_id
      and o.state in ('pending', 'sending', 'unconfirmed')
      and o.message_id <> waiting.message_id
      and case o.state
        when 'sending' then true
        when 'unconfirmed' then o.due_at < 'infinity'
        -- One that has been claimed before keeps its place while it waits to be tried again. So does one that is about to be
        -- due: of two that are queued at once, the first may have a later due_at, and this transaction a still earlier now().
        else o.ordinal < waiting.ordinal
          and (
            o.due_at <= now()
            or o.reason is distinct from 'quiet_hours' and (o.claim > 0 or o.due_at <= now() + interval '1 minute')
          )
      end
    order by o.ordinal
    limit 1
  ), false);
end
$function$;

comment on function "private"."is_behind"(public.text_outbox) is 'Whether another text of the conversation must be sent before this one: one that is on its way, or an earlier one that is due, or will be within a minute. One that quiet hours hold does not count.';
