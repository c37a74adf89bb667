import type { AdminCommand } from "../command.ts";
import { CommandError, UsageError } from "../errors.ts";
import { requireOne } from "../find.ts";
import { list, lists } from "../lists.ts";
import { boolean, choice, LIMIT, option } from "../options.ts";
import type { Outcome, Session } from "../session.ts";

/** The seconds that a test may take: a scheduler calls the worker every 10 seconds, and a receiver has 5. */
const TEST_WITHIN_S = 30;

interface Change {
  on?: boolean;
  set?: Record<string, number>;
}

export function addAlert(program: AdminCommand): void {
  const alert = program.noun("alert", "what somebody must know of: found each minute, and told");
  alert.verb("list", "alerts that are not resolved, or others, the newest first", "--state resolved --limit 20")
    .takes(choice("--state <state>", "only these", ["open", "acknowledged", "resolved", "all"]), LIMIT)
    .reads(listAlerts);
  alert.verb(
    "acknowledge <alert>",
    "says that you have it in hand; by its id, or the first 8 characters of it",
    "5f0c6a3e",
  )
    .runs(acknowledgeAlert);
  alert.verb("rule [kind]", "the rules of all kinds, or of one; or changes one", "leads_waiting --set minutes=30")
    .takes(
      boolean("--on <boolean>", "whether the kind is looked for: true or false"),
      option(
        "--set <numbers>",
        "numbers of the rule",
        "numbers above 0, up to a million, such as minutes=30 or percent=95,days=1",
        readNumbers,
      ),
    )
    .refuses((kind: string | undefined, { on, set }: Change) =>
      kind === undefined && (on !== undefined || set !== undefined) && "give the kind whose rule is changed"
    )
    .runs(showOrChangeRule);
  alert.verb("test", "tells the receiver of ALERT_WEBHOOK_URL a test, and shows what it responds").runs(testReceiver);
}

function readNumbers(given: string): Record<string, number> | undefined {
  const pairs = given.split(",").map((pair) => /^\s*(\w+)=(\d+(?:\.\d+)?)\s*$/.exec(pair));
  if (pairs.some((pair) => pair === null || Number(pair[2]) === 0 || Number(pair[2]) > 1_000_000)) return undefined;
  return Object.fromEntries(pairs.map((pair) => [pair![1]!, Number(pair![2])]));
}

const listed = lists("alert_list", {
  order: "opened_at desc, id",
  none: ({ state }) => state === undefined ? "No alert is open." : "There is no such alert.",
  shown: ["id", "opened_at", "kind", "name", "problem", "state"],
});

function listAlerts(session: Session, given: { state?: string; limit?: number }): Promise<Outcome> {
  return listed(session, { ...given, unresolved: given.state === undefined });
}

async function acknowledgeAlert({ sql, act }: Session, given: string): Promise<Outcome> {
  const alerts = await sql<{ id: string; kind: string }[]>`
    select a.id, a.kind from private.id_range(${given}) r
    join public.alerts a on a.id between r.first_id and r.last_id`;
  const alert = requireOne(alerts, "alert", given, ({ kind }) => kind);
  const [acknowledged] = await act(
    (transaction) => transaction`select * from public.acknowledge_alert(${alert.id})`,
    { alert_id: alert.id },
  );
  return { data: acknowledged, text: `The alert ${alert.id} is acknowledged. It is told again when it is resolved.` };
}

async function showOrChangeRule(
  { sql, act }: Session,
  kind: string | undefined,
  { on, set }: Change,
): Promise<Outcome> {
  const read = () =>
    sql<{ kind: string; on: boolean; threshold: Record<string, number> }[]>`
      select kind, is_on as on, threshold from public.alert_rules where ${kind ?? null}::text is null or kind = ${
      kind ?? null
    }
      order by kind`;
  const [rule] = await read();
  if (rule === undefined) {
    throw new UsageError(`<kind>: there is no kind "${kind}". See npm run admin -- alert rule`);
  }
  const unknown = Object.keys(set ?? {}).find((name) => !(name in rule.threshold));
  if (unknown !== undefined) {
    const known = Object.keys(rule.threshold).join(", ") || "none";
    throw new UsageError(`--set: "${unknown}" is no number of ${kind}, which has: ${known}`);
  }
  if (on !== undefined || set !== undefined) {
    await act(
      (transaction) => transaction`select public.set_alert_rule(${kind!}, ${on ?? null}, ${sql.json(set ?? {})})`,
      { kind, changes: { ...(on !== undefined && { is_on: on }), ...set } },
    );
  }
  return list(await read(), "", ({ kind, on, threshold }) => ({
    kind,
    on,
    numbers: Object.entries(threshold).map(([name, number]) => `${name}=${number}`).join(","),
  }));
}

async function testReceiver({ sql, act }: Session): Promise<Outcome> {
  const [test] = await act((transaction) => transaction<{ id: string }[]>`select public.test_alert() as id`, {});
  for (const deadline = Date.now() + TEST_WITHIN_S * 1000; Date.now() < deadline;) {
    const [delivery] = await sql<{ state: string; outcome: string }[]>`
      select state, coalesce(reason, 'HTTP ' || status) as outcome from private.dispatches where id = ${test!.id}`;
    const { state, outcome } = delivery!;
    if (state === "delivered") return { data: { outcome }, text: `The receiver has taken the test: ${outcome}.` };
    if (outcome === "not_configured") {
      throw new CommandError(
        "ALERT_WEBHOOK_URL is not set, or is wrong, which the log says. So nobody is told of alerts.",
      );
    }
    if (state === "failed") throw new CommandError(`The receiver has not taken the test: ${outcome}.`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new CommandError(
    `Nobody has sent the test for ${TEST_WITHIN_S} seconds. Does the scheduler call the worker? See docs/hosting.md`,
  );
}
