import type { AdminCommand } from "../command.ts";
import { valueOf } from "../database.ts";
import { findAgency } from "../find.ts";
import { AGENCY, choice, LIMIT, ONLY_AGENCY, PHONE, text } from "../options.ts";
import { lists } from "../lists.ts";
import type { Outcome, Session } from "../session.ts";

const STATE = choice("--state <state>", "what holds", ["opted_in", "opted_out"]);

/** A consent that somebody else than the recruit records. */
interface Recorded {
  agency: string;
  state: "opted_in" | "opted_out";
  reason: string;
}

export function addConsent(program: AdminCommand): void {
  const consent = program.noun("consent", "whether a recruit may be texted, and why");
  const show = "what a recruit has said to each agency, and what holds now";
  consent.verb("show", show, "+13125550142")
    .addArgument(PHONE)
    .runs(showConsent);

  const list = "what holds for each recruit who has said something, the newest first";
  consent.verb("list", list, "--state opted_out")
    .takes(ONLY_AGENCY, STATE, LIMIT)
    .runs(lists("consent_list", {
      order: "changed_at desc, phone, agency_id",
      none: ({ state }) => `No recruit has ${state?.replace("_", " ") ?? "said anything"}.`,
      isOfPersons: true,
    }));

  consent
    .verb(
      "record",
      "what the recruit has said in another way than by text, with the proof",
      '+13125550142 --agency "Lakeshore Insurance" --state opted_out --reason "by phone, July 1"',
    )
    .addArgument(PHONE)
    .needs(AGENCY, STATE, text("--reason <text>", "when and how it was said"))
    .runs(recordConsent);
}

const nowHolds = lists("consent_list", {
  order: "agency, agency_id",
  none: ({ phone }) => `${phone} has said nothing to any agency.`,
});
const wasSaid = lists("consent_event_list", { order: "occurred_at, created_at, id", none: "" });

async function showConsent(session: Session, phone: string): Promise<Outcome> {
  const { data: consents, text: now } = await nowHolds(session, { phone });
  const { data: events, text: said } = await wasSaid(session, { phone });
  return { data: { phone, consents, events }, text: `${now}\n\n${said}`.trim(), shows: { by: "phone" } };
}

async function recordConsent(
  { sql, confirm, act }: Session,
  phone: string,
  { agency: name, state, reason }: Recorded,
): Promise<Outcome> {
  const agency = await findAgency(sql, name);
  const isOut = await valueOf<boolean>(sql`select private.is_opted_out(${agency.id}, ${phone})`);
  if (isOut && state === "opted_in") {
    await confirm(`${phone} has opted out of texts from "${agency.name}". Has the recruit agreed?`);
  }
  await act(
    (transaction) =>
      transaction`
        select private.record_consent(
          agency_id => ${agency.id}, phone => ${phone}, state => ${state}, source => 'admin',
          reason => ${reason}
        )`,
    async (_, transaction) => ({
      agency_id: agency.id,
      status: state,
      lead_ids: await valueOf<string[]>(transaction`
        select array(
          select l.id from public.recruiting_leads l where l.agency_id = ${agency.id} and l.phone = ${phone} order by l.id
        )`),
    }),
  );
  const what = state === "opted_out" ? "out of" : "in to";
  return {
    data: { phone, agency_id: agency.id, state, reason },
    text: `Recorded: ${phone} has opted ${what} texts from "${agency.name}".`,
  };
}
