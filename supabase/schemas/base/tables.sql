-- Stored results and counts of requests.

create table private.idempotency_keys (
  scope text not null,
  -- Not {1,255}, because such a bounded repetition costs about 50 us per key.
  key text not null check (key ~ '^[\x21-\x7e]+$' and length(key) <= 255),
  part integer not null,
  request_hash text,
  result jsonb not null,
  retention interval not null default '24 hours',
  created_at timestamptz not null default now(),
  primary key (scope, key, part)
);

create index on private.idempotency_keys (retention, created_at);

comment on table private.idempotency_keys is
  'The results of requests with an Idempotency-Key, or with the id of a webhook''s delivery. Errors are not stored.';
comment on column private.idempotency_keys.scope is
  'Route and caller, e.g. `ingest <vendor id>`, or `delivery <vendor id>` for the ids of a vendor''s deliveries. Keys '
  'of different callers or routes are independent.';
comment on column private.idempotency_keys.key is 'The key as sent, or the SHA-256 of a delivery''s id in hexadecimal.';
comment on column private.idempotency_keys.part is
  'The part of the request, from 0: an import is stored in several transactions, each with its own result.';
comment on column private.idempotency_keys.request_hash is
  'SHA-256 of the request''s body, in hexadecimal; null if the key identifies the request whatever its body.';
comment on column private.idempotency_keys.result is 'The result that the SQL function returned the first time.';
comment on column private.idempotency_keys.retention is 'How long after created_at the key is kept.';

alter table private.idempotency_keys enable row level security;
grant select, insert, update, delete on private.idempotency_keys to service_role;

-- Unlogged: a count is worthless after its minute, so it need not survive a crash of the server.
create unlogged table private.request_counts (
  bucket text primary key,
  window_start timestamptz not null,
  requests integer not null,
  created_at timestamptz not null default now()
);

create index on private.request_counts (window_start);

comment on table private.request_counts is
  'The requests of the current minute, one row for each caller or lead with a limit.';
comment on column private.request_counts.bucket is 'The counted caller, e.g. `vendor <id>` or `import`.';
comment on column private.request_counts.window_start is
  'Time of the first request of the minute. The first request after that minute begins the next one.';

alter table private.request_counts enable row level security;
grant select, insert, update, delete on private.request_counts to service_role;

-- The state of scheduled jobs.

create table private.job_runs (
  job text primary key,
  started_at timestamptz not null,
  ended_at timestamptz,
  heartbeat_at timestamptz
);

comment on table private.job_runs is 'The last run of each job that a scheduler starts.';
comment on column private.job_runs.job is 'The name of the job, e.g. `check alerts`.';
comment on column private.job_runs.started_at is 'The time that the run uses as the current time. It never goes back.';
comment on column private.job_runs.ended_at is 'When a run last ended without an error; null: never.';
comment on column private.job_runs.heartbeat_at is 'When a monitor was last notified that the job runs; null: never.';

alter table private.job_runs enable row level security;
grant select, insert, update, delete on private.job_runs to service_role;
