/** The session of a command, which stores who does it. */
import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { Session } from "../../admin/session.ts";
import { sql } from "../support/client.ts";

const TERMINAL = { readSecret: () => Promise.resolve(""), lines: () => Readable.from([]), say: () => {} };

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
