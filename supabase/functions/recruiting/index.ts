import { addRoute, createApp } from "../_shared/app.ts";
import { health } from "../_shared/health.ts";
import { openApi } from "../_shared/openapi_route.ts";
import { ingest } from "./ingest/ingest.ts";
import { ingestBulk } from "./ingest/ingest_bulk.ts";
import { smsInbound } from "./sms/inbound.ts";
import { smsStatus } from "./sms/status.ts";
import { respondToWebhookChallenge, webhook } from "./webhooks/webhook.ts";

export const app = createApp("/recruiting");

addRoute(app, "/ingest", ingest);
addRoute(app, "/ingest/bulk", ingestBulk);
addRoute(app, "/webhooks/:slug", webhook);
addRoute(app, "/webhooks/:slug", respondToWebhookChallenge, "GET");
addRoute(app, "/sms/inbound", smsInbound);
addRoute(app, "/sms/status", smsStatus);
addRoute(app, "/health", health, "GET");
addRoute(app, "/openapi.json", openApi, "GET");

export default { fetch: app.fetch };
