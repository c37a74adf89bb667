import assert from "node:assert/strict";
import { renderToStaticMarkup } from "react-dom/server";
import { ago, Time, Utc, ZoneInTitle } from "./time.tsx";

Deno.test("a time names the year and the zone, and has the whole of it on request", () => {
  const html = renderToStaticMarkup(
    <Utc value>
      <Time at="2020-02-03T16:05:00Z" />
    </Utc>,
  ).replace(/\s/g, " ");
  assert.match(html, /^<time dateTime="2020-02-03T16:05:00Z" title="Monday, February 3, 2020 at 4:05:00 PM UTC">/);
  assert.match(html, />Feb 3, 2020, 4:05 PM UTC<\/time>$/);
});

Deno.test("a short time of another day is the day alone, and has the whole of it on request", () => {
  const html = renderToStaticMarkup(<Time at="2020-02-03T16:05:00Z" isShort />).replace(/\s/g, " ");
  assert.match(html, /title="\w+day, February [34], 2020 at \d+:\d[05]:00 [AP]M [^"]+">Feb [34], 2020<\/time>$/);
});

Deno.test("in a table a time has its zone in its title alone, and a day", () => {
  const htmlOf = (isUtc: boolean, at = "2020-02-03T16:05:00Z") =>
    renderToStaticMarkup(
      <Utc value={isUtc}>
        <ZoneInTitle value>
          <Time at={at} />
        </ZoneInTitle>
      </Utc>,
    ).replace(/\s/g, " ");
  assert.match(htmlOf(false), /title="[^"]+ [AP]M [^"]+">Feb [34], 2020, \d+:\d[05] [AP]M<\/time>$/);
  assert.match(htmlOf(true), /title="[^"]+ 4:05:00 PM UTC">Feb 3, 2020, 4:05 PM<\/time>$/);
  assert.match(htmlOf(true, new Date().toISOString()), />today, \d+:\d\d [AP]M<\/time>$/);
});

Deno.test("an age is in its largest unit: minutes, hours or days", () => {
  const now = Date.now();
  const words = [0, 59, 60, 24 * 60 - 1, 24 * 60, 47 * 60, 48 * 60].map((minutes) =>
    ago(new Date(now - minutes * 60_000).toISOString(), now)
  );
  assert.deepEqual(words, ["now", "59 min", "1 h", "23 h", "1 day", "1 day", "2 days"]);
});
