/** The door of the local stack: what the scripts, the tests and the benchmarks may use of it. */
export { type Example, examples } from "./commands/examples.ts";
export { launch, type Launched } from "./commands/launcher.ts";
export { readPort, type StackLocation } from "./commands/options.ts";
export { readableLine, say } from "./commands/terminal.ts";
export { readOptions } from "./command_line.ts";
export { emptyDataDir } from "./empty.ts";
export { HOSTED_DENO, POSTGRES_HOME, ROOT, SUPABASE_CLI, TYPESCRIPT } from "./paths.ts";
export { type Ran, runToEnd } from "./program.ts";
export { freePorts, keptPorts } from "./processes/ports.ts";
export { bootstrapFiles } from "./database/bootstrap.ts";
export { connect, postgresPart, prepareCluster } from "./database/postgres.ts";
export { MAIL_FOLDER, mailFile } from "./lite/mail_folder.ts";
export { roleKey } from "./secrets.ts";
export { litePart } from "./services.ts";
export { LocalStack, type StackOptions } from "./stack.ts";
export { readPublicUrl, readStackInfo, type StackInfo, stackInfoFile, type VendorInfo } from "./stack_info.ts";
export { Supervisor } from "./processes/supervisor.ts";
export { notifyAgents, Scheduler } from "./scheduler.ts";
