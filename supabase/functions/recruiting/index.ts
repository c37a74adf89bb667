import { createApp, type Routes } from "../_shared/app.ts";
import { health } from "../_shared/health.ts";
import { openApi } from "../_shared/openapi_route.ts";
import { ingest } from "./ingest/ingest.ts";
import { ingestBulk } from "./ingest/bulk.ts";
import { workFetches } from "./fetches/work.ts";
import { metrics } from "./metrics/metrics.ts";
import { smsInbound } from "./sms/inbound.ts";
import { smsStatus } from "./sms/status.ts";
import { respondToWebhookChallenge, webhook } from "./webhooks/webhook.ts";

export const routes: Routes = {
  "/ingest": { POST: ingest },
  "/ingest/bulk": { POST: ingestBulk },
  "/webhooks/:slug": { POST: webhook, GET: respondToWebhookChallenge },
  "/fetches/work": { POST: workFetches },
  "/sms/inbound": { POST: smsInbound },
  "/sms/status": { POST: smsStatus },
  "/metrics": { GET: metrics },
  "/health": { GET: health },
  "/openapi.json": { GET: openApi },
};

export default { fetch: createApp("/recruiting", routes).fetch };
