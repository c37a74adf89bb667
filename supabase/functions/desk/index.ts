import { createApp, type Route, type Routes } from "../_shared/app.ts";
import { healthEndpoint } from "../_shared/health.ts";
import { openApiEndpoint } from "../_shared/openapi_route.ts";
import { invite } from "./invitations.ts";
import { previewMapping, saveMapping } from "./mappings.ts";
import { getPushKey } from "./push_key.ts";
import { replayDeliveries } from "./replay.ts";

// The page may be on any site. The route reads no cookies: the user's token is sent in a header.
const cors: Route["cors"] = {
  origin: "*",
  allowMethods: ["POST"],
  allowHeaders: ["apikey", "authorization", "content-type", "x-client-info", "x-request-id"],
  exposeHeaders: ["retry-after", "x-request-id"],
  maxAge: 86_400,
};

export const routes: Routes = {
  "/deliveries/replay": { POST: replayDeliveries, cors },
  "/invitations": { POST: invite, cors },
  "/mappings": { POST: saveMapping, cors },
  "/mappings/preview": { POST: previewMapping, cors },
  "/push-key": { GET: getPushKey, cors: { ...cors, allowMethods: ["GET"] } },
  "/health": { GET: healthEndpoint("desk") },
  "/openapi.json": { GET: openApiEndpoint("desk") },
};

// The responses contain personal data, so they must not be cached.
export default { fetch: createApp("/desk", routes, { "cache-control": "no-store" }).fetch };
