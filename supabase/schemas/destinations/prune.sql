-- What is kept of what was sent, and for how long.

create function private.prune_dispatches() returns integer
language plpgsql
set search_path = ''
-- By the indexes, also while the planner does not know how few there are.
set enable_seqscan = off
as $$
declare
  oldest constant timestamptz := now() - interval '30 days';
  -- The rest has its turn the next time.
  most constant integer := 1000;
  pruned integer;
begin
  update private.dispatches p
  set state = 'cancelled', ended_at = now(), reason = 'too old'
  where p.id = any (array(
    select w.id
    from public.destinations d
    cross join lateral (
      select o.id
      from private.dispatches o
      where o.destination_id = d.id and o.state = 'waiting' and o.first_due_at < oldest
      order by o.first_due_at
      limit most
      for no key update skip locked
    ) w
  ));
  delete from private.dispatches p
  where p.id = any (array(
    select e.id from private.dispatches e where e.ended_at < oldest order by e.ended_at limit most for update skip locked
  ));
  get diagnostics pruned = row_count;
  return pruned;
end
$$;

comment on function private.prune_dispatches() is
  'Deletes dispatches that ended more than 30 days ago, at most 1,000, and cancels those that have waited as long, because '
  'their destination is off. Returns how many were deleted.';
