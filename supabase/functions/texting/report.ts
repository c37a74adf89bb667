import type { LogFields } from "../_shared/log.ts";

/** Logs and counts an error that ends nothing else. */
export type Report = (error: unknown, fields: LogFields) => void;
