import { examples } from "./examples.ts";
import type { StackInfo } from "./stack_info.ts";

/** What a started stack prints: where it is, its keys, and requests to paste. */
export function banner(
  stack: StackInfo,
  dataDir: string,
  seconds: number,
  publicUrl?: string,
): string {
  const rows = [
    ["API", stack.api_url],
    ["Functions", stack.functions_url],
    ["Database", stack.db_url],
    ["Publishable key", stack.publishable_key],
    ["Secret key", stack.secret_key],
    ["Anon key", stack.anon_key],
    ["Service role key", stack.service_role_key],
    ["Leads import key", stack.leads_import_api_key],
    ["Twilio auth token", stack.twilio_auth_token],
    ...stack.vendors.map(({ slug, api_key }) => [`Vendor ${slug}`, api_key]),
    ["Logs and data", dataDir],
  ];
  return [
    "",
    ...rows.map(([name, value]) => `  ${name!.padEnd(20)} ${value}`),
    ...examples(stack, publicUrl).flatMap(({ route, title, command }) => [
      "",
      `# ${title} (${route})`,
      command,
    ]),
    "",
    `Ready in ${seconds.toFixed(1)} s. Ctrl-C stops it.`,
  ].join("\n");
}
