import { createApp, type Routes } from "../_shared/app.ts";
import { healthEndpoint } from "../_shared/health.ts";
import { openApiEndpoint } from "../_shared/openapi_route.ts";
import { runEndpoint } from "./run.ts";

export const routes: Routes = {
  "/run": { POST: runEndpoint },
  "/health": { GET: healthEndpoint("worker") },
  "/openapi.json": { GET: openApiEndpoint("worker") },
};

export default { fetch: createApp("/worker", routes).fetch };
