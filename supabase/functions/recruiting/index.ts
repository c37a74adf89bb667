import { addRoute, createApp } from "../_shared/app.ts";
import { ingest } from "./ingest.ts";
import { ingestBulk } from "./ingest_bulk.ts";

const app = createApp("/recruiting");

addRoute(app, "/ingest", ingest);
addRoute(app, "/ingest/bulk", ingestBulk);

export default { fetch: app.fetch };
