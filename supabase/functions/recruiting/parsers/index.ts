import { generic } from "./generic.ts";
import { indeed } from "./indeed.ts";
import type { Parser } from "./parser.ts";

/** The parsers, by the name that `vendors.parser` holds. */
export const PARSERS: Readonly<Record<string, Parser>> = { generic, indeed };
