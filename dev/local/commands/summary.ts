import { relative } from "node:path";
import { type Example, examples } from "./examples.ts";
import { MAIL_FOLDER } from "../lite/mail_folder.ts";
import { ROOT } from "../paths.ts";
import type { StackInfo } from "../stack_info.ts";

/** Logins of the seed. */
const LOGINS = [
  ["  as an agent", "james.okafor@example.com"],
  ["  as a manager", "dana.whitfield@example.com"],
  ["  as an operator", "olivia.park@example.com"],
  ["  password", "lead-intake-local"],
];

/** The addresses and keys for a first request, that request, and where to find the rest. */
export function shortSummary(stack: StackInfo, dataDir: string, publicUrl: string): string {
  const [first] = examples(stack, publicUrl);
  const folder = shorten(dataDir);
  return [
    table([
      ["API", stack.api_url],
      ["Functions", stack.functions_url],
      ["Database", stack.db_url],
      ["Desk", `${stack.api_url}/desk/`],
      ...LOGINS,
      ...vendorRows(stack).slice(0, 1),
      ["Leads import key", stack.leads_import_api_key],
      ["Publishable key", stack.publishable_key],
      ["Secret key", stack.secret_key],
      ["Logs", `${folder}/logs`],
      ["E-mails", `${folder}/${MAIL_FOLDER}`],
    ]),
    command(first!),
    ...(folder === ".local" ? [] : [`In every other terminal, first:\n\n  export DATA_DIR=${quoted(folder)}`]),
    "Every key, and a command for the six main routes: npm run status",
  ].join("\n\n");
}

/** Every address and key, and a ready-to-paste command for each main route. */
export function fullSummary(stack: StackInfo, dataDir: string, publicUrl: string): string {
  return [
    table([
      ["API", stack.api_url],
      ["Functions", stack.functions_url],
      ["Public address", publicUrl],
      ["Database", stack.db_url],
      ["Desk", `${stack.api_url}/desk/`],
      ...LOGINS,
      ["Publishable key", stack.publishable_key],
      ["Secret key", stack.secret_key],
      ["Anon key", stack.anon_key],
      ["Service role key", stack.service_role_key],
      ["JWT secret", stack.jwt_secret],
      ["Leads import key", stack.leads_import_api_key],
      ["Twilio auth token", stack.twilio_auth_token],
      ["Worker key", stack.worker_key],
      ...vendorRows(stack),
      ["Logs", `${shorten(dataDir)}/logs`],
      ["E-mails", `${shorten(dataDir)}/${MAIL_FOLDER}`],
    ]),
    ...examples(stack, publicUrl).map(command),
  ].join("\n\n");
}

/** The variables that the commands in the docs need, as a shell reads them. */
export function shellVariables(stack: StackInfo): string {
  const [generic] = stack.vendors.filter(({ parser }) => parser === "generic");
  return Object.entries({
    BASE_URL: stack.functions_url,
    SUPABASE_URL: stack.api_url,
    VENDOR_API_KEY: generic?.api_key ?? "",
    LEADS_IMPORT_API_KEY: stack.leads_import_api_key,
    SUPABASE_PUBLISHABLE_KEY: stack.publishable_key,
  }).map(([name, value]) => `export ${name}=${quoted(value)}`).join("\n");
}

/** A value as a shell reads it. */
function quoted(value: string): string {
  return `'${value.replaceAll("'", `'\\''`)}'`;
}

function vendorRows({ vendors }: StackInfo): string[][] {
  const generic = vendors.filter(({ parser }) => parser === "generic");
  return [...new Set([...generic, ...vendors])]
    .map(({ slug, api_key }) => [`Vendor ${slug}`, api_key]);
}

function table(rows: string[][]): string {
  const width = Math.max(...rows.map(([name]) => name!.length));
  return rows.map(([name, value]) => `  ${name!.padEnd(width)}  ${value}`).join("\n");
}

function command({ route, title, command }: Example): string {
  return `# ${title} (${route})\n${command}`;
}

function shorten(path: string): string {
  const short = relative(ROOT, path);
  return short.startsWith("..") ? path : short;
}
