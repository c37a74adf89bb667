import { cors } from "hono/cors";
import { addRoute, createApp } from "../_shared/app.ts";
import { openApi } from "../_shared/openapi_route.ts";
import { importLeads } from "./import_leads.ts";
import { logPresentationActivity } from "./log_presentation_activity.ts";

const app = createApp("/api");

// The one route that browsers call, from whatever site the pop-out is on; the key and not a cookie is what counts.
app.use(
  "/leads/log-presentation-activity",
  cors({
    origin: "*",
    allowMethods: ["POST"],
    allowHeaders: ["authorization", "x-client-info", "apikey", "content-type", "x-request-id"],
    exposeHeaders: ["x-request-id"],
    maxAge: 86_400,
  }),
);

addRoute(app, "/leads/import", importLeads);
addRoute(app, "/leads/log-presentation-activity", logPresentationActivity);
addRoute(app, "/openapi.json", openApi, "GET");

export default { fetch: app.fetch };
