import assert from "node:assert/strict";
import { join } from "node:path";
import { ROOT } from "../local/mod.ts";
import { stack } from "../testing/shared_stack.ts";
import { reportTable } from "./report.ts";

// The modules imported here read stack.json. Other files of the program have stacks of their own.
Deno.env.set("STACK_FILE", stack.file);
const { runChaos } = await import("./run.ts");
Deno.env.delete("STACK_FILE");

const openapi: { paths: Record<string, object> } = JSON.parse(
  Deno.readTextFileSync(join(ROOT, "supabase/functions/_shared/openapi.json")),
);

Deno.test("chaos: of 400 requests during 4 faults none is lost, doubled, orphaned or wrongly charged", async () => {
  Deno.env.set("STACK_FILE", stack.file);
  const report = await runChaos({
    gateways: [stack.api_url, await stack.addGateway()],
    requests: 400,
    faults: 4,
    only: ["Postgres is killed", "PostgREST stands still", "the functions are killed", "the distribution lock is held"],
    rate: 30,
    seconds: 1.5,
    seed: 1,
    say: () => {},
  }).finally(() => Deno.env.delete("STACK_FILE"));
  const table = reportTable(report);
  assert.equal(report.findings.map(({ kind, what }) => `${kind}: ${what}`).join("\n"), "", table);
  // Each fault has been felt.
  for (const [fault, name] of report.faults.entries()) {
    const during = report.sent.filter((one) => one.fault === fault);
    assert(during.length >= 5, `${name}\n${table}`);
  }
});

Deno.test("chaos: each route that stores what it gets is among the requests", () => {
  const routes = Object.entries(openapi.paths).flatMap(([path, methods]) => "post" in methods ? [path] : []);
  const traffic = Deno.readTextFileSync(new URL("traffic.ts", import.meta.url));
  // It does what the others have stored.
  assert.deepEqual(routes.filter((path) => !traffic.includes(`"POST ${path}": [`)), ["/worker/run"]);
});
