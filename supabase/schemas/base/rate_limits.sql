-- Counts of requests toward a limit. Callers without a limit are not counted.

create function public.count_request(bucket text, per_minute integer) returns jsonb
language plpgsql
set search_path = ''
set statement_timeout = '2s'
as $$
begin
  return jsonb_build_object('retry_after', private.seconds_until_allowed(bucket, per_minute));
end
$$;

comment on function public.count_request(text, integer) is
  'Counts a request toward a limit of requests per minute, and stores the count even if the request is refused. '
  'Returns {retry_after: null} if the request is within the limit, otherwise {retry_after: <seconds>}.';
grant execute on function public.count_request(text, integer) to service_role;

create function private.seconds_until_allowed(bucket text, per_minute integer) returns integer
language plpgsql
set search_path = ''
as $$
declare
  moment constant timestamptz := clock_timestamp();
  counted private.request_counts;
begin
  -- The row's lock serializes the counting of parallel requests.
  insert into private.request_counts as r (bucket, window_start, requests)
  values (seconds_until_allowed.bucket, moment, 1)
  on conflict on constraint request_counts_pkey do update
  set
    window_start = case when r.window_start <= moment - interval '1 minute' then moment else r.window_start end,
    requests = case when r.window_start <= moment - interval '1 minute' then 1 else r.requests + 1 end
  returning * into counted;

  -- The first request of a minute removes a few rows of callers that have stopped.
  if counted.requests = 1 then
    delete from private.request_counts r
    where r.bucket in (
      select old.bucket
      from private.request_counts old
      where old.window_start < moment - interval '1 hour'
      limit 10
      for update skip locked
    );
  end if;

  if counted.requests <= per_minute then
    return null;
  end if;
  return greatest(1, least(60, ceil(extract(epoch from counted.window_start + interval '1 minute' - moment))));
end
$$;

comment on function private.seconds_until_allowed(text, integer) is
  'Counts a request of this bucket. Returns null if it is within per_minute; otherwise the seconds, 1 to 60, until '
  'the next minute begins.';
