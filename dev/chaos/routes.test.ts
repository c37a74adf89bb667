import assert from "node:assert/strict";
import { join } from "node:path";
import { ROOT } from "../local/mod.ts";
import { OTHER_ROUTES, SENT_ROUTES } from "./routes.ts";

const { paths } = JSON.parse(Deno.readTextFileSync(join(ROOT, "supabase/functions/_shared/openapi.json")));
const documented = Object.entries<object>(paths).flatMap(([path, operations]) =>
  Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`)
);

Deno.test("every route is part of the traffic of chaos, or it is said why not", () => {
  const sent: readonly string[] = SENT_ROUTES;
  const unknown = documented.filter((route) => !sent.includes(route) && !OTHER_ROUTES.some(([one]) => one.test(route)));
  assert.deepEqual(unknown, [], "add requests in dev/chaos/traffic.ts, or the reason in dev/chaos/routes.ts");
  assert.deepEqual(sent.filter((route) => !documented.includes(route)), []);
});
