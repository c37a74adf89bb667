import { createApp, type Routes } from "../_shared/app.ts";
import { healthEndpoint } from "../_shared/health.ts";
import { openApiEndpoint } from "../_shared/openapi_route.ts";
import { importEndpoint } from "./import_leads.ts";
import { activityEndpoint } from "./log_presentation_activity.ts";

// The pop-out may be on any site. sendBeacon sends a JSON Blob with credentials, and browsers then refuse `*` and
// require the explicit origin. This is safe, because the route reads no cookies.
const cors: Routes[string]["cors"] = {
  origin: (origin) => origin,
  credentials: true,
  allowMethods: ["POST"],
  allowHeaders: [
    ...["apikey", "authorization", "content-type", "idempotency-key", "x-client-info", "x-request-id"],
    // Tools that trace a page's requests add these headers automatically. If they were not allowed, the browser would
    // block the request.
    ...["traceparent", "tracestate", "baggage", "sentry-trace"],
  ],
  exposeHeaders: ["retry-after", "x-request-id"],
  maxAge: 86_400,
};

export const routes: Routes = {
  "/leads/import": { POST: importEndpoint },
  // The only route that browsers call.
  "/leads/log-presentation-activity": { POST: activityEndpoint, cors },
  "/health": { GET: healthEndpoint("api") },
  "/openapi.json": { GET: openApiEndpoint("api") },
};

export default { fetch: createApp("/api", routes).fetch };
