import * as z from "zod";
import { GET_ERRORS } from "./description.ts";
import type { Endpoint } from "./app.ts";
// Imported like this, older versions of the Supabase CLI find the file and deploy it too.
import document from "./openapi.json" with { type: "json" };

const openApiDocument = z.looseObject({ openapi: z.string(), paths: z.looseObject({}) })
  .meta({ id: "OpenApi", description: "An OpenAPI document." });

/** `GET /openapi.json` of a function: the OpenAPI document of all routes (`npm run openapi` writes it). */
export function openApiEndpoint(name: string): Endpoint {
  return {
    handler: () => Promise.resolve(Response.json(document)),
    id: `${name}OpenApi`,
    tag: "Documentation",
    summary: "This document",
    description: "Each function serves the document of all functions. Anybody may read it.",
    security: [],
    responses: {
      200: {
        description: "The document of all routes",
        schema: openApiDocument,
        examples: { beginning: ["How it begins", { openapi: "3.1.0", paths: {} }] },
      },
    },
    errors: GET_ERRORS,
  };
}
