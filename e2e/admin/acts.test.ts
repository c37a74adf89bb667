/** Each command that changes something or shows data of a person leaves its row in `operator_actions`. */
import assert from "node:assert/strict";
import type { AdminCommand } from "../../admin/command.ts";
import { buildProgram } from "../../admin/program.ts";
import { admin, adminJson, adminWithSecret } from "../support/admin.ts";
import { signInNewUser } from "../support/agents.ts";
import { createOrder, createVendor, send, sql, withKey } from "../support/client.ts";
import { reject } from "../support/deliveries.ts";
import { createConversation, newPhone } from "../support/sms.ts";

/** What needs Twilio, Meta or a receiver of alerts. */
const ELSEWHERE = ["alert test", "lead fetch", "text reconcile"];

Deno.test("each act of a command is stored with its operator, its action and what it was about", async () => {
  const operator = `acts ${crypto.randomUUID()}`;
  const name = () => `acts-${crypto.randomUUID()}`;
  const act = async (line: string, secret?: string) => {
    const whole = `${line} --yes --as "${operator}"`;
    const { code, err } = await (secret === undefined ? admin(whole) : adminWithSecret(secret, whole));
    assert.equal(code, 0, `${line}\n${err}`);
  };

  const vendor = await createVendor();
  const order = await createOrder(vendor, { agents: 2 });
  const { agency_id, agent_ids: [first, second] } = order;
  const phone = newPhone();
  const ingest = async (vendor_lead_id: string) => {
    const body = { first_name: "Ida", phone, vendor_lead_id };
    const { body: { id } } = await send("/recruiting/ingest", { headers: withKey(vendor), body });
    return id as string;
  };
  const [kept, returned] = [await ingest("kept"), await ingest("returned")];

  await act(`agency create --name ${name()} --timezone UTC`);
  await act(`agency update ${agency_id} --timezone UTC`);
  const unused = await adminJson(`agency create --name ${name()} --timezone UTC`);
  await act(`agency remove ${unused.id}`);

  const login = await signInNewUser();
  await act(`agent create --agency ${agency_id} --first-name Ada`);
  await act(`agent update ${first} --email ${crypto.randomUUID()}@example.com`);
  await act(`agent invite ${first} --redirect-to http://localhost:54321/desk/`);
  const { id: newcomer } = await adminJson(`agent create --agency ${agency_id} --first-name Newcomer`);
  await act(`agent remove ${newcomer}`);

  await act(`order create --agency ${agency_id} --quantity 1`);
  await act(`order update ${order.id} --priority 900`);
  await act(`order pause ${order.id}`);
  await act(`order open ${order.id}`);
  await sql`update private.recruiting_order_days set leads = leads + 5 where order_id = ${order.id}`;
  await act("order recount");
  const { id: closing } = await adminJson(`order create --agency ${agency_id} --quantity 1`);
  await act(`order close ${closing}`);

  const slug = name();
  await act(`vendor create ${slug} --parser generic`);
  await act(`vendor remove ${slug}`);
  await act(`vendor update ${vendor.slug} --name ${name()}`);
  await act(`key create ${vendor.slug}`);
  const [{ key_prefix }] = await sql<[{ key_prefix: string }]>`
    select key_prefix from public.vendor_api_keys where vendor_id = ${vendor.id} order by created_at desc limit 1`;
  await act(`key revoke ${vendor.slug} ${key_prefix}`);
  await act(`key rotate ${vendor.slug}`);
  await act(`vendor webhook set ${vendor.slug} --scheme meta`);
  await act(`vendor webhook secret create ${vendor.slug}`, "a secret that is long enough");
  const [secret] = await adminJson(`vendor webhook secret list ${vendor.slug}`);
  await act(`vendor webhook secret revoke ${vendor.slug} ${secret.id}`);
  await act(`vendor webhook off ${vendor.slug}`);

  const payload = { name: "Ida" };
  const [shown, replayed, dismissed] = await reject(
    { vendor_id: vendor.id, payload },
    { vendor_id: vendor.id, payload: { first_name: "Ida", phone } },
    { vendor_id: vendor.id, payload },
  );
  await sql`
    insert into public.rejected_deliveries (request_id, route, vendor_id, code, reason, payload_bytes, received_at)
    values ('acts', '/recruiting/ingest', ${vendor.id}, 'BAD_REQUEST', 'old', 2, now() - interval '4001 days')`;
  await act(`vendor parse ${vendor.slug} ${shown}`);
  await act(`delivery show ${shown}`);
  await act(`delivery replay ${replayed}`);
  await act(`delivery dismiss ${dismissed}`);
  await act("delivery prune --older-than 4000");

  await act(`lead list --vendor ${vendor.slug}`);
  await act(`lead find ${phone}`);
  await act(`lead show ${kept}`);
  await adminJson(`lead assign ${kept} --to ${first}`);
  await act(`lead assign ${kept} --to ${second}`);
  await act(`lead return ${returned} --reason "wrong number"`);
  const file = Deno.makeTempFileSync({ suffix: ".csv" });
  Deno.writeTextFileSync(file, "vendor_lead_id,first_name\r\nof-a-file,Ida\r\n");
  await act(`lead import ${file} --vendor ${vendor.slug}`);
  await act(`lead match ${file} --vendor ${vendor.slug}`);
  await act(`repeat set --vendor ${vendor.slug} --match phone --within 30d --action hold`);
  await act(`repeat remove --vendor ${vendor.slug}`);
  const suppressed = newPhone();
  await act(`suppression add ${suppressed} --reason "asked by letter"`);
  await act("suppression list");
  await act(`suppression check ${suppressed}`);
  Deno.writeTextFileSync(file, `phone,reason\r\n${newPhone()},by letter\r\n`);
  await act(`suppression import ${file} --reason "a list"`);
  await act(`suppression remove ${suppressed}`);
  Deno.removeSync(file);
  await sql`update public.vendors set parser = 'mapping', parser_config = ${
    sql.json({ fields: { first_name: "first_name", email: "mail" } })
  } where id = ${vendor.id}`;
  const waiting = crypto.randomUUID();
  await sql`
    insert into public.recruiting_leads (id, vendor_id, first_name, distribution, vendor_metadata)
    values (${waiting}, ${vendor.id}, 'Ida', 'unmatched', '{"vendor_fields": {"mail": "ida@example.com"}}')`;
  await act(`lead reread --vendor ${vendor.slug}`);
  await act(`lead waiting --vendor ${vendor.slug}`);
  await act(`lead distribute --vendor ${vendor.slug}`);

  await using receiver = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, () => new Response());
  const destination = `crm --agency ${agency_id}`;
  await act(`destination create ${destination} --url http://127.0.0.1:${receiver.addr.port}/`);
  await act(`destination update ${destination} --events lead.reassigned`);
  await act(`destination rotate ${destination}`);
  await act(`destination test ${destination}`);
  await act(`destination pause ${destination}`);
  await adminJson(`lead assign ${kept} --to ${first}`);
  const [dispatch] = await adminJson(`dispatch list --lead ${kept}`);
  await sql`update private.dispatches set state = 'failed', ended_at = now() where id = ${dispatch.id}`;
  await act(`dispatch list --lead ${kept}`);
  await act(`dispatch show ${dispatch.id}`);
  await act(`dispatch retry ${dispatch.id}`);
  await act(`destination resume ${destination}`);
  await act(`destination remove ${destination}`);

  const service = newPhone();
  await act(`number add ${service} --agency ${agency_id}`);
  await act(`number set ${service} --segments-per-second 2`);
  await act(`number pause ${service}`);
  await act(`number resume ${service}`);
  const spare = newPhone();
  await adminJson(`number add ${spare} --agency ${agency_id}`);
  await act(`number remove ${spare}`);

  await act(`text send --from ${phone} --to ${service} --body "Hello"`);
  await act("text unmatched");
  await act(`text adopt ${phone} --to ${service}`);
  await act(`text waiting --agency ${agency_id}`);
  const { id: talk } = await createConversation(agency_id, first!);
  const [message] = await sql`
    insert into public.recruiting_messages (conversation_id, direction, sender_type, body, status)
    values (${talk}, 'outbound', 'bot', 'Hello', 'failed') returning id`;
  await sql`
    insert into public.text_outbox (message_id, kind, due_at, state) values (${
    message!.id
  }, 'bot', 'infinity', 'failed')`;
  await act(`text outbox --agency ${agency_id}`);
  await act(`text retry ${message!.id}`);

  await act(`bot publish docs/examples/bot_script.json --agency ${agency_id}`);
  await sql`
    insert into public.bot_sessions (conversation_id, script_id, question)
    select ${talk}, id, 'licensed' from public.bot_scripts where agency_id = ${agency_id}`;
  await act(`bot sessions --agency ${agency_id}`);
  await act(`bot answers --agency ${agency_id}`);
  await sql`update public.recruiting_conversations set recruiting_lead_id = ${kept} where id = ${talk}`;
  await act(`bot conversation ${kept} --anonymous`);
  await act(`bot off --agency ${agency_id}`);

  await act(`hours set WY --opens 09:00 --closes 20:00 --source "a test"`);
  await adminJson("hours set WY --none --yes");
  await act(`operator add ${login.email}`);
  await act(`operator remove ${login.email}`);
  // One that has ended, so that no check of the alerts ends this one.
  const [ended] = await sql`
    insert into public.recruiting_orders (agency_id, vendor_id, quantity, starts_at, ends_at)
    values (${agency_id}, ${vendor.id}, 1, now() - interval '2 hours', now() - interval '1 hour') returning id`;
  await sql`select private.check_alerts()`;
  const [alert] = await sql`select id from public.alerts where kind = 'order_stalled' and subject = ${ended!.id}`;
  await act(`alert acknowledge ${alert!.id}`);
  await act("alert rule order_stalled --on true");

  await act(`consent record ${phone} --agency ${agency_id} --state opted_out --reason "by phone"`);
  await act(`consent show ${phone}`);
  await act("consent list");
  await act(`person find ${phone}`);
  await act(`person export ${phone}`);
  await act(`person erase ${phone}`);
  await act(`agent leave ${first} --to ${second}`);

  const actions = (command: AdminCommand): string[] =>
    command.recordedAs ? [command.recordedAs] : command.commands.flatMap((inner) => actions(inner as AdminCommand));
  const all = new Set(actions(buildProgram(() => Promise.resolve(), () => {})));
  const rows = await sql`
    select action, subject from public.operator_actions where done_by = ${operator} order by created_at`;
  assert.deepEqual(
    [...new Set(rows.map(({ action }) => action))].sort(),
    [...all].filter((action) => !ELSEWHERE.includes(action)).sort(),
  );
  assert.deepEqual(rows.find(({ action }) => action === "order pause")!.subject, { order_ids: [order.id] });
  assert.deepEqual(rows.find(({ action }) => action === "delivery show")!.subject, { delivery_id: shown });
  assert(rows.every(({ subject }) => !JSON.stringify(subject).includes(phone)));
});
