import { addRoute, createApp } from "../_shared/app.ts";
import { health } from "../_shared/health.ts";
import { openApi } from "../_shared/openapi_route.ts";
import { work } from "./work.ts";

export const app = createApp("/texting");

addRoute(app, "/work", work);
addRoute(app, "/health", health, "GET");
addRoute(app, "/openapi.json", openApi, "GET");

export default { fetch: app.fetch };
