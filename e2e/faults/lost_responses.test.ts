/**
 * What a 500 says of sending again is true: of leads without an id of the vendor, which nothing recognizes, each is
 * stored once after those with a 500 are sent again.
 */
import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { ingest } from "../support/applications.ts";
import { type ApiResponse, createVendor, renewConnections, sql, storedLeads, type Vendor } from "../support/client.ts";
import { ingestHere } from "../support/function.ts";
import { eventually } from "../support/processes.ts";
import { childrenOf, pidOf } from "../../dev/testing/faults/parts.ts";
import { tableLock, whileHeld } from "../../dev/testing/faults/database.ts";
import { watchingLeadCalls } from "../../dev/testing/faults/responses.ts";

const COUNT = 20;
const SEND_AGAIN = "the request could not be completed; send the same request again";
const MAY_BE_STORED = /may have been stored/;

type Responses = Pick<ApiResponse, "status" | "body">[];

/**
 * Sends leads, and again those that the responses say to send again; then each must be there once.
 *
 * @param fault calls `send`, which sends the leads, and lets something happen meanwhile
 * @param post sends one lead
 * @returns the names of leads that may have been stored, as their responses say; they must not be there twice
 */
async function assertStoredOnce(
  fault: (send: () => Promise<Responses>) => Promise<Responses>,
  post: (vendor: Vendor, lead: { first_name: string }) => Promise<Responses[number]> = ingest,
): Promise<string[]> {
  const vendor = await createVendor();
  await post(vendor, { first_name: "before" });
  const sendAll = (names: string[]) => Promise.all(names.map((first_name) => post(vendor, { first_name })));
  const names = Array.from({ length: COUNT }, (_, n) => `lead ${n}`);
  const again: string[] = [];
  const unknown: string[] = [];
  for (const [n, { status, body }] of (await fault(() => sendAll(names))).entries()) {
    if (status === 201) continue;
    assert.equal(status, 500);
    if (MAY_BE_STORED.test(body.error.message)) {
      unknown.push(names[n]!);
    } else {
      assert.equal(body.error.message, SEND_AGAIN);
      again.push(names[n]!);
    }
  }
  for (const { status } of await sendAll(again)) assert([200, 201].includes(status));

  // A call that came too late would store its lead by now.
  await delay(1_000);
  const stored = (await storedLeads(vendor)).map(({ first_name }) => first_name as string);
  assert.equal(new Set(stored).size, stored.length, "none is there twice");
  const known = ["before", ...names].filter((name) => !unknown.includes(name));
  assert.deepEqual(stored.filter((name) => !unknown.includes(name)).sort(), known.sort());
  return unknown;
}

Deno.test("fault: while the table is locked for 5 s each lead is stored once, if those with a 500 are sent again", async () => {
  const unknown = await assertStoredOnce(async (send) => {
    const sent = send();
    await whileHeld(tableLock("public.recruiting_leads"), () => delay(5_000));
    return sent;
  });
  assert.deepEqual(unknown, []);
});

/** A fault that makes a COMMIT wait. */
const WAITS = [
  { name: "commit_delay", value: "100000", when: "before its COMMIT is on disk", victim: "the backend" },
  { name: "synchronous_standby_names", value: "nobody", when: "once its COMMIT is on disk", victim: "all of Postgres" },
];

for (const { name, value, when, victim } of WAITS) {
  Deno.test(`fault: when ${victim} is killed ${when}, each lead of the call is stored once, if those with a 500 are sent again`, async () => {
    let backend: number | undefined;
    await assertStoredOnce(async (send) => {
      await setParameters({ [name]: value, commit_siblings: "0", fsync: "on" });
      const calls: number[] = [];
      return await watchingLeadCalls((leads) => calls.push(leads), async () => {
        const sent = send();
        backend = await waitingCommit(calls, sent);
        const postgres = pidOf("postgres");
        const isAll = backend === undefined || victim === "all of Postgres";
        const pids = isAll ? [postgres, ...childrenOf(postgres)] : [backend!];
        for (const pid of pids) Deno.kill(pid, "SIGKILL");
        await setParameters({ [name]: null, commit_siblings: null, fsync: null });
        return await sent;
      });
    }, postHere);
    await renewConnections();
    assert(backend !== undefined, "a COMMIT has waited");
  });
}

/** Posts a lead to the function in the test's own process. Five of ten leads have an id of the vendor. */
function postHere(vendor: Vendor, { first_name }: { first_name: string }) {
  const hasId = /[02468]$/.test(first_name);
  return ingestHere(vendor, { first_name, ...(hasId && { vendor_lead_id: first_name }) });
}

/** Sets parameters of the running server; null resets one. */
async function setParameters(parameters: Record<string, string | null>): Promise<void> {
  await eventually(20, async () => {
    for (const [name, value] of Object.entries(parameters)) {
      await sql.unsafe(
        `alter system ${value === null ? `reset ${name}` : `set ${name} = '${value}'`}`,
      );
    }
    await sql`select pg_reload_conf()`;
  });
  // Each session reads them before its next statement, if it has been told by then.
  await delay(200);
}

/**
 * Waits until the COMMIT of a call with several leads waits.
 *
 * @param calls how many leads each call has had so far
 * @returns the backend that waits; undefined when all responses were faster
 */
async function waitingCommit(calls: number[], sent: Promise<unknown>): Promise<number | undefined> {
  let isOver = false;
  sent.then(() => isOver = true);
  const transactions = new Set<string>();
  while (!isOver) {
    const waiting = await sql<{ pid: number; xid: string }[]>`
      select pid, backend_xid::text as xid from pg_stat_activity
      where usename = 'authenticator' and state = 'active' and query = 'COMMIT' and backend_xid is not null`;
    for (const { pid, xid } of waiting) {
      transactions.add(xid);
      if (calls[transactions.size - 1]! > 1) return pid;
    }
  }
  return undefined;
}
