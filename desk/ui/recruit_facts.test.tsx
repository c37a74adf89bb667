import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import assert from "node:assert/strict";
import { renderToStaticMarkup } from "react-dom/server";
import type { RecruitCard } from "../data/recruits.ts";
import { RecruitFacts, ResumeButton } from "./recruit_facts.tsx";

const RECRUIT: RecruitCard = {
  id: "00000000-0000-4000-8000-000000000001",
  first_name: "Maya",
  last_name: "Ortiz",
  phone: "+13125550121",
  email: "maya@example.com",
  state: "TX",
  created_at: "2026-01-02T15:04:05Z",
  vendor: "A vendor",
  agent_id: null,
  agent: "Nora Quist",
  stage: "new",
  applications: 1,
  last_text_at: null,
  conversation_id: null,
  waiting_since: null,
  unread: [],
  consent: "none",
  screening: "answered",
  asking: null,
  by_name: "maya ortiz",
  by_phone: "+13125550121",
  by_state: "TX",
  by_vendor: "a vendor",
  by_stage: 1,
  by_agent: "nora quist",
  by_text: "-infinity",
  resume_path: "a/b.pdf",
  vendor_metadata: {
    city: "Austin",
    zip: "78701",
    answers: [{ question: "Are you licensed?", answer: true }, { question: "Since when?", answer: null }],
  },
  screening_answers: [
    { question: "work_type", value: "full_time", said: "All day" },
    { question: "states", value: [], said: "no state" },
  ],
};

function htmlOf(recruit: RecruitCard, isManager: boolean): string {
  return renderToStaticMarkup(
    <QueryClientProvider client={new QueryClient()}>
      <RecruitFacts recruit={recruit} showsAgent={isManager} />
      <ResumeButton recruit={recruit} />
    </QueryClientProvider>,
  );
}

Deno.test("a recruit has facts and answers", () => {
  const html = htmlOf(RECRUIT, true);
  for (
    const words of [
      "Austin, TX 78701",
      "Nora Quist",
      "A vendor",
      "Full time",
      "All day",
      "None",
      "no state",
      "not answered",
      "Open the resume",
    ]
  ) {
    assert.ok(html.includes(words), words);
  }
  assert.match(html, /<a href="tel:\+13125550121">\(312\) 555-0121<\/a>/);
  assert.match(html, /<a href="mailto:maya@example\.com">/);
});

Deno.test("what is no number or address is no link, and an agent reads nothing of agents", () => {
  const unknown = { phone: "call me", email: "javascript:alert(1)", agent: null, resume_path: null };
  const html = htmlOf({ ...RECRUIT, ...unknown, vendor_metadata: {}, screening_answers: [] }, false);
  assert.match(html, /call me.*javascript:alert\(1\)/);
  assert.doesNotMatch(html, /<a |Agent|resume/);
});
