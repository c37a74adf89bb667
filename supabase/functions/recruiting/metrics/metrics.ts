import * as z from "zod";
import type { Endpoint, RequestContext } from "../../_shared/app.ts";
import { callDatabase } from "../../_shared/database.ts";
import { ApiError } from "../../_shared/errors.ts";
import { bearerToken, matchesSecret, secretsFromEnv } from "../../_shared/secrets.ts";
import { exposition, type Sample } from "./exposition.ts";

/** The response as text. */
const metricsText = z.string().meta({ id: "Metrics" });

export const metricsEndpoint: Endpoint = {
  handler: metrics,
  tag: "Monitoring",
  id: "readMetrics",
  summary: "Monitor: read the figures of the service",
  description: "In the text format of Prometheus. Nothing in it is of a person. Not found where no METRICS_KEY is set.",
  security: ["metricsKey"],
  responses: {
    200: {
      description: "One line for each series",
      text: {
        schema: metricsText,
        examples: {
          leads: [
            "The first lines",
            "# HELP lead_intake_leads_total Leads by vendor: created, duplicate, or rejected.\n" +
            "# TYPE lead_intake_leads_total counter\n" +
            'lead_intake_leads_total{result="created",vendor="talroo"} 4711\n',
          ],
        },
      },
    },
  },
  errors: ["UNAUTHORIZED", "NOT_FOUND", "INTERNAL_ERROR"],
};

/** GET /recruiting/metrics: the metrics of the service in the text format of Prometheus. */
async function metrics({ request }: RequestContext): Promise<Response> {
  const keys = secretsFromEnv("METRICS_KEY");
  // The same response as for an unknown path: without a configured key, the route does not exist.
  if (keys.length === 0) throw new ApiError("NOT_FOUND", "there is no such path");
  if (!matchesSecret(bearerToken(request) ?? "", keys)) {
    throw new ApiError("UNAUTHORIZED", "send METRICS_KEY as `Authorization: Bearer`", {
      headers: { "WWW-Authenticate": 'Bearer realm="metrics"' },
    });
  }
  const samples: Sample[] = await callDatabase("read_metrics", {});
  return new Response(exposition(samples), {
    headers: { "content-type": "text/plain; version=0.0.4; charset=utf-8", "cache-control": "no-store" },
  });
}
