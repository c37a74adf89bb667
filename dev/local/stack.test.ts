/**
 * The local stack as its user sees it: npm scripts in a copy of the checkout, beside the stack that `npm test` itself
 * has started. One story in steps, because every start takes seconds.
 */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createClient } from "@supabase/supabase-js";
import { Checkout, type ScriptRun } from "../testing/checkout.ts";
import { TwilioDouble } from "../testing/twilio/double.ts";
import { examples } from "./commands/examples.ts";
import { isPortFree, keptPorts } from "./processes/ports.ts";
import { connect } from "./database/postgres.ts";
import { type ProcessRecord, signal, startTime } from "./processes/leftovers.ts";
import type { StackInfo } from "./stack_info.ts";

Deno.test("the life of a local stack", async (test) => {
  const checkout = new Checkout();
  // The step `desk` serves the whole one, which takes seconds to build.
  const page = '<html><head><meta charset="utf-8"><title>Desk</title></head></html>';
  for (const name of ["index", "presentation"]) Deno.writeTextFileSync(join(checkout.root, `desk/${name}.html`), page);
  const double = await TwilioDouble.start();
  const dataDir = join(checkout.root, "data");
  // As a folder is that somebody has made beforehand.
  Deno.mkdirSync(dataDir);
  Deno.chmodSync(dataDir, 0o755);
  const [port, dbPort, otherPort, otherDbPort] = keptPorts(4) as [number, number, number, number];
  const here = ["--port", `${port}`, "--db-port", `${dbPort}`, "--data-dir", "data"];
  let run: ScriptRun;
  let stack: StackInfo;
  let first: StackInfo;
  /** The request that `npm start` prints. */
  let command: string;
  const inShell = async (line: string) => {
    const { stdout } = await new Deno.Command("sh", { args: ["-e", "-c", line], cwd: checkout.root }).output();
    return new TextDecoder().decode(stdout);
  };
  let isGood = true;
  // A step builds on those before it.
  const step = async (name: string, run: () => void | Promise<void>) => {
    isGood &&= await test.step(name, run);
  };

  try {
    await step("what fails while it starts is named with its log", async () => {
      const path = join(checkout.root, "supabase/seed.sql");
      const seed = Deno.readTextFileSync(path);
      Deno.writeTextFileSync(path, `${seed}\nselect 1 / 0;\n`);
      run = checkout.run("start", ...here);
      assert.equal(await run.ended, 1);
      assert.match(
        run.output(),
        /migrations ended with code 1.*migrations\.log[^]*division by zero/,
      );
      assert.ok(!existsSync(join(dataDir, "stack.json")));
      Deno.writeTextFileSync(path, seed);
    });

    await step("the next npm start goes on, and says where it is, in stack.json too", async () => {
      run = checkout.npm("start", "--", ...here);
      first = stack = await checkout.ready(run, dataDir);
      assert.equal(
        Object.keys(stack).sort().join(),
        "anon_key,api_url,db_url,functions_url,jwt_secret,leads_import_api_key,publishable_key,secret_key," +
          "service_role_key,twilio_auth_token,vendors,worker_key",
      );
      assert.equal(stack.functions_url, `http://127.0.0.1:${port}/functions/v1`);
      assert.ok(stack.vendors.some(({ slug }) => slug === "generic"));
      assert.equal(Deno.statSync(join(dataDir, "stack.json")).mode! & 0o777, 0o600);
      assert.equal(Deno.statSync(dataDir).mode! & 0o777, 0o700, "though it was there and open");
    });

    await step("npm start prints a short table, one command and where the rest is", async () => {
      await until(() => run.output().includes("Ctrl-C stops it"));
      const [first, second] = examples(stack);
      assert.ok(run.output().includes(first!.command));
      assert.ok(!run.output().includes(second!.command));
      for (const key of ["api_url", "db_url", "leads_import_api_key", "publishable_key"] as const) {
        assert.ok(run.output().includes(stack[key]), key);
      }
      assert.match(run.output(), /^ {2}export DATA_DIR='data'$/m);
      const own = run.output().slice(run.output().indexOf("Starting Postgres"));
      assert.doesNotMatch(own, /warn|experimental|deprecat|^\w+ +\| /im);
      assert.ok(own.split("\n").length < 36, own);
      const [, desk] = /^ {2}Desk +(\S+)$/m.exec(own)!;
      assert.match(await (await fetch(desk!)).text(), /<title>Desk<\/title>/);
    });

    await step("check finds nothing in the seed, and the printed command's lead is the printed agent's", async () => {
      checkout.env.DATA_DIR = "data";
      const check = checkout.run("admin", "check");
      delete checkout.env.DATA_DIR;
      assert.equal(await check.ended, 0, check.output());
      assert.match(check.output(), /^All is well\.$/m);

      const printed = run.output();
      [command] = /^curl [^]*?[^\\]$/m.exec(printed)!;
      const { id, status } = JSON.parse(await inShell(command));
      assert.equal(status, "created");
      const [, email] = /^ {4}as an agent +(\S+)$/m.exec(printed)!;
      const [, password] = /^ {4}password +(\S+)$/m.exec(printed)!;
      const agent = createClient(stack.api_url, stack.publishable_key, { auth: { autoRefreshToken: false } });
      await agent.auth.signInWithPassword({ email: email!, password: password! });
      const { data } = await agent.from("recruiting_leads").select("id,first_name").eq("id", id);
      assert.deepEqual(data, [{ id, first_name: "Ada" }]);
    });

    await step("each request is one readable line with a time", async () => {
      const id = "a-request-of-the-test";
      for (const path of ["/functions/v1/recruiting/ingest", "/rest/v1/agents"]) {
        const headers = { "x-request-id": id };
        await (await fetch(stack.api_url + path, { method: "POST", headers })).body?.cancel();
      }
      const time = /^\d\d:\d\d:\d\d /.source;
      await until(() =>
        new RegExp(`${time}POST /recruiting/ingest 401 \\d+ ms.* request_id=${id}$`, "m")
          .test(run.output())
      );
      await until(() => new RegExp(`${time}POST /rest/v1/agents 401 \\d+ ms`, "m").test(run.output()));
      const log = Deno.readTextFileSync(join(dataDir, "logs/gateway.log"));
      assert.ok(log.split("\n").some((line) => line.startsWith("{") && line.includes(id)));
    });

    await step("a text that nothing is set up to send is queued", async () => {
      const sql = connect(stack.db_url);
      await sql`
        with agency as (
          insert into public.agencies (name, timezone) values ('texting', 'UTC') returning id
        ), number as (
          insert into public.service_numbers (phone, agency_id)
          select '+12025550100', id from agency
        )
        insert into public.recruiting_conversations (agency_id, recruit_phone, service_phone, last_message_at)
        select id, '+12025550101', '+12025550100', now() from agency`;
      await sql`
        select private.queue_text(id, 'agent', 'Hi', '[]', null)
        from public.recruiting_conversations where recruit_phone = '+12025550101'`;
      await sql.end();
    });

    await step("npm run status prints every key and command, and --json stack.json", async () => {
      const [status, json, none] = [
        checkout.run("status", "--data-dir", "data"),
        checkout.run("status", "--data-dir", "data", "--json"),
        checkout.run("status", "--data-dir", "data2"),
      ];
      assert.deepEqual(await Promise.all([status.ended, json.ended, none.ended]), [0, 0, 1]);
      const { vendors, ...values } = stack;
      for (const value of Object.values(values)) assert.ok(status.output().includes(value), value);
      for (const { api_key } of vendors) assert.ok(status.output().includes(api_key));
      for (const { command } of examples(stack)) assert.ok(status.output().includes(command));
      const printed = json.output();
      assert.deepEqual(JSON.parse(printed.slice(printed.indexOf("{"))), stack);
      assert.match(none.output(), /No stack is running .*npm start.*export DATA_DIR=/);
    });

    await step("a second start names what is in its way and starts nothing, and reset refuses", async () => {
      const sameFolder = checkout.run("start", "--port", `${otherPort}`, "--data-dir", "data");
      const samePort = checkout.run("start", "--port", `${port}`, "--data-dir", "data2");
      const shared = join(checkout.root, "shared");
      Deno.mkdirSync(shared);
      Deno.chmodSync(shared, 0o1777);
      const sharedFolder = checkout.run("start", "--data-dir", "shared");
      const reset = checkout.run("reset", "--data-dir", "data");
      const codes = await Promise.all([sameFolder, samePort, sharedFolder, reset].map(({ ended }) => ended));
      assert.deepEqual(codes, [1, 1, 1, 1]);
      assert.match(reset.output(), /is running/);
      assert.ok(existsSync(join(dataDir, "postgres")));
      assert.match(sharedFolder.output(), /shared with other users.*--data-dir/);
      assert.equal(Deno.statSync(shared).mode! & 0o1777, 0o1777);
      assert.match(sameFolder.output(), /running already with the data folder .*\/data\./);
      assert.match(samePort.output(), new RegExp(`Port ${port} is in use.*--port`));
      assert.deepEqual(Array.from(Deno.readDirSync(join(checkout.root, "data2"))), []);
    });

    await step("a wrong option is named, and one that npm takes for its own is explained", async () => {
      const [bad, kept] = [checkout.run("start", "--port", "none"), checkout.npm("start", "--port", `${otherPort}`)];
      assert.deepEqual(await Promise.all([bad.ended, kept.ended]), [2, 2]);
      assert.match(bad.output(), /'none' is invalid\. It must be a port number from 1 to 65535/);
      assert.match(kept.output(), new RegExp(`npm start -- --port ${otherPort}\n`));
    });

    await step("a function is served as it is now, and a broken one breaks alone", async () => {
      const folder = join(checkout.root, "supabase/functions/hello");
      const write = (code: string) => Deno.writeTextFileSync(join(folder, "index.ts"), code);
      const answer = async (path = "hello") => {
        const response = await fetch(`${stack.functions_url}/${path}`).catch(() => null);
        return response && `${response.status} ${await response.text()}`;
      };
      Deno.mkdirSync(folder);
      write(
        `export default { fetch: (request: Request) => new Response(new URL(request.url).pathname) };`,
      );
      await until(async () => await answer("hello/a?b") === "200 /hello/a");
      write("export default {");
      await until(async () => (await answer())?.startsWith("503 "));
      assert.match((await answer("recruiting/ingest"))!, /^405 /);
      write(`export default { fetch: () => new Response("again") };`);
      await until(async () => await answer() === "200 again");
      assert.match((await answer("nothing"))!, /^404 .*NOT_FOUND/);
    });

    await step("a part that is killed comes back", async () => {
      const sql = connect(stack.db_url);
      await sql`insert into public.agencies (name, timezone) values ('kept', 'UTC')`;
      await sql`
        insert into public.vendors (slug, name, parser)
        values ('of-an-operator', 'Made after the start', 'generic')`;
      await sql.end();
      for (const name of ["postgrest", "postgres"]) {
        Deno.kill(pidOf(dataDir, name), "SIGKILL");
        await until(() => run.output().includes(`${name} is back.`));
        assert.match(run.output(), new RegExp(`${name} was ended by SIGKILL`));
        await until(async () => await countKept(stack) === 1);
      }
    });

    await step("connections that are cut are made anew, and no part ends", async () => {
      const processes = running(dataDir);
      const headers = { apikey: stack.secret_key, authorization: `Bearer ${stack.service_role_key}` };
      const isServed = async (path: string) => {
        const response = await fetch(stack.api_url + path, { headers });
        await response.body?.cancel();
        return response.status === 200;
      };
      for (let cut = 0; cut < 3; cut++) {
        const sql = connect(stack.db_url);
        await sql`
          select pg_terminate_backend(pid) from pg_stat_activity
          where pid <> pg_backend_pid() and backend_type = 'client backend'`;
        await sql.end();
        for (const path of ["/auth/v1/health", "/storage/v1/bucket", "/rest/v1/agencies?name=eq.kept"]) {
          await until(() => isServed(path));
        }
      }
      assert.deepEqual(running(dataDir), processes);
      assert.doesNotMatch(run.output(), /lite (was )?ended/);
    });

    await step("npm start says once that a text waits, and what is missing", async () => {
      await until(() => run.output().includes("TWILIO_ACCOUNT_SID is not set"));
      assert.equal(run.output().split("TWILIO_ACCOUNT_SID is not set").length, 2);
    });

    await step("nothing outlives a launcher that is killed", async () => {
      const parts = ["gateway", "lite", "postgres", "postgrest"];
      assert.deepEqual(running(dataDir).map(({ name }) => name).sort(), parts);
      const processes = running(dataDir);
      Deno.kill(Number(Deno.readTextFileSync(join(dataDir, "lock"))), "SIGKILL");
      await until(() => !processes.some(isAlive));
      await run.ended;
      assert.ok(!existsSync(join(dataDir, "stack.json")));
    });

    await step(
      "a copy of the data folder in its place has the data and the keys of before, as docs/operations.md says",
      async () => {
        await inShell("cp -a data backup; rm -rf data; mv backup data");
        const { TWILIO_AUTH_TOKEN: _, ...settings } = double.settings;
        Object.assign(checkout.env, settings);
        run = checkout.npm("start", "--", ...here);
        stack = await checkout.ready(run, dataDir);
        assert.deepEqual(stack, first);
        assert.equal(await countKept(stack), 1);
        assert.equal(JSON.parse(await inShell(command)).status, "created", "the vendor's key works");
      },
    );

    await step("a text that waited is sent once Twilio is set up", async () => {
      await until(() => double.sentTo("+12025550101").length === 1);
    });

    await step(
      "a restart gives no key to a vendor of an operator, and nobody a right that was taken back",
      async () => {
        assert(stack.vendors.every(({ slug }) => slug !== "of-an-operator"));
        const sql = connect(stack.db_url);
        const keys = await sql`
        select from public.vendor_api_keys join public.vendors on vendors.id = vendor_id
        where slug = 'of-an-operator'`;
        assert.equal(keys.length, 0);
        await sql.unsafe(`
        create table public.made_later (id int generated always as identity);
        create function public.made_later() returns int language sql return 1`);
        const [rights] = await sql`
        select
          has_table_privilege('anon', 'public.made_later', 'select') as "table",
          has_sequence_privilege('anon', 'public.made_later_id_seq', 'usage') as "sequence",
          has_function_privilege('anon', 'public.made_later()', 'execute') as "function",
          (
            select count(*)::integer from pg_class
            where relnamespace = 'public'::regnamespace and relkind = 'r'
              and has_table_privilege('anon', oid, 'select, insert, update, delete')
          ) as tables`;
        await sql.unsafe("drop table public.made_later; drop function public.made_later()");
        await sql.end();
        assert.deepEqual({ ...rights }, { table: false, sequence: false, function: false, tables: 0 });
      },
    );

    await step("SIGTERM to npm leaves nothing behind", async () => {
      const processes = running(dataDir);
      Deno.kill(run.pid, "SIGTERM");
      await run.ended;
      assert.deepEqual(processes.filter(isAlive), []);
      assert.ok(isPortFree(port) && isPortFree(dbPort));
      for (const name of ["stack.json", "lock", "processes.json"]) {
        assert.ok(!existsSync(join(dataDir, name)), name);
      }
    });

    await step("Ctrl-C while it starts, pressed twice, leaves nothing behind either", async () => {
      const ports = ["--port", `${otherPort}`, "--db-port", `${otherDbPort}`];
      run = checkout.npm("start", "--", ...ports, "--data-dir", "data");
      await until(() => running(dataDir).some(({ name }) => name === "lite"));
      const processes = running(dataDir);
      Deno.kill(-run.pid, "SIGINT");
      Deno.kill(-run.pid, "SIGINT");
      await run.ended;
      await until(() => isPortFree(otherPort) && isPortFree(otherDbPort));
      assert.deepEqual(processes.filter(isAlive), []);
    });

    await step("an edited migration that was applied is refused with what to do", async () => {
      const folder = join(checkout.root, "supabase/migrations");
      const [name] = Array.from(Deno.readDirSync(folder), ({ name }) => name).sort();
      Deno.writeTextFileSync(join(folder, name!), "-- edited\n", { append: true });
      const start = checkout.run("start", ...here);
      assert.equal(await start.ended, 1);
      assert.match(start.output(), new RegExp(`${name} has changed .*npm run migration.* npm run reset`));
    });

    await step("reset empties the data folder", async () => {
      const reset = checkout.run("reset", "--data-dir", "data");
      assert.equal(await reset.ended, 0);
      assert.match(reset.output(), /Emptied/);
      assert.deepEqual(Array.from(Deno.readDirSync(dataDir)), []);
    });
  } finally {
    signal(-run!.pid, "SIGTERM");
    await run!.ended;
    checkout.remove();
    await double.stop();
  }
});

async function countKept(stack: StackInfo): Promise<number> {
  const response = await fetch(`${stack.api_url}/rest/v1/agencies?name=eq.kept`, {
    headers: { apikey: stack.secret_key },
  });
  const rows = await response.json();
  return response.ok ? rows.length : -1;
}

function running(dataDir: string): ProcessRecord[] {
  try {
    return JSON.parse(Deno.readTextFileSync(join(dataDir, "processes.json")));
  } catch {
    return [];
  }
}

function pidOf(dataDir: string, name: string): number {
  return running(dataDir).find((process) => process.name === name)!.pid;
}

function isAlive({ pid, started }: ProcessRecord): boolean {
  return startTime(pid) === started;
}

/** Waits until the condition holds, for a minute at most: a busy machine starts parts slowly. */
async function until(
  holds: () => boolean | undefined | Promise<boolean | undefined>,
): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (!await holds()) {
    if (Date.now() > deadline) throw new Error(`not within a minute: ${holds}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
