/** `npm run admin -- operator`: who may use the page of operators. */
import assert from "node:assert/strict";
import { Readable } from "node:stream";
import type { AdminCommand } from "../../admin/command.ts";
import { buildProgram } from "../../admin/program.ts";
import { Session } from "../../admin/session.ts";
import { admin, adminJson, assertRefused, npmRun } from "../support/admin.ts";
import { sql } from "../support/client.ts";
import { signInNewUser, type User } from "../support/agents.ts";

async function statusOf({ client }: User): Promise<number> {
  return (await client.rpc("count_vendor_days")).status;
}

Deno.test("operator add lets a user in at once, and operator remove ends that at once", async () => {
  const user = await signInNewUser();
  const { email, id: user_id } = user;
  assert.equal(await statusOf(user), 403);

  assert.deepEqual(await adminJson(`operator add ${email.toUpperCase()}`), { user_id, email, added: true });
  assert.equal(await statusOf(user), 200);
  assert.deepEqual(await adminJson(`operator add ${email}`), { user_id, email, added: false });
  const listed = (await adminJson("operator list")).find((row: User) => row.email === email);
  assert.equal(listed.user_id, user_id);
  assert.ok(listed.since && listed.signed_in);
  assert.match((await admin("operator list")).out, new RegExp(`^${email} `, "m"));

  assert.deepEqual(await adminJson(`operator remove ${email}`), { user_id, email, removed: true });
  assert.equal(await statusOf(user), 403);
  assertRefused(await admin(`operator remove ${email}`), 1, /is no operator\. See npm run admin -- operator list$/);
});

const TERMINAL = { readSecret: () => Promise.resolve(""), lines: () => Readable.from([]), say: () => {} };

Deno.test("the database knows each action of a command", async () => {
  const actions = (command: AdminCommand): string[] =>
    command.recordedAs ? [command.recordedAs] : command.commands.flatMap((inner) => actions(inner as AdminCommand));
  const unknown = await sql`
    select a.action from unnest(${actions(buildProgram(() => Promise.resolve(), () => {}))}::text[]) a (action)
    where private.action_members(a.action) is null`;
  assert.deepEqual([...unknown], []);
});

Deno.test("a command changes nothing without storing who does it", async () => {
  const session = new Session({ as: "olivia" }, TERMINAL, "alert test");
  const rows = () => sql`select from public.operator_actions where done_by = 'olivia' and action = 'alert test'`;
  try {
    const before = (await rows()).count;
    await assert.rejects(session.sql`delete from public.operators where false`, { code: "25006" });
    await assert.rejects(
      async () => await session.goOn((transaction) => transaction`select 1`),
      /nothing is stored yet/,
    );
    await session.askWho();
    const insert = (name: string) =>
      session.act(
        (transaction) => transaction`insert into public.agencies (name, timezone) values (${name}, 'UTC')`,
        {},
      );
    const name = `Agency ${crypto.randomUUID()}`;
    const agencies = () => sql`select from public.agencies where name = ${name}`;
    await assert.rejects(session.act((transaction) => transaction`select 1 / 0`, {}), { code: "22012" });
    const wrong = session.act((transaction) => transaction`delete from public.agencies where false`, { name });
    await assert.rejects(wrong, { message: "subject: may have only these members: none" });
    assert.deepEqual([(await rows()).count, (await agencies()).count], [before, 0]);
    await insert(name);
    assert.deepEqual([(await rows()).count, (await agencies()).count], [before + 1, 1]);
    await session.goOn((transaction) => transaction`delete from public.agencies where name = ${name}`);
  } finally {
    await session.end();
  }
});

Deno.test("a time without an offset is one of UTC, wherever the command runs", async () => {
  const name = `olaf ${crypto.randomUUID()}`;
  await sql`
    insert into public.operator_actions (done_by, action, subject, created_at)
    select ${name}, 'alert test', '{}', now() - hours * interval '1 hour' from generate_series(1, 3, 2) hours`;
  const since = new Date(Date.now() - 2 * 3_600_000).toISOString().slice(0, 19);
  for (const TZ of ["Pacific/Pago_Pago", "Pacific/Kiritimati"]) {
    const line = `operator actions --by "${name}" --since ${since} --json`;
    const { code, out, err } = await npmRun("admin", line, { TZ });
    assert.equal(code, 0, err);
    assert.equal(JSON.parse(out).length, 1, TZ);
  }
});
