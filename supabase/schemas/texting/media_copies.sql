-- The files of recruits' texts: the worker copies each from the provider into the bucket `text-media`.
--
-- | from | by | to |
-- | --- | --- | --- |
-- | a text with files is stored | store_texts() | waiting, due |
-- | waiting, due | claim_media_copies() | waiting, leased for 60 seconds |
-- | waiting, its lease is over | the same: its worker is dead | waiting, leased; the same file is stored again |
-- | waiting, for a day and after 5 attempts | the same | failed, with the reason of the last attempt |
-- | waiting, leased | outcome `copied` | copied |
-- | waiting, leased | outcome `failed` | failed |
-- | waiting, leased | outcome `later` | waiting, due after a pause that grows to an hour |
-- | failed, because the provider did not give it | queue_media_copies() | waiting, due |

create table public.media_copies (
  message_id uuid not null references public.recruiting_messages (id) on delete cascade,
  position integer not null check (position >= 0),
  state text not null default 'waiting' check (state in ('waiting', 'copied', 'failed')),
  path text,
  content_type text,
  reason text,
  due_at timestamptz not null default now(),
  attempt integer not null default 0,
  lease_until timestamptz check (lease_until is null or state = 'waiting'),
  created_at timestamptz not null default now(),
  queued_at timestamptz not null default now(),
  primary key (message_id, position),
  check ((state = 'copied') = (path is not null)),
  check ((path is null) = (content_type is null)),
  check (state <> 'failed' or reason is not null)
);

create index on public.media_copies (due_at) where state = 'waiting';

comment on table public.media_copies is
  'The files of recruits'' texts, and how far the copy of each has come. The table has none of a text that came while no '
  'account at the provider was set.';
comment on column public.media_copies.position is 'The place of the file in recruiting_messages.media, from 0.';
comment on column public.media_copies.path is 'The name of the copy in the bucket `text-media`; null: there is none.';
comment on column public.media_copies.content_type is 'The type by the content of the file, whatever the provider says.';
comment on column public.media_copies.reason is
  'Why there is no copy, or why the last attempt failed: `too_large`, `type` (of no type that is kept), `gone`, '
  '`address` (not at the provider, or sent on to where nothing is fetched), `credentials`, `no_connection`, `lost`, '
  '`storage` or `HTTP <status>`.';
comment on column public.media_copies.attempt is 'The number of times that it was claimed since queued_at.';
comment on column public.media_copies.lease_until is 'Until when a worker has it; null: no worker does.';

alter table public.media_copies enable row level security;
grant select on public.media_copies to authenticated;
grant select, insert, update, delete on public.media_copies to service_role;

create policy "readers of a message read of its files" on public.media_copies
  for select to authenticated
  using ((select true from public.recruiting_messages m where m.id = media_copies.message_id));

create function private.is_media_due() returns boolean
language plpgsql
stable
set search_path = ''
-- By the index of what waits, also while the planner does not know how little that is.
set enable_seqscan = off
as $$
begin
  return exists (select from public.media_copies c where c.state = 'waiting' and c.due_at <= now());
end
$$;

comment on function private.is_media_due() is 'Whether the worker would find a file to copy.';

create function public.claim_media_copies(max integer) returns jsonb
language plpgsql
set search_path = ''
set enable_seqscan = off
as $$
declare
  claimed jsonb;
begin
  with due as (
    select
      c.message_id, c.position,
      c.queued_at <= now() - interval '1 day' and c.attempt >= 5 as is_over
    from public.media_copies c
    where c.state = 'waiting' and c.due_at <= now()
    order by c.due_at
    limit claim_media_copies.max
    for update skip locked
  ), taken as (
    update public.media_copies c
    set
      state = case when due.is_over then 'failed' else 'waiting' end,
      reason = case when due.is_over then coalesce(c.reason, 'worker_died') else c.reason end,
      attempt = c.attempt + 1,
      lease_until = case when due.is_over then null else now() + interval '1 minute' end,
      -- So a file that crashes its worker is rarely claimed.
      due_at = now() + interval '1 minute' * 2 ^ least(c.attempt, 6)
    from due
    where c.message_id = due.message_id and c.position = due.position
    returning c.message_id, c.position, c.attempt, c.state
  )
  select coalesce(
    jsonb_agg(jsonb_build_object(
      'message_id', t.message_id, 'position', t.position, 'attempt', t.attempt,
      'url', m.media -> t.position ->> 'url', 'path', format('%s/%s-%s', m.conversation_id, t.message_id, t.position))),
    '[]')
  into claimed
  from taken t
  join public.recruiting_messages m on m.id = t.message_id
  where t.state = 'waiting';
  return claimed;
end
$$;

comment on function public.claim_media_copies(integer) is
  'Gives the worker up to max files to copy, each for 60 seconds: [{message_id, position, attempt, url, path}]. url: where the '
  'provider has it. path: its name in the bucket `text-media`. attempt is for record_media_copy(). The copy of a dead worker '
  'is due again after 1, 2, 4 minutes and so on. A file that was not fetched within a day and 5 attempts is failed.';

create function public.record_media_copy(
  message_id uuid,
  "position" integer,
  attempt integer,
  outcome text,
  path text default null,
  content_type text default null,
  reason text default null
) returns text
language plpgsql
set search_path = ''
as $$
declare
  claimed public.media_copies;
begin
  select c.* into claimed
  from public.media_copies c
  where c.message_id = record_media_copy.message_id and c.position = record_media_copy.position
  for update;
  if not found then
    return null;
  elsif outcome not in ('copied', 'failed', 'later') then
    raise exception 'outcome: "%" is unknown', private.quoted(outcome) using errcode = 'invalid_parameter_value';
  -- A copy that is there counts, however late it came.
  elsif claimed.state = 'copied' or claimed.attempt <> record_media_copy.attempt and outcome <> 'copied' then
    return claimed.state;
  end if;

  update public.media_copies c
  set
    state = case outcome when 'later' then c.state else outcome end,
    path = record_media_copy.path,
    content_type = record_media_copy.content_type,
    reason = record_media_copy.reason,
    lease_until = null,
    due_at = case outcome
      when 'later' then now() + make_interval(secs => least(10 * 2 ^ least(c.attempt - 1, 9), 3600))
      else c.due_at
    end
  where c.message_id = claimed.message_id and c.position = claimed.position
  returning c.* into claimed;
  return claimed.state;
end
$$;

comment on function public.record_media_copy(uuid, integer, integer, text, text, text, text) is
  'Records the outcome of copying a file. attempt is that of claim_media_copies(). outcome: `copied` with its path and '
  'content_type; `failed` with the reason; `later` with the reason: it is due again after a pause that grows from 10 seconds '
  'to an hour. Returns the state in which it is left. null: the text was deleted, and the caller removes the copy. A late '
  'report changes nothing unless it was copied. 22023 for an unknown outcome.';

create function public.queue_media_copies(message_sids text[]) returns integer
language plpgsql
set search_path = ''
as $$
declare
  queued integer;
begin
  -- Those whose conversation is made later are copied then.
  update public.unmatched_texts t
  set copies_media = true
  where t.message_sid = any (message_sids) and t.media <> '[]' and not t.copies_media;

  insert into public.media_copies as c (message_id, position)
  select m.id, p.position - 1
  from public.recruiting_messages m
  cross join lateral jsonb_array_elements(m.media) with ordinality p (file, position)
  where m.provider_message_id = any (message_sids) and m.direction = 'inbound'
  on conflict on constraint media_copies_pkey do update
  set state = 'waiting', due_at = now(), attempt = 0, queued_at = now()
  -- The others would fail again in the same way.
  where c.state = 'failed' and c.reason not in ('too_large', 'type', 'address');
  get diagnostics queued = row_count;
  return queued;
end
$$;

comment on function public.queue_media_copies(text[]) is
  'Queues the files of stored texts of recruits that have no copy: those that were never queued, and those that the provider '
  'did not give. Returns how many. message_sids: the SMS provider''s ids of the texts; ids of other texts are skipped.';

grant execute on function public.claim_media_copies(integer),
  public.record_media_copy(uuid, integer, integer, text, text, text, text), public.queue_media_copies(text[]) to service_role;
