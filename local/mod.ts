/** The door of the local stack: what the scripts, the tests and the benchmarks may use of it. */
export { examples } from "./examples.ts";
export { HOSTED_DENO, POSTGRES_HOME, ROOT, SUPABASE_CLI } from "./paths.ts";
export { freePorts } from "./ports.ts";
export { connect } from "./postgres.ts";
export { GENERATORS } from "./secrets.ts";
export { postgrestPart } from "./services.ts";
export { readStackInfo, type StackInfo, stackInfoFile, type VendorInfo } from "./stack_info.ts";
