-- The browsers that show an agent's notifications while the desk is closed (Web Push). Each has a destination of kind `push`.

create table public.push_subscriptions (
  id uuid primary key default gen_random_uuid(),
  agency_id uuid not null,
  agent_id uuid not null,
  user_id uuid not null references auth.users (id) on delete cascade,
  endpoint text not null unique check (length(endpoint) <= 2048),
  p256dh text not null check (p256dh ~ '^[A-Za-z0-9_-]{87}$'),
  auth text not null check (auth ~ '^[A-Za-z0-9_-]{22}$'),
  created_at timestamptz not null default clock_timestamp(),
  last_used_at timestamptz,
  foreign key (agent_id, agency_id) references public.agents (id, agency_id) on delete cascade
);

create index on public.push_subscriptions (agent_id, created_at);
create index on public.push_subscriptions (agent_id, agency_id);
create index on public.push_subscriptions (user_id);

comment on table public.push_subscriptions is
  'A browser to which notifications of an agent are pushed. A row goes with the login, when its agent leaves, and when the push '
  'service says that it is gone.';
comment on column public.push_subscriptions.endpoint is 'The URL of the push service. Who knows it and the keys can push.';
comment on column public.push_subscriptions.p256dh is 'The public key of the browser: an uncompressed point of P-256 in base64url.';
comment on column public.push_subscriptions.auth is 'The secret of the browser: 16 bytes in base64url.';
comment on column public.push_subscriptions.last_used_at is 'When the push service last took a notification; null: never.';

alter table public.push_subscriptions enable row level security;
grant select (id, agent_id, created_at, last_used_at) on public.push_subscriptions to authenticated;
grant select, insert, update, delete on public.push_subscriptions to service_role;

create policy "agents read their own" on public.push_subscriptions
  for select to authenticated
  using (agent_id = (select private.current_agent_id()));

create function public.save_push_subscription(endpoint text, p256dh text, auth text) returns uuid
language plpgsql
security definer
set search_path = ''
set lock_timeout = '2s'
as $$
declare
  -- Of more, those go first that were made first.
  most constant integer := 10;
  caller constant public.agents := private.current_agent();
  saved_id uuid;
begin
  if caller.id is null then
    raise exception 'only an active agent may do this' using errcode = '42501';
  elsif not coalesce(private.is_destination_url(endpoint), false) then
    perform private.invalid_field('endpoint', 'must be https with the name of a host, and without user information');
  elsif not coalesce(p256dh ~ '^[A-Za-z0-9_-]{87}$', false) then
    perform private.invalid_field('p256dh', 'must be 65 bytes in base64url');
  elsif not coalesce(auth ~ '^[A-Za-z0-9_-]{22}$', false) then
    perform private.invalid_field('auth', 'must be 16 bytes in base64url');
  end if;
  perform pg_advisory_xact_lock(hashtextextended('push ' || caller.id, 0));
  -- A browser has one login at a time. What waits for the last one is not for this one.
  delete from public.push_subscriptions s
  where s.endpoint = save_push_subscription.endpoint and s.agent_id <> caller.id;
  insert into public.push_subscriptions as s (agency_id, agent_id, user_id, endpoint, p256dh, auth)
  values (caller.agency_id, caller.id, caller.user_id, endpoint, p256dh, auth)
  on conflict on constraint push_subscriptions_endpoint_key do update set p256dh = excluded.p256dh, auth = excluded.auth
  returning s.id into saved_id;
  delete from public.push_subscriptions s
  where s.id in (
    select o.id from public.push_subscriptions o
    where o.agent_id = caller.id and o.id <> saved_id
    order by o.created_at desc
    offset most - 1
  );
  insert into public.destinations (agency_id, agent_id, push_subscription_id, name, kind, events, max_at_once)
  values (caller.agency_id, caller.id, saved_id, 'push-' || saved_id, 'push', '{}', 1)
  on conflict on constraint destinations_push_subscription_id_key do nothing;
  return saved_id;
end
$$;

comment on function public.save_push_subscription(text, text, text) is
  'Pushes the notifications of the signed-in agent to this browser from now on, and returns the id of the subscription. The arguments '
  'are those of PushSubscription.toJSON(): endpoint, keys.p256dh and keys.auth. Call it at each start: it may be repeated, and takes '
  'the browser from another login. An agent has at most 10; of more, the one that was made first goes. Errors: 22023 (HTTP 400) names the argument; '
  '42501 (403) for a user who is not an active agent. '
  'Security definer because agents may not write the tables.';

create function public.remove_push_subscription(endpoint text) returns boolean
language plpgsql
security definer
set search_path = ''
as $$
begin
  delete from public.push_subscriptions s
  where s.endpoint = remove_push_subscription.endpoint and s.user_id = private.current_user_id();
  return found;
end
$$;

comment on function public.remove_push_subscription(text) is
  'Pushes nothing to this browser any more: for the button that switches it off, and before a sign-out. Returns whether there was such a '
  'subscription of the signed-in user. '
  'Security definer because agents may not write the table. It deletes only the caller''s own.';
grant execute on function public.save_push_subscription(text, text, text), public.remove_push_subscription(text) to authenticated;

create function private.end_push() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  delete from public.push_subscriptions s where s.agent_id = new.id;
  return null;
end
$$;

comment on function private.end_push() is 'Trigger: nothing is pushed to an agent who has left.';

create trigger end_push
  after update of is_active on public.agents
  for each row when (old.is_active and not new.is_active)
  execute function private.end_push();
