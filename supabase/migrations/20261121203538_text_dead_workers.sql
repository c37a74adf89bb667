set local check_function_bodies = off;

create or replace function public.record_text_lookup (
  message_id uuid,
  attempt integer,
  sids text[],
  may_resend boolean default true
)
  returns text
  language plpgsql
  set search_path to ''
  AS $function$
declare
  found_sid constant text := (
    select s.sid
    from unnest(sids) with ordinality s (sid, n)
    where not exists (
      select from public.recruiting_messages m where m.provider_message_id = private.indexable_id(s.sid)
    )
    order by s.n
    limit 1
  );
  -- A text that ends every worker must not be sent for ever.
  max_resends constant integer := 5;
  claimed public.text_outbox;
begin
  if found_sid is not null then
    return private.accept_text(message_id, found_sid);
  end if;

  select o.* into claimed from public.text_outbox o where o.message_id = record_text_lookup.message_id for update;
  if claimed.claim is distinct from record_text_lookup.attempt or claimed.state <> 'unconfirmed' then
    return claimed.state;
  elsif claimed.resends > 0 and not (claimed.reason = 'worker_died' and claimed.resends < max_resends and may_resend) then
    perform private.end_text(claimed, 'failed', 'unconfirmed', null);
    perform private.notify_agent(claimed.conversation_id, claimed.message_id, 'failed');
    return 'failed';
  elsif claimed.resends = 0 and claimed.lookups = 0 then
    update public.text_outbox o
    set lookups = 1, claim = o.claim + 1, lease_until = null, due_at = o.attempted_at + interval '2 minutes'
    where o.message_id = claimed.message_id;
    return 'unconfirmed';
  elsif may_resend then
    update public.text_outbox o
    set state = 'pending', reason = 'resend', lookups = 0, resends = o.resends + 1, lease_until = null, due_at = now()
    where o.message_id = claimed.message_id;
    return 'pending';
  else
    update public.text_outbox o
    set reason = 'unconfirmed', lookups = o.lookups + 1, claim = o.claim + 1, lease_until = null, due_at = 'infinity'
    where o.message_id = claimed.message_id;
    perform private.notify_agent(claimed.conversation_id, claimed.message_id, 'failed');
    return 'unconfirmed';
  end if;
end
$function$;

comment on function "public"."record_text_lookup"(uuid, integer, text[], boolean) is 'Records which messages of the provider may be this text: the MessageSids, oldest first, of those to and from the same numbers with the same body, since attempted_at. The first that no other message has is it. Without one the text is looked up again 2 minutes after it was sent, and is then sent once more; after that, the look-up 10 minutes later is the last. A text whose worker has died may never have left, and is sent again after the last look-up too, at most 5 times in all. may_resend = false: it is not sent again, and its agent is told. attempt and the returned state: as record_text_outcome().';
