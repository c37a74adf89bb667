import * as z from "zod";

/** A number of things, or an index into a list. */
export const count = z.int().nonnegative();

/** An id that the service has made. */
export const id = z.string().meta({ format: "uuid" });
