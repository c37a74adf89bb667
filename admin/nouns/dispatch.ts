import type postgres from "postgres";
import type { AdminCommand } from "../command.ts";
import { valueOf } from "../database.ts";
import { CommandError } from "../errors.ts";
import { findById } from "../find.ts";
import { lists } from "../lists.ts";
import { choice, LIMIT, ONLY_AGENCY, text } from "../options.ts";
import type { Outcome, Session } from "../session.ts";
import { formatFields } from "../table.ts";

/** The seconds that a test may take: the scheduler calls the worker every 10 s, and a receiver has 15 s to respond. */
const TEST_WITHIN_S = 40;

const STATES = ["waiting", "sending", "delivered", "rejected", "failed", "cancelled"];

export function addDispatch(program: AdminCommand): void {
  const dispatch = program.noun("dispatch", "what was sent to destinations, and what came back; kept for 30 days");
  dispatch.verb("list", "dispatches, the newest first", "--destination crm --state failed")
    .takes(text("--destination <destination>", "only those to it; its name or its id"), ONLY_AGENCY)
    .takes(text("--lead <lead>", "only those about this lead"), choice("--state <state>", "only these", STATES), LIMIT)
    .runs(lists("dispatch_list", {
      order: "seq desc",
      none: "Nothing like that was sent.",
      isOfPersons: true,
      shown: ({ id, created_at, destination, event, lead_id, first_name, state, attempt, due_at, status, reason }) => ({
        ...{ id, created_at, destination, event, lead_id, first_name, state, attempt },
        due_at: state === "waiting" ? due_at : null,
        ...{ status, reason },
      }),
    }));

  const show = "a dispatch with its event; by its id, or the first 8 characters of it";
  dispatch.verb("show <dispatch>", show, "5f0c6a3e").runs(showDispatch);

  dispatch.verb("retry <dispatch...>", "sends again at once what has failed or was rejected", "5f0c6a3e")
    .runs(retryDispatches);
}

async function showDispatch({ sql }: Session, given: string): Promise<Outcome> {
  const dispatch = await findDispatch(sql, given);
  const shown = await valueOf<Record<string, unknown>>(sql`select public.show_dispatch(${dispatch.id})`);
  const { body, seq: _, ...fields } = shown;
  return {
    data: shown,
    text: `${formatFields(fields)}\n\n${body === null ? "Its event is not kept." : JSON.stringify(body, null, 2)}`,
    shows: { dispatch_id: dispatch.id },
  };
}

async function retryDispatches({ sql, act }: Session, given: string[]): Promise<Outcome> {
  const dispatches = await Promise.all(given.map((each) => findDispatch(sql, each)));
  const dispatch_ids = dispatches.map(({ id }) => id);
  const count = await act(
    (transaction) => valueOf<number>(transaction`select public.retry_dispatches(${dispatch_ids}::uuid[])`),
    (count) => count > 0 ? { dispatch_ids } : null,
  );
  const others = dispatches.length - count;
  return {
    data: { retried: count },
    text: `Sends again: ${count}.${
      others > 0 ? ` Neither failed nor rejected, or the agency no longer has the lead: ${others}.` : ""
    }`,
    failed: count === 0,
  };
}

const findDispatch = (sql: postgres.Sql, given: string) =>
  findById<{ id: string; event: string }>(sql, "dispatch", "dispatch_list", given, ({ event }) => event);

interface Attempted {
  state: string;
  attempt: number;
  status: number | null;
  excerpt: string | null;
  reason: string | null;
}

/**
 * Waits for the first attempt of a dispatch.
 *
 * @returns the receiver's response
 * @throws {CommandError} if the receiver refused it, or nobody has sent it
 */
export async function awaitAttempt({ sql }: Session, dispatchId: string): Promise<Attempted> {
  for (const deadline = Date.now() + TEST_WITHIN_S * 1000; Date.now() < deadline;) {
    const [dispatch] = await sql<Attempted[]>`
      select state, attempt, status, excerpt, reason from public.dispatch_list where id = ${dispatchId}`;
    if (dispatch?.state === "delivered") return dispatch;
    if (
      dispatch?.state === "failed" || dispatch !== undefined && dispatch.attempt > 0 && dispatch.state !== "sending"
    ) {
      throw new CommandError(
        dispatch.reason === "not_configured"
          ? "ALERT_WEBHOOK_URL is not set or not valid (see the log), so nobody is notified of alerts."
          : `The receiver has not taken the test: ${responseOf(dispatch)}`,
      );
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new CommandError(
    `Nobody has sent the test for ${TEST_WITHIN_S} seconds. Does the scheduler call the worker? See docs/hosting.md`,
  );
}

/** What came back, in words. */
export function responseOf({ status, reason, excerpt }: Pick<Attempted, "status" | "reason" | "excerpt">): string {
  return [reason ?? `HTTP ${status}`, excerpt].filter(Boolean).join(", ");
}
