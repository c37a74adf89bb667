import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import assert from "node:assert/strict";
import { renderToStaticMarkup } from "react-dom/server";
import { Router } from "wouter";
import type { Notification } from "../data/notifications.ts";
import type { Agent } from "../data/user.ts";
import { BellList } from "./bell_list.tsx";

function about(first_name: string, kind: string, given: Partial<Notification> = {}): Notification {
  return {
    id: first_name,
    kind,
    reason: null,
    urgent: false,
    conversation_id: "c",
    lead_id: null,
    created_at: "2026-11-23T12:00:00Z",
    others: null,
    recruit: { first_name, last_name: "Marsh" },
    by: { first_name: "Omar", last_name: null },
    by_agent_id: "omar",
    isWaiting: false,
    hasNoAgent: false,
    ...given,
  };
}

Deno.test("what asks for something stands first in the bell, after a recruit in danger", () => {
  const unread = [
    // Ben was answered since.
    about("Ben", "recruit_waiting"),
    about("Cleo", "failed", { hasNoAgent: true }),
    about("Finn", "recruit_waiting", { isWaiting: true }),
    about("Ada", "asked_for"),
    about("Maya", "handoff", { reason: "distress", urgent: true }),
  ];
  const html = renderToStaticMarkup(
    <QueryClientProvider client={new QueryClient()}>
      <Router ssrPath="/">
        <BellList agent={{ id: "nora", role: "manager" } as Agent} unread={unread} />
      </Router>
    </QueryClientProvider>,
  );
  const rows = [...html.matchAll(/<li.*?<\/li>/g)].map(([row]) => row);
  const words = rows.map((row) => /<a .*?<\/a>/.exec(row)![0].replace("<small>", " – ").replace(/<[^>]+>/g, ""));
  assert.deepEqual(words.map((row) => row.replace(/ – $/, "")), [
    "Maya Marsh may be in danger. The 988 Suicide &amp; Crisis Lifeline takes calls and texts at 988.",
    "Finn Marsh is waiting for an answer.",
    "Omar asks for the conversation with Ada Marsh.",
    "Ben Marsh is waiting for an answer.",
    "A text to Cleo Marsh could not be sent. – no agent, so it came to you",
  ]);
  assert.deepEqual(rows.map((row) => row.includes("Give it to")), [false, false, true, false, false]);
});
