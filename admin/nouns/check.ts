import type { AdminCommand } from "../command.ts";
import type { Outcome, Session } from "../session.ts";

export function addCheck(program: AdminCommand): void {
  program.verb("check", "what is wrong now, a line each, and exit code 1 unless somebody has it in hand")
    .reads(checkService);
}

/** Looks for alerts at once, whether a scheduler runs or not, and compares the daily counts, which no alert does. */
async function checkService({ sql }: Session): Promise<Outcome> {
  // As the scheduler does it each minute: no operator changes anything by it.
  await sql.begin("read write", (transaction) => transaction`select private.check_alerts()`);
  const alerts = await sql`
    select name, problem, command, state = 'acknowledged' as acknowledged
    from public.alert_list where state <> 'resolved' order by acknowledged, opened_at, kind, name`;
  const counts = await sql`
    select 'order ' || left(order_id::text, 8) as name, 'order recount' as command, false as acknowledged,
      format('the day from %s on is counted as %s leads, and has %s', private.in_utc(starts_at), kept, counted) as problem
    from public.check_daily_counts() order by starts_at, order_id`;
  const findings = [...alerts, ...counts];
  const lines = findings.map(({ name, problem, command, acknowledged }) =>
    `${name}: ${problem}.${acknowledged ? " Acknowledged." : ""} npm run admin -- ${command}`.replace(
      /[\p{Cc}\u2028\u2029]+/gu,
      " ",
    )
  );
  return {
    data: findings,
    text: lines.join("\n") || "All is well.",
    failed: findings.some(({ acknowledged }) => !acknowledged),
  };
}
