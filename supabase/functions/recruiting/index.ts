import { createApp, type Routes } from "../_shared/app.ts";
import { healthEndpoint } from "../_shared/health.ts";
import { openApiEndpoint } from "../_shared/openapi_route.ts";
import { ingestEndpoint } from "./ingest/ingest.ts";
import { bulkEndpoint } from "./ingest/bulk.ts";
import { metricsEndpoint } from "./metrics/metrics.ts";
import { inboundEndpoint } from "./sms/inbound.ts";
import { statusEndpoint } from "./sms/status.ts";
import { challengeEndpoint, webhookEndpoint } from "./webhooks/webhook.ts";

export const routes: Routes = {
  "/ingest": { POST: ingestEndpoint },
  "/ingest/bulk": { POST: bulkEndpoint },
  "/webhooks/:slug": { POST: webhookEndpoint, GET: challengeEndpoint },
  "/sms/inbound": { POST: inboundEndpoint },
  "/sms/status": { POST: statusEndpoint },
  "/metrics": { GET: metricsEndpoint },
  "/health": { GET: healthEndpoint("recruiting") },
  "/openapi.json": { GET: openApiEndpoint("recruiting") },
};

export default { fetch: createApp("/recruiting", routes).fetch };
