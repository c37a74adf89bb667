import assert from "node:assert/strict";
import { aboutOf, problemOf } from "./trouble_words.ts";

const alert = { kind: "a_kind", subject: "subject", name: "name", problem: "", details: {} };

Deno.test("what an alert is about has its kind only where it is not plain", () => {
  const about = (name: string, subject = "subject") =>
    aboutOf({ ...alert, name, subject }, (slug) => slug === "talroo" ? "Talroo" : slug);
  assert.equal(about("vendor talroo", "talroo"), "Talroo");
  assert.equal(about("agency Summit Life"), "Summit Life");
  assert.equal(about("conversation 1a2b3c4d of Summit Life"), "Summit Life");
  assert.equal(about("number +12125550100 of Summit Life"), "(212) 555-0100 of Summit Life");
  assert.equal(about("order 1a2b3c4d of Summit Life"), "Order 1a2b3c4d of Summit Life");
});

Deno.test("what is wrong has no time, which stands beside it, and no count that goes on", () => {
  const problem = (problem: string, kind = "a_kind", details = {}) => problemOf({ ...alert, kind, problem, details });
  const at = "Nov 2, 2026, 2:13 PM UTC";
  assert.equal(problem(`a recruit waits for an answer since ${at}`), "a recruit waits for an answer");
  assert.equal(
    problem(`2 texts have waited for more than 48 hours, the first written ${at}`),
    "2 texts have waited for more than 48 hours",
  );
  assert.equal(problem(`14 rejected deliveries, the first ${at}`), "14 rejected deliveries");
  assert.equal(problem(`3 texts not sent, the first due ${at}`), "3 texts not sent");
  assert.equal(problem(`3 leads without an order, the first since ${at}`), "3 leads without an order");
  assert.equal(
    problem(`not sent since ${at}: the provider refuses the login`),
    "not sent: the provider refuses the login",
  );
  assert.equal(problem(`ended ${at}, 5 of 10 leads short`), "ended, 5 of 10 leads short");
  assert.equal(problem("has 126 of its 128 leads", "order_nearly_filled"), "has nearly all of its 128 leads");
  const expires = (days: number) =>
    problem(`its api key lik_5 expires ${at}`, "key_expires", {
      expires_at: new Date(Date.now() + days * 86_400_000 + 60_000).toISOString(),
    });
  assert.equal(expires(5), "its API key lik_5 expires in 5 days");
  assert.equal(expires(-2), "its API key lik_5 has expired");
});
