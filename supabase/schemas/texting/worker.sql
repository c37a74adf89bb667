-- What the worker does with the outbox: it claims texts, sends them, and records what came of it.
--
-- | from                 | by                                                              | to                              |
-- | -------------------- | --------------------------------------------------------------- | ------------------------------- |
-- | pending, due         | claim_texts()                                                   | sending                         |
-- | pending, due         | claim_texts(), in quiet hours                                   | pending, due when they end      |
-- | pending              | claim_texts() or record_consent(), the recruit has opted out    | refused                         |
-- | sending              | outcome accepted                                                | accepted                        |
-- | sending              | outcome unconfirmed: the response was lost                      | unconfirmed, due in 20 s        |
-- | sending              | outcome later, credentials or number_paused: nothing was sent   | pending                         |
-- | sending              | outcome opted_out                                               | refused                         |
-- | sending              | outcome failed                                                  | failed                          |
-- | sending, lease over  | claim_texts(): its worker is dead                               | unconfirmed, due now            |
-- | unconfirmed, due     | claim_texts(), for a look-up                                    | unconfirmed, due in 60 s        |
-- | unconfirmed          | look-up: the provider knows it                                  | accepted                        |
-- | unconfirmed          | look-up: unknown, the first time                                | unconfirmed, due 2 min after    |
-- | unconfirmed          | look-up: unknown again                                          | pending, to be sent once more   |
-- | unconfirmed          | the same, where nothing may be sent again                       | unconfirmed, due never          |
-- | unconfirmed, resent  | look-up: unknown 10 min after it was sent again                 | failed                          |
-- | the same             | its worker has died, so that it may never have left             | pending, at most 5 times in all |
-- | failed, not accepted | an operator: retry_text()                                       | pending                         |
-- | unconfirmed, never   | the same                                                        | pending                         |
-- | any                  | a callback with our id and a MessageSid: accept_text()          | accepted                        |
--
-- Reports may be late or repeated. So a report changes a text only while the text is still in the state and in the claim
-- that the report is about. Both are compared under the row's lock. A report that a text was sent counts at any time.
--
-- The functions read by the indexes of texting/outbox.sql, in their order, whatever the planner believes: a plan that was
-- made while the outbox was small would read all of it when it has grown. So their settings leave it no other way.
--
-- No text is sent after an opt-out: claim_texts() has the lock of the recruit's consent from its check until the text is
-- `sending`. By the same lock only one worker at a time claims texts of a conversation.

create function private.is_behind(conversation_id uuid, ordinal bigint) returns boolean
language plpgsql
stable
set search_path = ''
as $$
begin
  return exists (
    select
    from public.text_outbox o
    where o.conversation_id = is_behind.conversation_id
      and o.state in ('pending', 'sending', 'unconfirmed')
      and o.ordinal <> is_behind.ordinal
      and case o.state
        when 'sending' then true
        when 'unconfirmed' then o.due_at < 'infinity'
        -- One that has been claimed before keeps its place while it waits to be tried again. So does one that is about to be
        -- due: of two that are queued at once, the first may have a later due_at, and this transaction a still earlier now().
        else o.ordinal < is_behind.ordinal
          and (
            o.due_at <= now()
            or o.reason is distinct from 'quiet_hours' and (o.claim > 0 or o.due_at <= now() + interval '1 minute')
          )
      end
  );
end
$$;

comment on function private.is_behind(uuid, bigint) is
  'Whether another text of the conversation must be sent before the one with this ordinal: one that is on its way, or an '
  'earlier one that is due, or will be within a minute. One that quiet hours hold does not count.';

create function private.is_text_due() returns boolean
language plpgsql
stable
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
set enable_incremental_sort = off
-- The same settings as of claim_texts(): both keep the plans of the functions that they share.
set enable_hashjoin = off
set enable_mergejoin = off
as $$
begin
  return coalesce(
    (select w.due_at from private.waiting_greetings w order by w.due_at limit 1) <= now()
      or (select w.due_at from private.waiting_take_overs w order by w.due_at limit 1) <= now()
      or (select o.lease_until from public.text_outbox o where o.state = 'sending' order by o.lease_until limit 1) <= now()
      or (select o.due_at from public.text_outbox o where o.state = 'unconfirmed' order by o.due_at limit 1) <= now()
      or exists (
        select
        from private.due_numbers() n
        cross join lateral private.next_texts(n, 1)
        where n.busy_until <= now() + interval '1 second'
      ),
    false);
end
$$;

comment on function private.is_text_due() is
  'Whether a text, a greeting or a take-over is due. Cheap: by indexes of open rows, with any number of sent texts.';
