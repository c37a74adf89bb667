import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import assert from "node:assert/strict";
import { renderToStaticMarkup } from "react-dom/server";
import { Router } from "wouter";
import { type RecruitEvent, timelineQueries } from "../data/timeline.ts";
import { RecruitTimeline } from "./recruit_timeline.tsx";
import { Utc } from "./time.tsx";

const AT = "2020-02-03T16:05:00Z";
const TIME = "Feb 3, 2020, 4:05 PM";

/** What the timeline of Ada says of these events. */
function saidOf(events: Partial<RecruitEvent>[]): string[] {
  const client = new QueryClient();
  const rows = events.map((event, n) => ({ id: String(n), at: AT, agent_id: null, agent: null, ...event }));
  client.setQueryData(timelineQueries.list("ada").queryKey, {
    pages: [{ rows: rows as RecruitEvent[], hasMore: false }],
    pageParams: [{ size: 50, last: null }],
  });
  const html = renderToStaticMarkup(
    <QueryClientProvider client={client}>
      <Router ssrPath="/">
        <Utc value>
          <RecruitTimeline id="ada" name="Ada" />
        </Utc>
      </Router>
    </QueryClientProvider>,
  );
  return [...html.matchAll(/<li .*?<\/li>/g)].map(([row]) => {
    const [, words] = /^(.*)<time/s.exec(row.replace(/<select.*?<\/select>/s, ""))!;
    return words!.replace(/<\/p>/g, " ").replace(/<[^>]+>/g, "").replace(/\s+/g, " ").trim();
  });
}

function ours(state: string, given = {}): Partial<RecruitEvent> {
  const details = { conversation_id: "1", body: "Hi", files: 0, by: "bot", state_at: AT, reason: null, until: null };
  return { kind: "text_out", details: { ...details, state, ...given } } as Partial<RecruitEvent>;
}

function theirs(heard: string | null, files = 0): Partial<RecruitEvent> {
  return { kind: "text_in", details: { conversation_id: "1", body: "yes", files, heard } };
}

Deno.test("the timeline tells how far each text has come, and how the bot read the recruit's", () => {
  const said = saidOf([
    ours("delivered"),
    ours("delivered"),
    ours("failed", { reason: "30003" }),
    ours("refused", { reason: "cancelled" }),
    ours("held", { reason: "quiet_hours", until: "2020-02-03T16:05:00Z" }),
    ours("unconfirmed"),
    theirs("bereavement"),
    theirs("early"),
    theirs("opening"),
    theirs("answer", 2),
  ]);
  assert.deepEqual(said, [
    "The bot wrote Hi Delivered",
    "The bot wrote Hi",
    `The bot wrote Hi Failed ${TIME}: the recruit&#x27;s phone is off or out of reach`,
    `The bot wrote Hi Not sent ${TIME}: it was cancelled`,
    `The bot wrote Hi Held until ${TIME}: it was not the hour for texts`,
    `The bot wrote Hi Perhaps sent ${TIME}: the provider has not confirmed it`,
    "Ada wrote yes No answer to the bot: somebody has died",
    "Ada wrote yes No answer to the bot: it came before the question had left",
    "Ada wrote yes The bot asked a question in reply",
    "Ada wrote yes 2 files",
  ]);
});

Deno.test("the timeline tells who has the recruit and the conversation from when on, and who did it", () => {
  const hands = (agent: string | null, from: string | null, to: string | null, given = {}): Partial<RecruitEvent> => ({
    kind: "hands",
    agent,
    agent_id: agent,
    details: { status: "escalated", from, from_agent_id: from, to, to_agent_id: to, reason: null, ...given },
  });
  assert.deepEqual(
    saidOf([
      hands("Nora", "Nora", "Omar"),
      hands("Nora", "Omar", "Nora"),
      hands(null, "Nora", "Omar"),
      hands(null, null, "Nora", { reason: "bereavement" }),
      hands(null, "Omar", null, { status: "bot" }),
      hands("Nora", "Omar", null, { status: "bot" }),
      { kind: "given", details: { from: "Nora", to: "Omar" } },
    ]),
    [
      "Nora gave the conversation to Omar",
      "Nora took the conversation over, from Omar",
      "The conversation went to Omar, from Nora",
      "The conversation went to Nora: somebody has died",
      "The conversation went to the bot",
      "Nora handed the conversation to the bot",
      "Ada went to Omar, from Nora",
    ],
  );
});

Deno.test("the timeline tells what else has happened", () => {
  assert.deepEqual(
    saidOf([
      { kind: "consent", details: { state: "opted_out", source: "keyword", reason: null } },
      { kind: "consent", agent: "Nora", details: { state: "opted_in", source: "admin", reason: "by phone" } },
      { kind: "never_queued", details: { reason: "no_consent" } },
      { kind: "answer", details: { question: "work_type", value: "full_time", said: "all day" } },
      { kind: "stage", details: { stage: "contacted" } },
      { kind: "call", agent: "Nora", details: { call_id: "1", outcome: null } },
      { kind: "note", agent: "Nora", details: { body: "<b>" } },
    ]),
    [
      "Opted out of texts",
      "Opted in to texts, recorded by Nora: by phone",
      "Not greeted: there is no consent to texts",
      "Work type: Full time, said to the bot",
      "The bot set the stage: Contacted",
      "Nora dialled",
      "Nora noted: &lt;b&gt;",
    ],
  );
});
