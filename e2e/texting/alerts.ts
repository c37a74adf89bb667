/** What the tests of alerts share: a receiver of alerts, and the worker that notifies it. */
import { createHmac } from "node:crypto";
import { checkAlerts } from "../support/alerts.ts";
import { sql, stack } from "../support/client.ts";
import { functionWith } from "../support/function.ts";
import { AlertReceiver } from "../../dev/testing/alert_receiver.ts";
import { createSender, double } from "./texts.ts";

export const receiver = await AlertReceiver.start();
Deno.test.afterAll(async () => {
  await receiver.stop();
  await sql`update public.alert_rules set is_on = true`;
});
Deno.test.beforeEach(async () => {
  receiver.behave();
  // Other tests leave recruits who wait, and more.
  await sql`update public.alert_rules set is_on = kind = 'number_paused'`;
  await sql`update public.service_numbers set status = 'active' where status = 'paused'`;
  await sql`delete from public.alerts`;
  await sql`delete from private.dispatches where event like 'alert.%' or event = 'test'`;
});

/** Makes a number that is paused, and opens its alert. Returns the number, which is the alert's subject. */
export async function openAlert(): Promise<string> {
  const { phone } = await createSender();
  await sql`update public.service_numbers set status = 'paused' where phone = ${phone}`;
  await checkAlerts();
  return phone;
}

export async function resolveAlert(phone: string): Promise<void> {
  await sql`update public.service_numbers set status = 'active' where phone = ${phone}`;
  await checkAlerts();
}

/** Lets the time pass until each delivery is due again, or its worker counts as dead. */
export const passTime = () =>
  sql`
    update private.dispatches
    set due_at = least(due_at, now()), lease_until = case when lease_until is not null then now() end
    where state in ('waiting', 'sending')`;

/** The states of which the receiver was notified, each repetition too. */
export const statesOf = (subject: string) => receiver.bodiesAbout(subject).map(({ state }) => state);

/** The last request about an alert. */
export const lastRequest = () => receiver.requests.filter(({ path }) => path === "/alerts").at(-1)!;

/** Where a launcher finds the stack. */
export const launcher = { dbUrl: stack.db_url, functionsUrl: stack.functions_url, key: stack.worker_key };

/** Calls the worker with these settings, in the test's own process. */
export async function workWith(settings: Record<string, string>) {
  const worker = await functionWith("worker", {
    ...double.settings,
    ...receiver.settings,
    DESK_URL: "",
    WORKER_KEY: "key",
    ...settings,
  });
  return await worker("/worker/run", { headers: { authorization: "Bearer key" } });
}

/** The signature, from the words of the specification alone. */
export function signatureOf(
  { headers, body }: { headers: Record<string, string>; body: string },
  secret: string,
): string {
  return createHmac("sha256", atob(secret.slice("whsec_".length)))
    .update(`${headers["webhook-id"]}.${headers["webhook-timestamp"]}.`).update(body).digest("base64");
}
