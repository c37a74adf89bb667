/**
 * The local stack as its user sees it: npm scripts in a copy of the checkout, beside the stack that `npm test` itself has
 * started. One story in steps, because every start takes seconds.
 */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { type IncomingMessage, request as httpRequest } from "node:http";
import { join } from "node:path";
import { Checkout, type ScriptRun } from "../testing/checkout.ts";
import { examples } from "./examples.ts";
import { freePorts, isPortFree } from "./ports.ts";
import { connect } from "./postgres.ts";
import { type ProcessRecord, signal, startTime } from "./processes.ts";
import type { StackInfo } from "./stack_info.ts";

Deno.test("the life of a local stack", async (test) => {
  const checkout = new Checkout();
  const dataDir = join(checkout.root, "data");
  const [port, dbPort, otherPort, otherDbPort] = freePorts(4) as [number, number, number, number];
  const here = ["--port", `${port}`, "--db-port", `${dbPort}`, "--data-dir", "data"];
  let run: ScriptRun;
  let stack: StackInfo;
  let first: StackInfo;
  let isGood = true;
  // A step builds on those before it.
  const step = async (name: string, run: () => void | Promise<void>) => {
    isGood &&= await test.step(name, run);
  };

  try {
    await step("npm start says where it is, in stack.json too", async () => {
      run = checkout.run("start", ...here);
      first = stack = await checkout.ready(run, dataDir);
      assert.deepEqual(Object.keys(stack).sort(), [
        "anon_key",
        "api_url",
        "db_url",
        "functions_url",
        "jwt_secret",
        "leads_import_api_key",
        "publishable_key",
        "secret_key",
        "service_role_key",
        "twilio_auth_token",
        "vendors",
      ]);
      assert.equal(stack.functions_url, `http://127.0.0.1:${port}/functions/v1`);
      assert.equal(Deno.statSync(join(dataDir, "stack.json")).mode! & 0o777, 0o600);
      await until(() => run.output().includes("Ctrl-C stops it"));
      for (const { command } of examples(stack)) assert.ok(run.output().includes(command));
    });

    await step("a key in apikey alone makes the role, and none is refused", async () => {
      const rows = async (query: string, headers: Record<string, string>) => {
        const response = await fetch(`${stack.api_url}/rest/v1/vendors?select=slug${query}`, {
          headers,
        });
        return response.ok
          ? (await response.json()).length
          : (await response.text(), response.status);
      };
      assert.ok(await rows("", { apikey: stack.secret_key }) > 0);
      assert.ok(await rows(`&apikey=${stack.secret_key}`, {}) > 0);
      assert.ok(await rows("", { apikey: stack.service_role_key }) > 0);
      const secret = `Bearer ${stack.secret_key}`;
      assert.ok(await rows("", { apikey: stack.secret_key, authorization: secret }) > 0);
      const serviceRole = `Bearer ${stack.service_role_key}`;
      assert.ok(await rows("", { apikey: stack.publishable_key, authorization: serviceRole }) > 0);
      assert.equal(await rows("", { apikey: "sb_secret_wrong" }), 401);
      assert.equal(await rows("", {}), 401);
    });

    await step("a method that no request object can have is refused", async () => {
      const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
      httpRequest(`${stack.functions_url}/recruiting/ingest`, { method: "TRACE" }, resolve)
        .on("error", reject).end();
      const { statusCode, headers } = (await promise).resume();
      assert.deepEqual([statusCode, headers.allow], [405, "GET, POST, OPTIONS"]);
    });

    await step("storage gives back every byte of a large object", async () => {
      const bytes = crypto.getRandomValues(new Uint8Array(65_536));
      const body = new Blob(Array.from({ length: 150 }, () => bytes), { type: "application/pdf" });
      const url = `${stack.api_url}/storage/v1/object/resumes/test/large.pdf`;
      const headers = { apikey: stack.secret_key };
      const stored = await fetch(url, { method: "POST", headers, body });
      assert.equal(stored.status, 200, await stored.text());
      const read = await (await fetch(url, { headers })).bytes();
      assert.deepEqual(read, await body.bytes());
    });

    await step("serving auth and storage has given nobody a right in public", async () => {
      const sql = connect(stack.db_url);
      const granted = await sql`
        select relname from pg_class
        where relnamespace = 'public'::regnamespace and relkind = 'r'
          and has_table_privilege('anon', oid, 'select, insert, update, delete')`;
      await sql.end();
      assert.deepEqual([...granted], []);
    });

    await step("a second start names what is in its way and starts nothing", async () => {
      const sameFolder = checkout.run("start", "--port", `${otherPort}`, "--data-dir", "data");
      const samePort = checkout.run("start", "--port", `${port}`, "--data-dir", "data2");
      const ports = ["--port", `${otherPort}`, "--db-port", `${dbPort}`];
      const sameDbPort = checkout.run("start", ...ports, "--data-dir", "data3");
      const codes = await Promise.all([sameFolder.ended, samePort.ended, sameDbPort.ended]);
      assert.deepEqual(codes, [1, 1, 1]);
      assert.match(sameFolder.output(), /running already with the data folder .*\/data\./);
      assert.match(samePort.output(), new RegExp(`Port ${port} is in use.*--port`));
      assert.match(sameDbPort.output(), new RegExp(`Port ${dbPort} is in use.*--db-port`));
      assert.deepEqual(Array.from(Deno.readDirSync(join(checkout.root, "data2"))), []);
    });

    await step("a wrong option is named", async () => {
      const unknown = checkout.run("start", "--prot", "1");
      const bad = checkout.run("start", "--port", "none");
      assert.deepEqual(await Promise.all([unknown.ended, bad.ended]), [2, 2]);
      assert.match(unknown.output(), /Unknown option '--prot'/);
      assert.match(bad.output(), /--port must be a port number from 1 to 65535, not "none"/);
    });

    await step("reset refuses while the stack runs", async () => {
      const reset = checkout.run("reset", "--data-dir", "data");
      assert.equal(await reset.ended, 1);
      assert.match(reset.output(), /is running/);
      assert.ok(existsSync(join(dataDir, "postgres")));
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
      await sql.end();
      for (const name of ["postgrest", "postgres"]) {
        Deno.kill(pidOf(dataDir, name), "SIGKILL");
        await until(() => run.output().includes(`${name} is back.`));
        assert.match(run.output(), new RegExp(`${name} was ended by SIGKILL`));
        await until(async () => await countKept(stack) === 1);
      }
    });

    await step("nothing outlives a launcher that is killed", async () => {
      const processes = running(dataDir);
      assert.ok(processes.length >= 4);
      Deno.kill(Number(Deno.readTextFileSync(join(dataDir, "lock"))), "SIGKILL");
      await until(() => !processes.some(isAlive));
      await run.ended;
      assert.ok(!existsSync(join(dataDir, "stack.json")));
    });

    await step("the next start has the data and the keys of before", async () => {
      run = checkout.run("start", ...here);
      stack = await checkout.ready(run, dataDir);
      assert.deepEqual(stack, first);
      assert.equal(await countKept(stack), 1);
    });

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
      run = checkout.run("start", ...ports, "--data-dir", "data");
      await until(() => running(dataDir).some(({ name }) => name === "lite"));
      const processes = running(dataDir);
      Deno.kill(-run.pid, "SIGINT");
      Deno.kill(-run.pid, "SIGINT");
      await run.ended;
      await until(() => isPortFree(otherPort) && isPortFree(otherDbPort));
      assert.deepEqual(processes.filter(isAlive), []);
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

/** Waits until the condition holds. */
async function until(
  holds: () => boolean | undefined | Promise<boolean | undefined>,
): Promise<void> {
  const deadline = Date.now() + 15_000;
  while (!await holds()) {
    if (Date.now() > deadline) throw new Error(`not within 15 s: ${holds}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
