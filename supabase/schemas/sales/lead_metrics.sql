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

create function private.count_lead_activity() returns trigger
language plpgsql
security definer
set search_path = ''
as $$
declare
  activity constant public.lead_activities := coalesce(new, old);
  change constant integer := case tg_op when 'INSERT' then 1 else -1 end;
begin
  update public.lead_metrics m
  set
    presentations_started =
      m.presentations_started + change * (activity.type = 'presentation_started')::integer,
    presentations_resumed =
      m.presentations_resumed + change * (activity.type = 'presentation_resumed')::integer,
    presentations_paused =
      m.presentations_paused + change * (activity.type = 'presentation_paused')::integer,
    last_activity_at = greatest(m.last_activity_at, new.occurred_at)
  where m.lead_id = activity.lead_id;
  return null;
end
$$;

comment on function private.count_lead_activity() is
  'Trigger: counts an activity in lead_metrics. '
  'Security definer because the signed-in agent may not write lead_metrics.';

create trigger count_lead_activity
  after insert or delete on public.lead_activities
  for each row execute function private.count_lead_activity();

create function private.count_lead_presentation() returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  update public.lead_metrics m
  set
    presentations_submitted =
      m.presentations_submitted + case tg_op when 'INSERT' then 1 else -1 end,
    last_activity_at = greatest(m.last_activity_at, new.submitted_at)
  where m.lead_id = coalesce(new.lead_id, old.lead_id);
  return null;
end
$$;

comment on function private.count_lead_presentation() is
  'Trigger: counts a submitted presentation in lead_metrics. '
  'Security definer because the signed-in agent may not write lead_metrics.';

create trigger count_lead_presentation
  after insert or delete on public.lead_presentations
  for each row execute function private.count_lead_presentation();

create function private.count_lead_sale() returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  update public.lead_metrics m
  set
    sales = m.sales + case tg_op when 'INSERT' then 1 when 'DELETE' then -1 else 0 end,
    annual_premium =
      m.annual_premium + coalesce(new.annual_premium, 0) - coalesce(old.annual_premium, 0)
  where m.lead_id = coalesce(new.lead_id, old.lead_id);
  return null;
end
$$;

comment on function private.count_lead_sale() is
  'Trigger: counts a sale and adds up the annual premiums in lead_metrics. '
  'Security definer because the signed-in agent may not write lead_metrics.';

create trigger count_lead_sale
  after insert or update of annual_premium or delete on public.lead_sales
  for each row execute function private.count_lead_sale();

create function private.count_lead_referral() returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  update public.lead_metrics m
  set referrals = m.referrals + case tg_op when 'INSERT' then 1 else -1 end
  where m.lead_id = coalesce(new.lead_id, old.lead_id);
  return null;
end
$$;

comment on function private.count_lead_referral() is
  'Trigger: counts a referral in lead_metrics. '
  'Security definer because the signed-in agent may not write lead_metrics.';

create trigger count_lead_referral
  after insert or delete on public.lead_referrals
  for each row execute function private.count_lead_referral();
