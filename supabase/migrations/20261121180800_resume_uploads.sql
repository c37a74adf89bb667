set local check_function_bodies = off;

create table "private"."resume_uploads" (
  "lead_id" uuid not null,
  "path" text not null,
  "begun_at" timestamp with time zone not null default now(),
  constraint "resume_uploads_pkey" primary key (lead_id)
);

alter table "private"."resume_uploads"
  enable row level security;

create or replace function private.end_resume_upload()
  returns trigger
  language plpgsql
  set search_path to ''
  AS $function$
begin
  delete from private.resume_uploads u where u.lead_id = new.id;
  return null;
end
$function$;

create or replace function private.resume_upload_time()
  returns interval
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
begin
  return interval '35 seconds';
end
$function$;

create or replace function public.begin_resume_upload (
  lead_id uuid,
  path text
)
  returns jsonb
  language plpgsql
  set search_path to ''
  set statement_timeout to '2s'
  AS $function$
begin
  insert into private.resume_uploads as u (lead_id, path)
  values (begin_resume_upload.lead_id, begin_resume_upload.path)
  on conflict do nothing;
  return jsonb_build_object('has_left_over', exists (
    select from private.resume_uploads u where u.begun_at < now() - private.resume_upload_time()
  ));
end
$function$;

create or replace function public.forget_resume_uploads (
  paths text[]
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
begin
  delete from private.resume_uploads u where u.path = any (paths);
  return null;
end
$function$;

create or replace function public.left_over_resumes()
  returns jsonb
  language plpgsql
  set search_path to ''
  set statement_timeout to '4s'
  AS $function$
declare
  upload private.resume_uploads;
  paths jsonb := '[]';
begin
  for upload in
    select u.*
    from private.resume_uploads u
    where u.begun_at < now() - private.resume_upload_time()
    order by u.begun_at
    limit 20
    for update skip locked
  loop
    -- A request that is still alive, however slow, must not store the lead any more.
    if public.abandon_recruiting_lead(upload.lead_id) is null then
      update private.resume_uploads u set begun_at = now() where u.lead_id = upload.lead_id;
      paths := paths || to_jsonb(upload.path);
    else
      delete from private.resume_uploads u where u.lead_id = upload.lead_id;
    end if;
  end loop;
  return paths;
end
$function$;

create index resume_uploads_begun_at_idx on private.resume_uploads using btree (begun_at);

create trigger end_resume_upload
  after insert on public.recruiting_leads
  for each row
  when ((new.resume_path IS NOT NULL))
  execute function private.end_resume_upload();

comment on column "private"."resume_uploads"."begun_at" is 'When the upload began, or when somebody last undertook to remove the object.';

comment on function "private"."end_resume_upload"() is 'Trigger: the upload of a resume has ended, because its lead is stored.';

comment on function "private"."resume_upload_time"() is 'After this time a request has stored its lead, or has died: an upload takes 20 s at most, and the lead 8 s.';

comment on function "public"."begin_resume_upload"(uuid, text) is 'Notes that the resume of a lead is about to be uploaded to this path. Returns {has_left_over}: whether left_over_resumes() has any. A repeated call does no harm.';

comment on function "public"."forget_resume_uploads"(text[]) is 'Ends these uploads, because their objects are removed. Returns null.';

comment on function "public"."left_over_resumes"() is 'Paths of up to 20 objects whose leads are not stored and never will be, for the caller to remove. Nobody else gets them meanwhile. When they are removed, call forget_resume_uploads(); otherwise they come again after 35 seconds.';

comment on table "private"."resume_uploads" is 'Resumes that may be in storage without a lead: their upload has begun, and the lead is not stored.';

revoke all on function "private"."end_resume_upload"() from public;

grant execute on function "private"."end_resume_upload"() to "postgres";

revoke all on function "private"."resume_upload_time"() from public;

grant execute on function "private"."resume_upload_time"() to "postgres", "service_role";

revoke all on function "public"."begin_resume_upload"(uuid, text) from public;

grant execute on function "public"."begin_resume_upload"(uuid, text) to "postgres", "service_role";

revoke all on function "public"."forget_resume_uploads"(text[]) from public;

grant execute on function "public"."forget_resume_uploads"(text[]) to "postgres", "service_role";

revoke all on function "public"."left_over_resumes"() from public;

grant execute on function "public"."left_over_resumes"() to "postgres", "service_role";

grant delete, insert, maintain, references, select, trigger, truncate, update
  on table "private"."resume_uploads"
  to "postgres";

grant delete, insert, select, update on table "private"."resume_uploads" to "service_role";
