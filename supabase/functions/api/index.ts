import { cors } from "hono/cors";
import { addRoute, createApp } from "../_shared/app.ts";
import { health } from "../_shared/health.ts";
import { openApi } from "../_shared/openapi_route.ts";
import { importLeads } from "./import_leads.ts";
import { logPresentationActivity } from "./log_presentation_activity.ts";

export const app = createApp("/api");

// The only route that browsers call. The pop-out may be on any site. sendBeacon sends a JSON Blob with credentials, and
// then a browser refuses `*` and requires the origin's name. This is safe, because the route reads no cookies.
app.use(
  "/leads/log-presentation-activity",
  cors({
    origin: (origin) => origin,
    credentials: true,
    allowMethods: ["POST"],
    allowHeaders: [
      ...["apikey", "authorization", "content-type", "idempotency-key"],
      ...["x-client-info", "x-request-id"],
    ],
    exposeHeaders: ["retry-after", "x-request-id"],
    maxAge: 86_400,
  }),
);

addRoute(app, "/leads/import", importLeads);
addRoute(app, "/leads/log-presentation-activity", logPresentationActivity);
addRoute(app, "/health", health, "GET");
addRoute(app, "/openapi.json", openApi, "GET");

export default { fetch: app.fetch };
