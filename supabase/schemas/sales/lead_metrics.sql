-- Counts of what has happened to a lead.
--
-- Each trigger changes only the metrics of the lead of its row. It adds and subtracts instead of counting all rows again,
-- so that two transactions at once lose nothing.

create function private.create_lead_metrics() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  insert into public.lead_metrics (lead_id) select id from inserted;
  return null;
end
$$;

comment on function private.create_lead_metrics() is 'Trigger: makes a lead_metrics row for each new lead.';

-- Once for each statement and not for each row, because an import inserts thousands of leads in one statement.
create trigger create_lead_metrics
  after insert on public.leads
  referencing new table as inserted
  for each statement execute function private.create_lead_metrics();

create function private.count_in_lead_metrics() returns trigger
language plpgsql
security definer
set search_path = ''
as $$
declare
  counted constant jsonb := to_jsonb(coalesce(new, old));
  change constant integer := case tg_op when 'INSERT' then 1 when 'DELETE' then -1 else 0 end;
  -- What the row counts as: the type of an activity, otherwise its table.
  what constant text := coalesce(counted ->> 'type', tg_table_name);
begin
  update public.lead_metrics m
  set
    presentations_started = m.presentations_started + change * (what = 'presentation_started')::integer,
    presentations_resumed = m.presentations_resumed + change * (what = 'presentation_resumed')::integer,
    presentations_paused = m.presentations_paused + change * (what = 'presentation_paused')::integer,
    presentations_submitted = m.presentations_submitted + change * (what = 'lead_presentations')::integer,
    sales = m.sales + change * (what = 'lead_sales')::integer,
    annual_premium = m.annual_premium + coalesce((to_jsonb(new) ->> 'annual_premium')::numeric, 0)
      - coalesce((to_jsonb(old) ->> 'annual_premium')::numeric, 0),
    referrals = m.referrals + change * (what = 'lead_referrals')::integer,
    last_activity_at = greatest(m.last_activity_at,
      case tg_op when 'INSERT' then coalesce(counted ->> 'occurred_at', counted ->> 'submitted_at')::timestamptz end)
  where m.lead_id = (counted ->> 'lead_id')::uuid;
  return null;
end
$$;

comment on function private.count_in_lead_metrics() is
  'Trigger: counts an activity, a submitted presentation, a sale with its annual premium, or a referral in lead_metrics. '
  'Security definer because the signed-in agent may not write lead_metrics.';

create trigger count_in_lead_metrics
  after insert or delete on public.lead_activities
  for each row execute function private.count_in_lead_metrics();

create trigger count_in_lead_metrics
  after insert or delete on public.lead_presentations
  for each row execute function private.count_in_lead_metrics();

create trigger count_in_lead_metrics
  after insert or update of annual_premium or delete on public.lead_sales
  for each row execute function private.count_in_lead_metrics();

create trigger count_in_lead_metrics
  after insert or delete on public.lead_referrals
  for each row execute function private.count_in_lead_metrics();
