import assert from "node:assert/strict";
import { Random } from "../testing/random.ts";
import { Applicants, firstNumber, planLeads } from "./plan.ts";

Deno.test("at no time of the day does a start use the id of a lead of the world again", () => {
  const now = new Date();
  const known = new Set(planLeads(new Applicants(new Random(1)), now).map(({ vendor, id }) => `${vendor.slug} ${id}`));
  for (let minute = 0; minute < 24 * 60; minute++) {
    const applicants = new Applicants(new Random(2), firstNumber(now.getTime() + minute * 60_000));
    for (let n = 0; n < 10; n++) {
      const { vendor, id } = applicants.next();
      assert.ok(!known.has(`${vendor.slug} ${id}`), `${vendor.slug} ${id}`);
    }
  }
});
