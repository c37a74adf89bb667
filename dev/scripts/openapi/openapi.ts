import * as z from "zod";
import type { NamedSchemas, Operation } from "./operation.ts";

const openApi = z.looseObject({ openapi: z.string(), paths: z.looseObject({}) })
  .describe("An OpenAPI document.");

/** The routes take no body. */
export const requestSchemas: NamedSchemas = {};

/** Response schemas of the routes below. */
export const responseSchemas: NamedSchemas = { OpenApi: openApi };

/** The route of each function that has this document. */
export const operations: Operation[] = [
  { path: "/recruiting/openapi.json", id: "recruitingOpenApi" },
  { path: "/api/openapi.json", id: "apiOpenApi" },
  { path: "/texting/openapi.json", id: "textingOpenApi" },
].map(({ path, id }) => ({
  method: "get",
  path,
  id,
  summary: "This document",
  security: [],
  responses: {
    200: {
      description: "The document of all routes",
      schema: openApi,
      examples: { beginning: { summary: "How it begins", value: { openapi: "3.1.0", paths: {} } } },
    },
  },
  errors: [],
}));
