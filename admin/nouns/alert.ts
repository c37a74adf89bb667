import type { AdminCommand } from "../command.ts";
import { valueOf } from "../database.ts";
import { UsageError } from "../errors.ts";
import { findById } from "../find.ts";
import { list, lists } from "../lists.ts";
import { boolean, choice, LIMIT, option } from "../options.ts";
import type { Outcome, Session } from "../session.ts";
import { awaitAttempt, responseOf } from "./dispatch.ts";

interface Change {
  on?: boolean;
  set?: Record<string, number>;
}

export function addAlert(program: AdminCommand): void {
  const alert = program.noun("alert", "conditions that somebody must act on: looked for each minute, and sent");
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
  alert.verb("test", "sends a test to the receiver of ALERT_WEBHOOK_URL, and shows its response").runs(testReceiver);
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
  const alert = await findById<{ id: string; kind: string }>(sql, "alert", "alerts", given, ({ kind }) => kind);
  const [acknowledged] = await act(
    (transaction) => transaction`select * from public.acknowledge_alert(${alert.id})`,
    { alert_id: alert.id },
  );
  return {
    data: acknowledged,
    text: `The alert ${alert.id} is acknowledged. The next notification comes when it is resolved.`,
  };
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

async function testReceiver(session: Session): Promise<Outcome> {
  const id = await session.act((transaction) => valueOf<string>(transaction`select public.test_alert()`), {});
  const outcome = responseOf(await awaitAttempt(session, id));
  return { data: { outcome }, text: `The receiver has taken the test: ${outcome}.` };
}
