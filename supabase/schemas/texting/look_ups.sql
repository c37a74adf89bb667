-- The look-ups: whether the provider knows a text of which nobody has learnt whether it was sent.

create function private.claim_lookups(max integer, out texts jsonb)
language plpgsql
set search_path = ''
as $$
begin
  -- Nobody knows whether a dead worker has sent its text. One that was sent again gets its 10 minutes anyway.
  update public.text_outbox o
  set
    state = 'unconfirmed',
    reason = 'worker_died',
    claim = o.claim + 1,
    lease_until = null,
    attempted_at = coalesce(o.attempted_at, o.created_at),
    due_at = case when o.resends = 0 then now() else coalesce(o.attempted_at, o.created_at) + interval '10 minutes' end
  where o.message_id = any (array(
    select dead.message_id
    from public.text_outbox dead
    where dead.state = 'sending' and dead.lease_until <= now()
    order by dead.lease_until
    limit 1000
    for update skip locked
  ));

  with claimed as (
    update public.text_outbox o
    set
      claim = o.claim + 1,
      -- When another worker may look it up. A lease of its own would hold it longer than due_at says.
      due_at = clock_timestamp() + interval '60 seconds',
      attempted_at = coalesce(o.attempted_at, o.created_at)
    where o.message_id = any (array(
      select due.message_id
      from public.text_outbox due
      where due.state = 'unconfirmed' and due.due_at <= now()
      order by due.due_at, due.ordinal
      limit claim_lookups.max
      for update skip locked
    ))
    returning o as text
  )
  select coalesce(jsonb_agg(private.claimed_text(c.text, 'look_up') order by (c.text).ordinal), '[]') into texts
  from claimed c;
end
$$;

comment on function private.claim_lookups(integer) is
  'Returns texts for the worker to look up, because it is unknown whether they were sent. See claim_texts().';

create function public.record_text_lookup(
  message_id uuid,
  claim integer,
  sids text[],
  may_resend boolean default true,
  created_at timestamptz[] default '{}'
) returns text
language plpgsql
set search_path = ''
as $$
declare
  place constant bigint := (
    select s.n
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
  if place is not null then
    return private.accept_text(message_id, sids[place], created_at[place]);
  end if;

  -- The provider does not know the text, so it may have failed.
  perform private.lock_conversation_of(message_id, with_consent => false);
  select o.* into claimed from public.text_outbox o where o.message_id = record_text_lookup.message_id for update;
  if claimed.claim is distinct from record_text_lookup.claim or claimed.state <> 'unconfirmed' then
    return claimed.state;
  elsif claimed.resends > 0 and not (claimed.reason = 'worker_died' and claimed.resends < max_resends and may_resend) then
    return (private.end_text(claimed, 'failed', 'unconfirmed', null)).state;
  elsif claimed.resends = 0 and claimed.lookups = 0 then
    update public.text_outbox o
    set lookups = 1, claim = o.claim + 1, due_at = o.attempted_at + interval '2 minutes'
    where o.message_id = claimed.message_id;
    return 'unconfirmed';
  elsif may_resend then
    update public.text_outbox o
    set state = 'pending', reason = 'resend', lookups = 0, resends = o.resends + 1, due_at = now()
    where o.message_id = claimed.message_id
    returning o.* into claimed;
    return (private.refuse_taken_over(claimed)).state;
  else
    update public.text_outbox o
    set reason = 'unconfirmed', lookups = o.lookups + 1, claim = o.claim + 1, due_at = 'infinity'
    where o.message_id = claimed.message_id;
    perform private.notify_of_texts(claimed.conversation_id, array[claimed.message_id], 'failed');
    return 'unconfirmed';
  end if;
end
$$;

comment on function public.record_text_lookup(uuid, integer, text[], boolean, timestamptz[]) is
  'Records what the provider has of a text. sids: the MessageSids, oldest first, of its messages with the same numbers and '
  'body since attempted_at; created_at: the time that the provider names for each. The first sid that no other message has '
  'belongs to this text. Without one, the text is looked up again 2 minutes after it was sent. If it is still unknown then, it '
  'is sent once more, and the look-up 10 minutes later is the last. The text of a dead worker may never have been sent: it is '
  'sent again even after the last look-up, at most 5 times in all. may_resend = false: the text is not sent again, and its '
  'agent is notified. A text of the bot is not sent again where a person has the conversation now. claim and the returned '
  'state: as in record_text_outcome().';
grant execute on function public.record_text_lookup(uuid, integer, text[], boolean, timestamptz[]) to service_role;
