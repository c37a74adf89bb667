import assert from "node:assert/strict";
import { splitLeads } from "./index.ts";

const ANN = { id: "1", first_name: "Ann" };
const BEN = { id: "2", first_name: "Ben" };

Deno.test("every parser reads a list as several leads", () => {
  const split = splitLeads("generic", [ANN, BEN], null);
  assert.deepEqual(split?.leads, [ANN, BEN]);
  assert.equal(split.parse(BEN).data?.first_name, "Ben");
});

Deno.test("a body that is not a list is one lead", () => {
  assert.equal(splitLeads("generic", { leads: [ANN, BEN] }, null), null);
  assert.equal(splitLeads("unknown", [ANN, BEN], null), null);
});
