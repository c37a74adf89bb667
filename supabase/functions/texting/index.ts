import { createApp, type Routes } from "../_shared/app.ts";
import { healthEndpoint } from "../_shared/health.ts";
import { openApiEndpoint } from "../_shared/openapi_route.ts";
import { workEndpoint } from "./work.ts";

export const routes: Routes = {
  "/work": { POST: workEndpoint },
  "/health": { GET: healthEndpoint("texting") },
  "/openapi.json": { GET: openApiEndpoint("texting") },
};

export default { fetch: createApp("/texting", routes).fetch };
