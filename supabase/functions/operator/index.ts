import { createApp, type Route, type Routes } from "../_shared/app.ts";
import { health } from "../_shared/health.ts";
import { openApi } from "../_shared/openapi_route.ts";
import { check } from "./check.ts";
import { listDeliveries, listReasons, readPayload } from "./deliveries.ts";
import { handOut } from "./hand_out.ts";
import { replayDeliveries } from "./replay.ts";
import { listUnmatchedTexts } from "./texts.ts";
import { countVendorDays } from "./vendor_days.ts";
import { listWaitingLeads } from "./waiting_leads.ts";

// The page may be on any site. No route reads a cookie: the user's token is sent as a header.
const cors: Route["cors"] = {
  origin: "*",
  allowMethods: ["GET", "POST"],
  allowHeaders: ["apikey", "authorization", "content-type", "x-client-info", "x-request-id"],
  exposeHeaders: ["x-request-id"],
  maxAge: 86_400,
};

export const routes: Routes = {
  "/check": { GET: check, cors },
  "/deliveries": { GET: listDeliveries, cors },
  "/deliveries/reasons": { GET: listReasons, cors },
  "/deliveries/payload": { POST: readPayload, cors },
  "/deliveries/replay": { POST: replayDeliveries, cors },
  "/leads/waiting": { GET: listWaitingLeads, cors },
  "/leads/hand-out": { POST: handOut, cors },
  "/texts/unmatched": { GET: listUnmatchedTexts, cors },
  "/vendors/days": { GET: countVendorDays, cors },
  "/health": { GET: health },
  "/openapi.json": { GET: openApi },
};

// What operators see is of persons: no cache keeps it.
export default { fetch: createApp("/operator", routes, { "cache-control": "no-store" }).fetch };
