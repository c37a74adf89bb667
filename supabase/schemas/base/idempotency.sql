-- The Idempotency-Key header: a repeated request gets the first response, and changes nothing. The id of a webhook's
-- delivery works in the same way.

create function private.find_idempotent_result(scope text, idempotency jsonb) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  is_alone boolean;
  kept jsonb;
begin
  if idempotency is null then
    return null;
  end if;

  -- Held until the transaction ends, so only one of two concurrent requests proceeds, and the other does not wait.
  is_alone := pg_try_advisory_xact_lock(
    hashtextextended(format('idempotency %s %s %s', scope, idempotency ->> 'part', idempotency ->> 'key'), 0));

  -- Another body may have other parts, so all parts are compared.
  if exists (
    select
    from private.idempotency_keys k
    where k.scope = find_idempotent_result.scope
      and k.key = idempotency ->> 'key'
      and k.request_hash <> idempotency ->> 'request_hash'
      and k.created_at > now() - k.retention
  ) then
    raise exception 'Idempotency-Key: the key came before with another body' using errcode = 'PT422';
  end if;

  -- After trying the lock: its holder may also only be reading a result, which this new statement then sees.
  select k.result into kept
  from private.idempotency_keys k
  where k.scope = find_idempotent_result.scope
    and k.key = idempotency ->> 'key'
    and k.part = (idempotency ->> 'part')::integer
    and k.created_at > now() - k.retention;
  if kept is null and not is_alone then
    raise exception 'the first request with this Idempotency-Key or webhook id is still at work' using errcode = 'PT409';
  end if;
  return kept;
end
$$;

comment on function private.find_idempotent_result(text, jsonb) is
  'Returns the stored result of the first request with this key, or null. idempotency: {key, part, '
  'request_hash|null}, or null for a request without a key. PT409 while the first transaction with the same key is in '
  'progress; PT422 if the key was used with another body.';

create function private.save_idempotent_result(
  scope text,
  idempotency jsonb,
  result jsonb,
  retention interval default '24 hours'
) returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  if idempotency is null then
    return result;
  end if;

  insert into private.idempotency_keys (scope, key, part, request_hash, result, retention)
  values (
    save_idempotent_result.scope,
    idempotency ->> 'key',
    (idempotency ->> 'part')::integer,
    idempotency ->> 'request_hash',
    save_idempotent_result.result,
    save_idempotent_result.retention
  )
  -- Only an expired key can conflict.
  on conflict on constraint idempotency_keys_pkey do update
  set
    request_hash = excluded.request_hash,
    result = excluded.result,
    retention = excluded.retention,
    created_at = excluded.created_at
  where idempotency_keys.created_at <= now() - idempotency_keys.retention;

  delete from private.idempotency_keys k
  where (k.scope, k.key, k.part) in (
    select expired.scope, expired.key, expired.part
    from private.idempotency_keys expired
    where expired.retention = save_idempotent_result.retention
      and expired.created_at <= now() - save_idempotent_result.retention
    order by expired.created_at
    limit 10
    for update skip locked
  );
  return result;
end
$$;

comment on function private.save_idempotent_result(text, jsonb, jsonb, interval) is
  'Stores the result of a request with an Idempotency-Key, in the transaction of its work, and returns it. Without a '
  'key, it only returns the result. Removes a few expired keys with the same retention.';
