import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import assert from "node:assert/strict";
import { renderToStaticMarkup } from "react-dom/server";
import { Router } from "wouter";
import type { WantedLeads } from "../data/operator_rows.ts";
import { Remedy } from "./remedy.tsx";

type State = WantedLeads["states"][number];

function textOf(of: Partial<State>): string {
  const html = renderToStaticMarkup(
    <QueryClientProvider client={new QueryClient()}>
      <Router ssrPath="/">
        <Remedy of={{ state: "TX", wanted: 0, order: null, ...of }} whose="all vendors" act={() => Promise.resolve()} />
      </Router>
    </QueryClientProvider>,
  );
  return html.replace(/<dialog.*<\/dialog>/, "").replaceAll(/<[^>]*>/g, "");
}

Deno.test("what brings the waiting leads of a state nearer to an agency is one act, by what holds them", () => {
  const order = { id: "1", agency: "Prairie Life", wants_state: true, status: "open" } as NonNullable<State["order"]>;
  assert.equal(textOf({ wanted: 3, order }), "Distribute now");
  assert.equal(textOf({}), "New order for TX");
  assert.equal(textOf({ state: null }), "New order for any state");
  assert.equal(textOf({ order: { ...order, wants_state: false } }), "New order for TX");
  assert.equal(textOf({ order: { ...order, status: "paused" } }), "Open the order of Prairie Life");
  assert.equal(textOf({ order: { ...order, obstacle: "filled" } }), "Raise the order of Prairie Life");
  assert.equal(
    textOf({ order: { ...order, obstacle: "has got its 5 leads of today" } }),
    "Raise the order of Prairie Life",
  );
  assert.equal(textOf({ order: { ...order, obstacle: "nobody" } }), "Change the order of Prairie Life");
});
