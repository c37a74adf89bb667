/** The routes that the traffic is made of: {@link Traffic} has requests for each. */
export const SENT_ROUTES = [
  "POST /recruiting/ingest",
  "POST /recruiting/ingest/bulk",
  "POST /recruiting/webhooks/{slug}",
  "POST /recruiting/sms/inbound",
  "POST /recruiting/sms/status",
  "POST /api/leads/import",
  "POST /api/leads/log-presentation-activity",
] as const;
export type SentRoute = typeof SENT_ROUTES[number];

/** The other routes, and why no fault is tried while they are asked. */
export const OTHER_ROUTES: [route: RegExp, why: string][] = [
  [/^GET \/\w+\/(?:health|openapi\.json)$/, "It stores nothing. After each fault the health is asked."],
  [/^GET \/recruiting\/metrics$/, "It counts what is stored, which the account of chaos does as well."],
  [/^GET \/recruiting\/webhooks\/\{slug\}$/, "It stores nothing."],
  [/^\w+ \/operator\//, "Few people use it, and each call says what it has done."],
  [/^POST \/(?:texting|recruiting\/fetches)\/work$/, "e2e/texting kills workers and loses their responses."],
];
