import { createApp, type Routes } from "../_shared/app.ts";
import { health } from "../_shared/health.ts";
import { openApi } from "../_shared/openapi_route.ts";
import { work } from "./work.ts";

export const routes: Routes = {
  "/work": { POST: work },
  "/health": { GET: health },
  "/openapi.json": { GET: openApi },
};

export default { fetch: createApp("/texting", routes).fetch };
