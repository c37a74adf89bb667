import { createApp, type Routes } from "../_shared/app.ts";
import { health } from "../_shared/health.ts";
import { openApi } from "../_shared/openapi_route.ts";
import { importLeads } from "./import_leads.ts";
import { logPresentationActivity } from "./log_presentation_activity.ts";

// The pop-out may be on any site. sendBeacon sends a JSON Blob with credentials, and then a browser refuses `*` and
// requires the origin's name. This is safe, because the route reads no cookies.
const cors: Routes[string]["cors"] = {
  origin: (origin) => origin,
  credentials: true,
  allowMethods: ["POST"],
  allowHeaders: [
    ...["apikey", "authorization", "content-type", "idempotency-key", "x-client-info", "x-request-id"],
    // Tools that trace a page's requests add these by themselves. Without them the browser would refuse to send.
    ...["traceparent", "tracestate", "baggage", "sentry-trace"],
  ],
  exposeHeaders: ["retry-after", "x-request-id"],
  maxAge: 86_400,
};

export const routes: Routes = {
  "/leads/import": { POST: importLeads },
  // The only route that browsers call.
  "/leads/log-presentation-activity": { POST: logPresentationActivity, cors },
  "/health": { GET: health },
  "/openapi.json": { GET: openApi },
};

export default { fetch: createApp("/api", routes).fetch };
