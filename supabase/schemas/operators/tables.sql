-- The operators, and what they have done.

create table public.operators (
  user_id uuid primary key references auth.users (id) on delete cascade,
  created_at timestamptz not null default now()
);

comment on table public.operators is
  'The users who may operate the service on their page, as with the command. A user may also be an agent.';

alter table public.operators enable row level security;
grant select, insert, update, delete on public.operators to service_role;

create table public.erasures (
  id uuid primary key default gen_random_uuid(),
  asked_by text not null check (asked_by in ('phone', 'email')),
  erased jsonb not null check (jsonb_typeof(erased) = 'object'),
  provider_copies integer check (provider_copies >= 0),
  created_at timestamptz not null default now()
);

comment on table public.erasures is 'One row for each erasure of a person, as proof. Nothing in it identifies the person.';
comment on column public.erasures.asked_by is 'How the person was found: by a phone or an e-mail address.';
comment on column public.erasures.erased is
  'The number of rows and files that were emptied or deleted, by their kind: {recruiting_lead, lead, file, ...}.';
comment on column public.erasures.provider_copies is
  'The number of texts to delete at the SMS provider; null: the provider was not asked, and its copies remain.';

alter table public.erasures enable row level security;
grant select, insert, update, delete on public.erasures to service_role;

create function private.action_members(action text) returns text[]
language sql
immutable
set search_path = ''
return case action
  when 'agency create' then '{agency_id}'
  when 'agency update' then '{agency_id,changes}'
  when 'agency remove' then '{agency_id}'
  when 'agent create' then '{agent_id,agency_id}'
  when 'agent update' then '{agent_id,changed}'
  when 'agent remove' then '{agent_id}'
  when 'agent leave' then '{agent_id,to_agent_id?,order_ids,lead_ids}'
  when 'agent invite' then '{agent_id}'
  when 'order create' then '{order_id,agency_id,changes}'
  when 'order update' then '{order_id,changes}'
  when 'order recount' then '{order_ids}'
  when 'order pause' then '{order_ids,agency_id?}'
  when 'order open' then '{order_ids,agency_id?}'
  when 'order close' then '{order_ids}'
  when 'repeat set' then '{rule_id,changes}'
  when 'repeat remove' then '{rule_id}'
  when 'vendor create' then '{vendor_id}'
  when 'vendor update' then '{vendor_id,changes?,dry_run?}'
  when 'vendor remove' then '{vendor_id}'
  when 'vendor parse' then '{vendor_id,delivery_id}'
  when 'mapping try' then '{delivery_id?,lead_id?}'
  when 'mapping save' then '{vendor_id}'
  when 'key create' then '{vendor_id,key_prefix}'
  when 'key revoke' then '{vendor_id,key_prefix}'
  when 'key rotate' then '{vendor_id,key_prefix}'
  when 'webhook set' then '{vendor_id,changes}'
  when 'webhook off' then '{vendor_id}'
  when 'secret create' then '{vendor_id,secret_id}'
  when 'secret revoke' then '{vendor_id,secret_id}'
  when 'lead list' then '{vendor_id?,agency_id?,agent_id?,order_id?}'
  when 'lead find' then '{by}'
  when 'lead show' then '{lead_id}'
  when 'lead waiting' then '{vendor_id?}'
  when 'lead distribute' then '{vendor_id?,lead_ids,dry_run?}'
  when 'lead import' then '{vendor_id,lead_ids}'
  when 'lead match' then '{vendor_id}'
  when 'lead assign' then '{to_agent_id,from_agent_id?,lead_ids}'
  when 'lead return' then '{lead_id}'
  when 'lead fetch' then '{vendor_id}'
  when 'lead reread' then '{vendor_id?,lead_ids,dry_run?}'
  when 'delivery show' then '{delivery_id}'
  when 'delivery replay' then '{delivery_ids,lead_ids?,dry_run?}'
  when 'delivery dismiss' then '{delivery_ids}'
  when 'delivery prune' then '{vendor_id?,count}'
  when 'person find' then '{by}'
  when 'person export' then '{by,lead_ids}'
  when 'person erase' then '{by,lead_ids}'
  when 'suppression add' then '{by}'
  when 'suppression remove' then '{by}'
  when 'suppression check' then '{by}'
  when 'suppression list' then '{}'
  when 'suppression import' then '{count}'
  when 'number add' then '{service_phone,agency_id}'
  when 'number set' then '{service_phone,changes}'
  when 'number pause' then '{service_phone}'
  when 'number resume' then '{service_phone}'
  when 'number remove' then '{service_phone}'
  when 'consent show' then '{by}'
  when 'consent list' then '{agency_id?}'
  when 'consent record' then '{agency_id,status,lead_ids}'
  when 'text unmatched' then '{}'
  when 'text waiting' then '{agency_id?}'
  when 'text outbox' then '{agency_id?}'
  when 'text adopt' then '{conversation_ids,lead_ids}'
  when 'text retry' then '{message_id,lead_id?}'
  when 'text cancel' then '{message_ids}'
  when 'text reconcile' then '{service_phone?}'
  when 'text send' then '{}'
  when 'bot publish' then '{agency_id,script_id}'
  when 'bot off' then '{agency_id}'
  when 'quick_reply create' then '{quick_reply_id,agency_id}'
  when 'quick_reply update' then '{quick_reply_id,agency_id}'
  when 'quick_reply remove' then '{quick_reply_id,agency_id}'
  when 'bot sessions' then '{agency_id}'
  when 'bot answers' then '{agency_id}'
  when 'bot conversation' then '{lead_id}'
  when 'hours set' then '{state?,changes}'
  when 'destination create' then '{destination_id?,agency_id,lead_id?,dry_run?}'
  when 'destination update' then '{destination_id,changed?,lead_id?,dry_run?}'
  when 'destination test' then '{destination_id}'
  when 'destination pause' then '{destination_id}'
  when 'destination resume' then '{destination_id}'
  when 'destination rotate' then '{destination_id}'
  when 'destination remove' then '{destination_id}'
  when 'dispatch list' then '{agency_id?,destination_id?,lead_id?}'
  when 'dispatch show' then '{dispatch_id}'
  when 'dispatch retry' then '{dispatch_ids}'
  when 'operator add' then '{user_id}'
  when 'operator remove' then '{user_id}'
  when 'alert acknowledge' then '{alert_id}'
  when 'alert rule' then '{kind,changes}'
  when 'alert test' then '{}'
end::text[];

comment on function private.action_members(text) is
  'The members of the subject of an action, `?` after those that may be left out; null for an unknown action. An action is '
  'the noun and the verb of its command, and has the same name where it is done on the page.';

create function private.is_action_member(name text, value jsonb) returns boolean
language sql
immutable
set search_path = ''
return case
  when name like '%\_ids' or name = 'changed' then
    jsonb_typeof(value) = 'array'
    and not jsonb_path_exists(value, '$[*] ? (@.type() != "string")')
    and not exists (
      select from jsonb_array_elements_text(value) e (text)
      where e.text !~ case name when 'changed' then '^[a-z_]{1,63}$' else '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' end
    )
  when name = 'changes' then jsonb_typeof(value) = 'object'
  when name = 'dry_run' then value = 'true'
  when name = 'count' then jsonb_typeof(value) = 'number' and value::text ~ '^\d+$'
  else jsonb_typeof(value) = 'string' and value #>> '{}' ~ case
    when name like '%\_id' then '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
    when name = 'by' then '^(phone|email|words)$'
    when name = 'service_phone' then '^(\+[1-9]\d{1,14}|\d{5,6})$'
    when name = 'key_prefix' then '^[\w-]{1,12}$'
    when name = 'state' then '^[A-Z]{2}$'
    -- `kind` and `status`
    else '^[a-z_]{1,63}$'
  end
end;

comment on function private.is_action_member(text, jsonb) is
  'Whether a value is one that this member of a subject can have. `changes` has the new value of each column that is set; '
  '`changed` only their names, where the values are data of a person. Ids are in lower case, because they are compared as '
  'texts.';

create function private.action_problem(action text, subject jsonb) returns text
language plpgsql
immutable
set search_path = ''
as $$
declare
  members constant text[] := private.action_members(action);
  member text;
  name text;
begin
  if members is null then
    return 'action: there is no such action';
  elsif jsonb_typeof(subject) is distinct from 'object' then
    return 'subject: must be an object';
  elsif exists (select from jsonb_object_keys(subject) k where not array[k, k || '?'] && members) then
    return format('subject: may have only these members: %s', coalesce(replace(nullif(array_to_string(members, ', '), ''), '?', ''), 'none'));
  end if;
  foreach member in array members loop
    name := rtrim(member, '?');
    if not subject ? name then
      continue when member <> name;
      return format('subject.%s: is missing', name);
    elsif not private.is_action_member(name, subject -> name) then
      return format('subject.%s: is not a value of this member', name);
    end if;
  end loop;
  return null;
end
$$;

comment on function private.action_problem(text, jsonb) is
  'Why operator_actions cannot have such a row, naming the member; null: it can.';
grant execute on function private.action_members(text), private.is_action_member(text, jsonb),
  private.action_problem(text, jsonb) to service_role;

create table public.operator_actions (
  id uuid primary key default gen_random_uuid(),
  -- Without a foreign key, because what was done stays known when the user is deleted.
  user_id uuid,
  done_by text check (done_by <> '' and length(done_by) <= 128),
  action text not null,
  subject jsonb not null,
  created_at timestamptz not null default clock_timestamp(),
  check (num_nonnulls(user_id, done_by) = 1),
  check (private.action_problem(action, subject) is null),
  -- An agency has many orders.
  check (user_id is null or octet_length(subject::text) <= 65536)
);

create index on public.operator_actions (created_at, id);
create index on public.operator_actions using gin (subject jsonb_path_ops);

comment on table public.operator_actions is
  'Each change by an operator, and each time that an operator was shown personal data, on the page or by the command. Rows are '
  'never changed or deleted.';
comment on column public.operator_actions.user_id is
  'The operator who was signed in: auth.users.id; null: it was done by the command.';
comment on column public.operator_actions.done_by is
  'The operator at the command: the name that was given with --as, else the login name on that computer; null: a user.';
comment on column public.operator_actions.action is
  'The noun and the verb of the command, such as `lead return`, also where it was done on the page. private.action_members() '
  'has all.';
comment on column public.operator_actions.subject is
  'The members that private.action_members() names for the action. Ids, and no data of a person: of a search by a phone, '
  '{by: phone}. dry_run: it was only shown what would change.';

alter table public.operator_actions enable row level security;
grant select, insert on public.operator_actions to service_role;

create table public.lead_returns (
  -- A lead is returned once.
  recruiting_lead_id uuid primary key references public.recruiting_leads (id) on delete cascade,
  agency_id uuid not null,
  order_id uuid not null,
  agent_id uuid,
  distributed_at timestamptz not null,
  reason text not null check (btrim(reason) <> '' and length(reason) <= 500),
  returned_by text default private.operator_name() check (returned_by <> '' and length(returned_by) <= 128),
  created_at timestamptz not null default clock_timestamp(),
  foreign key (agency_id, order_id) references public.recruiting_orders (agency_id, id),
  foreign key (agent_id, agency_id) references public.agents (id, agency_id)
);

create index on public.lead_returns (agency_id, order_id);
create index on public.lead_returns (agent_id, agency_id);
create index on public.lead_returns (distributed_at);
create index on public.lead_returns (created_at);

comment on table public.lead_returns is
  'The leads that operators have taken back, each with the agency, order and agent that had it. return_lead() writes it. A row '
  'goes with its lead; only the reason is emptied when the person is erased.';
comment on column public.lead_returns.agent_id is 'The agent who had the lead at last; null: the agency alone.';
comment on column public.lead_returns.distributed_at is 'When the order had got the lead.';
comment on column public.lead_returns.created_at is 'When it was returned.';
comment on column public.lead_returns.reason is 'The words of the operator.';
comment on column public.lead_returns.returned_by is 'The operator, as private.operator_name() says.';

alter table public.lead_returns enable row level security;
grant select, insert, update, delete on public.lead_returns to service_role;
