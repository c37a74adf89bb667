import type { AdminCommand } from "../command.ts";
import type { Outcome, Session } from "../session.ts";

export function addCheck(program: AdminCommand): void {
  program.verb("check", "what is wrong now, a line each, and exit code 1 when something is")
    .runs(checkService);
}

async function checkService({ sql }: Session): Promise<Outcome> {
  const findings = await sql`select * from public.check_service()`;
  const lines = findings.map(({ kind, name, problem, command }) =>
    `${kind} ${name}: ${problem}. npm run admin -- ${command}`.replace(
      /[\p{Cc}\u2028\u2029]+/gu,
      " ",
    )
  );
  return {
    data: findings,
    text: lines.join("\n") || "All is well.",
    failed: findings.length > 0,
  };
}
