import assert from "node:assert/strict";
import { aboutOf, titleOf } from "./trouble_words.ts";

const alert = { kind: "a_kind", subject: "subject", name: "name", problem: "", details: {} };
const nameOf = (slug: string) => slug === "talroo" ? "Talroo" : slug;

Deno.test("what an alert is about has its kind only where it is not plain", () => {
  const about = (name: string, given = {}) => aboutOf({ ...alert, name, ...given }, nameOf);
  assert.equal(about("vendor talroo", { subject: "talroo" }), "Talroo");
  assert.equal(about("agency Summit Life"), "Summit Life");
  assert.equal(about("conversation 1a2b3c4d of Summit Life"), "Summit Life");
  assert.equal(about("number +12125550100 of Summit Life"), "(212) 555-0100 of Summit Life");
  assert.equal(about("order 1a2b3c4d of Summit Life"), "Summit Life");
  const key = { kind: "key_expires", subject: "talroo" };
  assert.equal(about("vendor talroo", { ...key, details: { prefix: "lik_5" } }), "Key lik_5…");
  assert.equal(about("vendor talroo", key), "", "its title says it");
});

Deno.test("a title says what is wrong, of whom, and why where that is known, but no time since when", () => {
  const title = (problem: string, kind = "a_kind", details = {}, because?: string) =>
    titleOf({ ...alert, subject: "talroo", kind, problem, details }, nameOf, because);
  const at = "Nov 2, 2026, 2:13 PM UTC";
  const waits = `a recruit waits for an answer since ${at}`;
  assert.equal(title(waits, "recruit_waiting"), "A recruit waits for an answer");
  assert.equal(title(waits, "recruit_waiting", {}, "Zane waits for Tom"), "Zane waits for Tom");
  const held = `2 texts have waited for more than 48 hours, the first written ${at}`;
  assert.equal(title(held, "texts_held", { texts: 2 }), "2 texts have waited for more than 48 hours");
  assert.equal(
    title(held, "texts_held", { texts: 2 }, "Nevada is closed"),
    "2 texts held for over 48 hours: Nevada is closed",
  );
  const rejected = `14 rejected deliveries, the first ${at}`;
  assert.equal(title(rejected, "deliveries_rejected", { deliveries: 14 }), "14 deliveries of Talroo rejected");
  assert.equal(
    title(rejected, "deliveries_rejected", { deliveries: 1 }, "no name"),
    "1 delivery of Talroo rejected: no name",
  );
  assert.equal(title(`3 leads without an order, the first since ${at}`), "3 leads without an order");
  assert.equal(title(`ended ${at}, 5 of 10 leads short`, "order_stalled"), "Order ended, 5 of 10 leads short");
  assert.equal(title("is full, with 128 leads", "order_filled"), "Order full: 128 leads");
  assert.equal(title("paused, so its texts wait", "number_paused"), "Number paused, so its texts wait");
  assert.equal(title("of its last 100 texts, 1 failed", "texts_failing"), "Of the last 100 texts, 1 failed");
  assert.equal(title(`has sent no lead since ${at}`, "vendor_silent"), "Talroo has sent no lead");
  const expires = (days: number, what = "api key") =>
    title(`its api key lik_5 expires ${at}`, "key_expires", {
      ...{ what, expires_at: new Date(Date.now() + days * 86_400_000 + 60_000).toISOString() },
    });
  assert.equal(expires(5), "Talroo’s API key expires in 5 days");
  assert.equal(expires(-2, "webhook secret"), "Talroo’s webhook secret has expired");
});
