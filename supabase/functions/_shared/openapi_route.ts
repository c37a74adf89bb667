import * as z from "zod";
import type { Operation } from "./operation.ts";
// Imported like this, older versions of the Supabase CLI find the file and deploy it too.
import document from "./openapi.json" with { type: "json" };

const openApiDocument = z.looseObject({ openapi: z.string(), paths: z.looseObject({}) })
  .meta({ id: "OpenApi", description: "An OpenAPI document." });

/** The description of the route of this function. */
export function openApiOperation(name: string): Operation {
  return {
    method: "get",
    path: `/${name}/openapi.json`,
    id: `${name}OpenApi`,
    summary: "This document",
    security: [],
    responses: {
      200: {
        description: "The document of all routes",
        schema: openApiDocument,
        examples: { beginning: ["How it begins", { openapi: "3.1.0", paths: {} }] },
      },
    },
    errors: [],
  };
}

/** `GET /openapi.json` of each function: the OpenAPI document of all routes (`npm run openapi` writes it). */
export function openApi(): Promise<Response> {
  return Promise.resolve(Response.json(document));
}
