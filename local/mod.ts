/** The door of the local stack: what the scripts, the tests and the benchmarks may use of it. */
export { examples } from "./examples.ts";
export { HOSTED_DENO, POSTGRES_HOME, ROOT, SUPABASE_CLI } from "./paths.ts";
export { freePorts } from "./ports.ts";
export { connect, postgresPart, prepareCluster } from "./postgres.ts";
export { GENERATORS } from "./secrets.ts";
export { litePart, postgrestPart } from "./services.ts";
export { readStackInfo, type StackInfo, stackInfoFile, type VendorInfo } from "./stack_info.ts";
export { Supervisor } from "./supervisor.ts";
