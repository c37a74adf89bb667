set local check_function_bodies = off;

alter table "public"."recruiting_orders"
  add column "greeting_template" text;

alter table "public"."vendors"
  add column "has_text_consent" boolean not null default false;

create or replace function private.greet_recruit()
  returns trigger
  language plpgsql
  set search_path to ''
  AS $function$
begin
  -- Few orders have one, and what follows takes longer than this question.
  if exists (
    select from public.recruiting_orders o where o.id = new.order_id and o.greeting_template is not null
  ) then
    perform private.queue_greeting(new);
  end if;
  return null;
end
$function$;

create or replace function private.greeting (
  template text,
  lead public.recruiting_leads
)
  returns text
  language plpgsql
  stable
  set search_path to ''
  AS $function$
declare
  agency_name constant text := (select a.name from public.agencies a where a.id = lead.agency_id);
  agent_name constant text := (
    select concat_ws(' ', a.first_name, a.last_name) from public.agents a where a.id = lead.agent_id
  );
  names constant jsonb := jsonb_build_object(
    'first_name', private.greeting_name(lead.first_name),
    'agent', coalesce(agent_name, agency_name),
    'agency', agency_name);
begin
  -- In one pass, so that a name with braces in it stays as it is.
  return (
    select string_agg(coalesce(names ->> part[1], part[2]), '' order by ordinal)
    from regexp_matches(template, '\{(\w+)\}|([^{]+)', 'g') with ordinality as parts (part, ordinal)
  );
end
$function$;

create or replace function private.greeting_name (
  first_name text
)
  returns text
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
declare
  name constant text := btrim(regexp_replace(first_name, '[[:space:]]+', ' ', 'g'));
begin
  -- Applicants type their names themselves. What is no name is not sent on, such as an address.
  return case
    when name = '' or length(name) > 50 or name ~ '[0-9/:@<>{}|\\^_=+*#%&$]' or name ~ '\.[[:alpha:]]{2}' then 'there'
    else name
  end;
end
$function$;

create or replace function private.is_greeting_template (
  template text
)
  returns boolean
  language sql
  immutable
  set search_path to ''
  AS $function$
  select length(template) <= 1600
    and template like '%{agency}%'
    and template ~ '\mSTOP\M'
    and regexp_replace(template, '\{(first_name|agent|agency)\}', '', 'g') !~ '[{}]'
$function$;

create or replace function private.queue_greeting (
  lead public.recruiting_leads
)
  returns void
  language plpgsql
  set search_path to ''
  set lock_timeout to '20ms'
  AS $function$
declare
  max_length constant integer := 1600;
  template text;
  conversation public.recruiting_conversations;
  body text;
begin
  select o.greeting_template into template
  from public.recruiting_orders o
  join public.vendors v on v.id = lead.vendor_id
  where o.id = lead.order_id and v.has_text_consent;
  if template is null
    or coalesce(lead.phone, '') !~ '^\+[1-9][0-9]{1,14}$'
    or lead.vendor_metadata -> 'is_test' is not distinct from 'true'
  then
    return;
  end if;

  perform private.lock_consent(lead.agency_id, lead.phone);
  if private.is_opted_out(lead.agency_id, lead.phone) or exists (
    -- The agency has texted the recruit before.
    select
    from public.recruiting_conversations c
    join public.recruiting_messages m on m.conversation_id = c.id
    where c.recruit_phone = lead.phone and c.agency_id = lead.agency_id and m.direction = 'outbound'
  ) then
    return;
  end if;

  body := private.greeting(template, lead);
  if length(body) > max_length then
    raise warning 'lead % is not greeted: the text has more than % characters', lead.id, max_length;
    return;
  end if;
  conversation := private.open_conversation(lead, lead.agent_id);
  if conversation.id is null then
    raise warning 'lead % is not greeted: its agency has no active service number', lead.id;
  elsif conversation.status = 'bot' then
    perform private.queue_text(conversation.id, 'greeting', body);
  end if;
exception when others then
  -- Without the error's message, which may quote the lead.
  raise warning 'lead % is not greeted: SQLSTATE %', lead.id, sqlstate;
end
$function$;

create or replace function public.record_text_outcome (
  message_id uuid,
  attempt integer,
  outcome text,
  sid text default null::text,
  code text default null::text,
  retry_after integer default null::integer
)
  returns text
  language plpgsql
  set search_path to ''
  AS $function$
declare
  credentials_pause constant integer := 60;
  claimed public.text_outbox;
  conversation public.recruiting_conversations;
begin
  if outcome = 'accepted' then
    return private.accept_text(message_id, sid);
  elsif outcome = 'opted_out' then
    -- Before any row is locked, as everywhere.
    select c.* into conversation
    from public.recruiting_messages m
    join public.recruiting_conversations c on c.id = m.conversation_id
    where m.id = record_text_outcome.message_id;
    if found then
      perform private.lock_consent(conversation.agency_id, conversation.recruit_phone);
    end if;
  end if;

  select o.* into claimed from public.text_outbox o where o.message_id = record_text_outcome.message_id for update;
  if claimed.claim is distinct from record_text_outcome.attempt or claimed.state not in ('sending', 'unconfirmed') then
    return claimed.state;
  elsif claimed.state = 'unconfirmed' then
    -- A look-up without a response. It is not counted, so that nothing is sent again because of it.
    update public.text_outbox o
    set
      lease_until = null,
      claim = o.claim + 1,
      due_at = now() + make_interval(secs => case outcome when 'credentials' then credentials_pause else 20 end)
    where o.message_id = claimed.message_id;
    if outcome = 'credentials' then
      perform private.postpone_texts(credentials_pause);
    end if;
    return claimed.state;
  end if;

  case outcome
    when 'unconfirmed' then
      update public.text_outbox o
      set
        state = 'unconfirmed',
        reason = coalesce(code, 'no_response'),
        lease_until = null,
        due_at = coalesce(o.attempted_at, now())
          + case when o.resends = 0 then interval '20 seconds' else interval '10 minutes' end
      where o.message_id = claimed.message_id;
      return 'unconfirmed';
    when 'later' then
      update public.text_outbox o
      set
        state = 'pending',
        reason = coalesce(code, 'later'),
        lease_until = null,
        due_at = now() + make_interval(
          secs => least(greatest(coalesce(retry_after, least(5 * 2 ^ least(o.attempt - 1, 6), 300)), 1), 3600))
      where o.message_id = claimed.message_id;
      return 'pending';
    when 'credentials' then
      update public.text_outbox o
      set
        state = 'pending',
        attempt = o.attempt - 1,
        lease_until = null,
        due_at = now() + make_interval(secs => credentials_pause)
      where o.message_id = claimed.message_id;
      perform private.postpone_texts(credentials_pause);
      return 'pending';
    when 'number_paused' then
      update public.text_outbox o
      set state = 'pending', reason = 'number_paused', lease_until = null, due_at = now()
      where o.message_id = claimed.message_id;
      update public.service_numbers n
      set status = 'paused', paused_reason = code
      where n.phone = claimed.service_phone and n.status = 'active';
      return 'pending';
    when 'opted_out' then
      perform private.end_text(claimed, 'refused', 'opted_out', coalesce(code, '21610'));
      perform private.record_consent(
        conversation.agency_id, conversation.recruit_phone, 'opted_out', 'provider', message_id => claimed.message_id,
        -- The recruit may have opted in since.
        occurred_at => claimed.attempted_at);
      perform private.notify_agent(claimed.conversation_id, claimed.message_id, 'failed');
      return 'refused';
    when 'failed' then
      perform private.end_text(claimed, 'failed', coalesce(code, 'failed'), code);
      perform private.notify_agent(claimed.conversation_id, claimed.message_id, 'failed');
      return 'failed';
    else
      raise exception 'outcome: "%" is unknown', outcome using errcode = 'invalid_parameter_value';
  end case;
end
$function$;

create trigger greet_recruit_of_new_lead
  after insert on public.recruiting_leads
  for each row
  when (((new.distribution = 'distributed'::text) AND (new.order_id IS NOT NULL) AND (new.phone IS NOT NULL)))
  execute function private.greet_recruit();

create trigger greet_recruit_of_waiting_lead
  after update of distribution on public.recruiting_leads
  for each row
  when (((new.distribution = 'distributed'::text) AND (old.distribution <> 'distributed'::text) AND (new.order_id IS
    NOT NULL) AND (new.phone IS NOT NULL)))
  execute function private.greet_recruit();

comment on column "public"."recruiting_orders"."greeting_template" is 'The text that each recruit of the order gets, if the vendor has their consent; null: none. At most 1,600 characters, with {agency}, the word STOP, and if wanted {first_name} and {agent}.';

comment on column "public"."vendors"."has_text_consent" is 'Whether the vendor''s leads have agreed to texts from the agency that gets them. Without it nobody is greeted.';

comment on function "private"."greet_recruit"() is 'Trigger: greets the recruit of a lead that goes to an agency, by whatever way the lead came.';

comment on function "private"."greeting"(text, public.recruiting_leads) is 'A greeting_template with the lead''s first name, its agent''s name (without an agent the agency''s) and its agency''s name.';

comment on function "private"."greeting_name"(text) is 'The first name of a lead as a greeting has it: `there` for what can hardly be a name.';

comment on function "private"."is_greeting_template"(text) is 'Whether recruits may be greeted with this text. Law and carriers want it to name the sender and the way to opt out.';

comment on function "private"."queue_greeting"(public.recruiting_leads) is 'Queues the greeting of a lead that goes to an agency, if its order has a greeting_template, its vendor has_text_consent, it has a phone in E.164, the recruit has not opted out, and the agency has never texted the recruit. Never fails; waits at most 20 ms for a lock.';

revoke all on function "private"."greet_recruit"() from public;

grant execute on function "private"."greet_recruit"() to "postgres";

revoke all on function "private"."greeting"(text, public.recruiting_leads) from public;

grant execute on function "private"."greeting"(text, public.recruiting_leads) to "postgres", "service_role";

revoke all on function "private"."greeting_name"(text) from public;

grant execute on function "private"."greeting_name"(text) to "postgres", "service_role";

revoke all on function "private"."is_greeting_template"(text) from public;

grant execute on function "private"."is_greeting_template"(text) to "postgres", "service_role";

revoke all on function "private"."queue_greeting"(public.recruiting_leads) from public;

grant execute on function "private"."queue_greeting"(public.recruiting_leads) to "postgres", "service_role";

alter table "public"."recruiting_orders"
  add constraint "recruiting_orders_greeting_template_check" check (private.is_greeting_template(greeting_template));
