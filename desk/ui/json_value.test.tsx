import assert from "node:assert/strict";
import { renderToStaticMarkup } from "react-dom/server";
import { JsonFields } from "./json_value.tsx";
import { Utc } from "./time.tsx";

Deno.test("JSON is read by people, a question first, and is text alone", () => {
  const fields = {
    campaign: "<i>spring</i>",
    Test_Lead: true,
    nothing: null,
    empty: { also: "" },
    states: ["TX", null, "OK"],
    nested: [{ answer: 5, question: "How many?" }],
    applied: "2020-07-29T08:00:00Z",
    day: "2026-07-29",
    visited_at: "2020-07-29T08:00:00.123Z",
    source_time: "2026-07-29 08:00:00",
    appliedOnMillis: 1596009600123,
  };
  const html = renderToStaticMarkup(
    <Utc value>
      <JsonFields fields={fields} />
    </Utc>,
  );
  assert.deepEqual(html.split(/<[^>]+>/).map((text) => text.replace(/\s/g, " ")).filter(Boolean), [
    ...["Campaign", "&lt;i&gt;spring&lt;/i&gt;", "Test lead", "Yes", "States", "TX, OK"],
    ...["Nested", "Question", "How many?", "Answer", "5"],
    ...["Applied", "Jul 29, 2020, 8:00 AM UTC", "Day", "Jul 29, 2026", "Visited at", "Jul 29, 2020, 8:00 AM UTC"],
    ...["Source time", "Jul 29, 2026, 8:00 AM", "Applied on millis", "Jul 29, 2020, 8:00 AM UTC"],
  ]);
});
