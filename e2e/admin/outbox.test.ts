/** `npm run admin -- text outbox` and `text retry`: what is not sent, why, and once more. */
import assert from "node:assert/strict";
import { admin, adminJson, assertRefused } from "../support/admin.ts";
import { createAgency, sql } from "../support/client.ts";
import { newPhone, newSid } from "../support/sms.ts";

type Columns = Record<string, string | null>;

/** An agency with a number, and texts of it in the outbox. */
class Outbox {
  readonly service = newPhone();

  private constructor(readonly agency: string) {}

  static async create(): Promise<Outbox> {
    const outbox = new Outbox((await createAgency()).id);
    await adminJson(`number add ${outbox.service} --agency ${outbox.agency}`);
    return outbox;
  }

  /** Adds a text to a new recruit, and then changes it and its message. */
  async add(change: Columns, message: Columns = {}): Promise<{ id: string; recruit: string }> {
    const recruit = newPhone();
    const [row] = await sql`
      with conversation as (
        insert into public.recruiting_conversations (agency_id, recruit_phone, service_phone)
        values (${this.agency}, ${recruit}, ${this.service}) returning id
      )
      insert into public.recruiting_messages (conversation_id, direction, sender_type, body)
      select id, 'outbound', 'bot', 'Hello' from conversation returning id`;
    const id: string = row!.id;
    await sql`insert into public.text_outbox (message_id, kind, due_at) values (${id}, 'bot', 'infinity')`;
    await sql`update public.text_outbox set ${sql(change)} where message_id = ${id}`;
    if (Object.keys(message).length > 0) {
      await sql`update public.recruiting_messages set ${sql(message)} where id = ${id}`;
    }
    return { id, recruit };
  }

  list(more = "") {
    return adminJson(`text outbox --agency ${this.agency} ${more}`);
  }
}

const retry = (line: string) => admin(`text retry ${line}`);

Deno.test("what is not sent is listed with the reason, and can be asked for by state", async () => {
  const outbox = await Outbox.create();
  const later = "2099-01-01T13:00Z";
  const failed = { status: "failed" };
  const refusedByCarrier = { ...failed, error_code: "30007", provider_message_id: newSid() };
  const cases: [state: string, why: RegExp, change: Columns, message?: Columns][] = [
    ["held", /^quiet hours, until 2099-01-01T13:00:00Z$/, { due_at: later, reason: "quiet_hours" }],
    ["held", /^quiet hours at all times, by the rows of texting_hours$/, { reason: "quiet_hours" }],
    ["held", /^tried again at 2099-.*, after 20429$/, { due_at: later, reason: "20429" }],
    [
      "unconfirmed",
      /^nobody knows whether it was sent$/,
      { state: "unconfirmed", reason: "no_response" },
    ],
    [
      "unconfirmed",
      /^the response was lost; Twilio is asked for it at 2099-/,
      { state: "unconfirmed", due_at: later },
    ],
    ["refused", /^the recruit has opted out$/, { state: "refused", reason: "opted_out" }, failed],
    ["refused", /^an agent has cancelled it$/, { state: "refused", reason: "cancelled" }, failed],
    ["refused", /^an agent has taken the conversation over/, { state: "refused", reason: "taken_over" }, failed],
    ["refused", /^the bot was stopped: switched_off$/, { state: "refused", reason: "switched_off" }, failed],
    ["failed", /^Twilio: 21211$/, { state: "failed", reason: "21211" }, failed],
    [
      "failed",
      /^a file of it is not in the bucket text-media$/,
      { state: "failed", reason: "media_not_found" },
      failed,
    ],
    ["failed", /^Twilio: 30007$/, { state: "accepted" }, refusedByCarrier],
  ];
  const expected: [id: string, state: string, why: RegExp][] = [];
  for (const [state, why, change, message] of cases) {
    expected.push([(await outbox.add(change, message)).id, state, why]);
  }
  await outbox.add({ state: "accepted" }, { status: "sent", provider_message_id: newSid() });

  const listed = await outbox.list();
  assert.equal(listed.length, expected.length);
  for (const [id, state, why] of expected) {
    const text = listed.find(({ message_id }: { message_id: string }) => message_id === id);
    assert.equal(text.state, state);
    assert.match(text.why, why);
  }
  assert.equal((await outbox.list("--state failed")).length, 3);
  const limited = await admin(`text outbox --agency ${outbox.agency} --limit 3`);
  assert.match(limited.out, /^message_id +created_at +agency +from +to +kind +state +why$/m);
  assert.match(limited.out, /^9 more: see --limit$/m);

  await adminJson(`number pause ${outbox.service} --reason 30034`);
  const [held] = await outbox.list("--state held");
  assert.equal(held.why, "its number is paused: 30034");
  await adminJson(`number remove ${outbox.service} --yes`);
  const [without] = await outbox.list("--state held");
  assert.equal(without.why, "its number is not one of the agency's");
});

Deno.test("a text that has failed is sent once more", async () => {
  const outbox = await Outbox.create();
  // Its number is paused, so that it waits.
  await adminJson(`number pause ${outbox.service}`);
  const { id } = await outbox.add(
    { state: "failed", reason: "21211", attempted_at: "2026-01-01T00:00Z" },
    { status: "failed", error_code: "21211", failed_at: "2026-01-01T00:00Z" },
  );
  const retried = await adminJson(`text retry ${id.slice(0, 13)}`);
  assert.equal(retried.message_id, id);
  const [text] = await sql`
    select o.state, m.status, m.error_code, m.failed_at
    from public.text_outbox o join public.recruiting_messages m on m.id = o.message_id
    where o.message_id = ${id}`;
  assert.deepEqual(
    text,
    {
      state: "pending",
      status: null,
      error_code: null,
      failed_at: null,
    },
  );
  assertRefused(await retry(`${id}`), 1, /^this text is not sent yet$/);
});

Deno.test("a text of which nobody knows whether it was sent is sent once more when that is confirmed", async () => {
  const outbox = await Outbox.create();
  await adminJson(`number pause ${outbox.service}`);
  const left = await outbox.add({ state: "unconfirmed", reason: "no_response" });
  const failed = await outbox.add({ state: "failed", reason: "unconfirmed" });
  for (const { id } of [left, failed]) {
    assertRefused(
      await retry(`${id}`),
      2,
      /the recruit may get it twice\. .* reconcile asks .* --yes$/,
    );
    assert.equal((await retry(`${id} --yes`)).code, 0);
  }
  assert.equal((await outbox.list("--state held")).length, 2);
});

Deno.test("a text that may not be sent once more stays as it is", async () => {
  const outbox = await Outbox.create();
  const optedOut = await outbox.add({ state: "failed", reason: "30003" });
  await adminJson(`consent record ${optedOut.recruit} --agency ${outbox.agency} --state opted_out
    --reason "by phone"`);
  for (
    const [{ id }, reason] of [
      [optedOut, /^the recruit has opted out of texts from this agency$/],
      [
        await outbox.add({ state: "accepted" }, {
          status: "failed",
          provider_message_id: newSid(),
        }),
        /^the provider has accepted this text$/,
      ],
      [await outbox.add({ state: "refused" }), /this text was refused/],
      [
        await outbox.add({ state: "unconfirmed", due_at: "2099-01-01T13:00Z" }),
        /the provider is still being asked for this text/,
      ],
      [{ id: crypto.randomUUID() }, /^There is no text "/],
      [{ id: "4711" }, /^There is no text "4711"\. See npm run admin -- text outbox$/],
    ] as const
  ) {
    const before = await outbox.list();
    assertRefused(await retry(`${id} --yes`), 1, reason);
    assert.deepEqual(await outbox.list(), before);
  }
});
