-- The operators, and those of their acts that leave no trace in the other tables.

create table public.operators (
  user_id uuid primary key references auth.users (id) on delete cascade,
  created_at timestamptz not null default now()
);

comment on table public.operators is
  'The users who may do on their page what operators do by the command. A user may be an agent as well.';

alter table public.operators enable row level security;
grant select, insert, update, delete on public.operators to service_role;

create table public.erasures (
  id uuid primary key default gen_random_uuid(),
  asked_by text not null check (asked_by in ('phone', 'email')),
  erased jsonb not null check (jsonb_typeof(erased) = 'object'),
  provider_copies integer check (provider_copies >= 0),
  created_at timestamptz not null default now()
);

comment on table public.erasures is
  'One row each time a person was erased, as the proof that it was done. Nothing in it leads to the person.';
comment on column public.erasures.asked_by is 'By what the person was found: a phone or an e-mail address.';
comment on column public.erasures.erased is
  'The number of rows and files that were emptied or deleted, by their kind: {recruiting_lead, lead, file, ...}.';
comment on column public.erasures.provider_copies is
  'The number of texts to delete at the SMS provider; null: the provider was not asked, and its copies remain.';

alter table public.erasures enable row level security;
grant select, insert, update, delete on public.erasures to service_role;

create table public.operator_actions (
  id uuid primary key default gen_random_uuid(),
  -- Without a foreign key, because what was done stays known when the user is deleted.
  user_id uuid,
  done_by text check (done_by <> '' and length(done_by) <= 128),
  action text not null
    check (action in (
      'read_payload', 'search_leads', 'read_lead', 'preview_replay', 'replay', 'dismiss', 'try_mapping', 'save_mapping',
      'distribute', 'return', 'adopt_texts', 'resume_number', 'set_order', 'resize_order', 'set_orders',
      'acknowledge', 'agent_leave')),
  subject jsonb not null check (jsonb_typeof(subject) = 'object'),
  created_at timestamptz not null default clock_timestamp(),
  -- A user writes what it likes into the subject. An agency has many orders.
  check (
    user_id is null
    or done_by is null and octet_length(subject::text) <= case action when 'set_orders' then 65536 else 8192 end
  ),
  check (user_id is not null or action in ('set_orders', 'agent_leave'))
);

create index on public.operator_actions (created_at, id);

comment on table public.operator_actions is
  'The actions of operators who are signed in, and those of the command that change many rows. A row is never changed or '
  'deleted.';
comment on column public.operator_actions.user_id is 'The operator: auth.users.id; null: it was done by the command.';
comment on column public.operator_actions.done_by is
  'The login name of the operator on the computer of the command, as that computer gives it; null: unknown.';
comment on column public.operator_actions.action is
  '`read_payload`: what a vendor sent; `preview_replay`: the lead that a delivery would become; `replay`: the lead was to '
  'be stored; `dismiss`: deliveries were taken off the list of open ones; `try_mapping`: a payload was read to edit a mapping '
  'beside it; `save_mapping`: a mapping was to be saved; `distribute`: waiting leads were distributed; `return`: a lead was '
  'taken back from its agency; `adopt_texts`: unmatched texts got their conversations; `resume_number`: a paused number sends '
  'again; `set_order`: an order was paused, opened or closed; `resize_order`: its number of leads was changed; '
  '`set_orders`: all orders of an agency were paused or opened; `acknowledge`: an alert is in hand; '
  '`agent_leave`: an agent has left, and all that was the agent''s went to others.';
comment on column public.operator_actions.subject is
  'The arguments of the action: {delivery_ids: [uuid]}; {kind, id} of a payload beside a mapping; {vendor_id, seen} of a saved '
  'mapping; {max, vendor_id|null} of a distribution; {lead_id} of a return; {conversation_ids}; {phone} of our number; '
  '{order_id, status}; {order_id, changes}; {agency_id, status, order_ids}; {alert_id}; or {agent_id, to_agent_id|null} and how many of each have moved.';

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
  returned_by text check (returned_by <> '' and length(returned_by) <= 128),
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
comment on column public.lead_returns.returned_by is
  'The login name of the operator on the computer of the command, as that computer gives it. Null: unknown, or an operator '
  'who is signed in, of whom operator_actions has a row.';

alter table public.lead_returns enable row level security;
grant select, insert, update, delete on public.lead_returns to service_role;
