/** What the tests of dispatches share: a receiver, destinations of new agencies, and the time that passes. */
import { createAgency, sql } from "../support/client.ts";
import { functionWith } from "../support/function.ts";
import { type ReceivedRequest, RecordingServer } from "../../dev/testing/recording_server.ts";
import { double } from "./texts.ts";

export const receiver = await RecordingServer.start();
const removeAll = () => sql`delete from public.destinations where agency_id is not null`;
Deno.test.afterAll(async () => {
  await receiver.stop();
  await removeAll();
});
Deno.test.beforeEach(async () => {
  receiver.behave();
  receiver.requests.length = 0;
  await removeAll();
});

export const SECRET = `whsec_${btoa("0123456789abcdef0123456789abcdef")}`;

/** A destination of an agency, whose requests have its path. */
export interface Destination {
  id: string;
  agency_id: string;
  path: string;
}

/** Makes a destination, by default a webhook of a new agency that gets every event. */
export async function createDestination(
  { agency_id, ...fields }: Record<string, unknown> & { agency_id?: string } = {},
): Promise<Destination> {
  const agency = agency_id ?? (await createAgency()).id;
  const name = `d-${crypto.randomUUID()}`;
  const path = `/${name}`;
  const row = {
    agency_id: agency,
    name,
    kind: "webhook",
    url: receiver.url + path,
    events: ["lead.distributed", "lead.returned", "recruit.replied", "recruit.erased"],
    ...fields,
  };
  const [destination] = await sql`insert into public.destinations ${sql(row)} returning id`;
  await sql`
    insert into private.destination_secrets (destination_id, kind, secret)
    values (${destination!.id}, 'signing', ${SECRET})`;
  return { id: destination!.id, agency_id: agency, path };
}

/** Distributes this number of leads to an agency, and returns their ids. */
export async function createLeads({ agency_id }: { agency_id: string }, count = 1): Promise<string[]> {
  const [{ id: vendor_id }] = await sql`select id from public.vendors where slug = 'generic'` as unknown as [
    { id: string },
  ];
  const rows = await sql`
    insert into public.recruiting_leads (vendor_id, first_name, vendor_metadata, distribution, agency_id, distributed_at)
    select ${vendor_id}, 'Lead ' || n, jsonb_build_object('phone', '+1202555' || lpad(n::text, 4, '0')), 'distributed', ${agency_id}, now()
    from generate_series(1, ${count}::integer) n
    returning id`;
  return rows.map(({ id }) => id);
}

/** Adds an event of leads for the destinations of their agency, as what happens to the leads does. */
export const addEvent = (event: string, lead_ids: string[], data: object = {}) =>
  sql`select private.add_dispatches(${event}, ${lead_ids}::uuid[], ${sql.json(data as never)})`;

/** Makes a destination and this number of leads, whose events are due. */
export async function createDue(fields: Record<string, unknown> = {}, count = 1) {
  const destination = await createDestination(fields);
  const lead_ids = await createLeads(destination, count);
  await addEvent("lead.distributed", lead_ids);
  return { ...destination, lead_ids };
}

/** The dispatches of a destination, in the order in which they were made. */
export const dispatchesOf = ({ id }: Destination) =>
  sql`select * from private.dispatches where destination_id = ${id} order by seq`;

/** The requests of a destination, oldest first, each repetition too. */
export const requestsOf = ({ path }: Destination): ReceivedRequest[] =>
  receiver.requests.filter((request) => request.path === path);

/** Lets the time pass until each dispatch of a destination is due, or its worker counts as dead. */
export const passTime = ({ id }: Destination) =>
  sql`
    update private.dispatches
    set due_at = least(due_at, now()), lease_until = case when state = 'sending' then now() end
    where destination_id = ${id} and state in ('waiting', 'sending')`;

/** Calls the worker with these settings, in the test's own process. */
export async function workWith(settings: Record<string, string>) {
  const worker = await functionWith("worker", {
    ...double.settings,
    ALERT_WEBHOOK_URL: "",
    ALERT_HEARTBEAT_URL: "",
    WORKER_KEY: "key",
    ...settings,
  });
  return await worker("/worker/run", { headers: { authorization: "Bearer key" } });
}
