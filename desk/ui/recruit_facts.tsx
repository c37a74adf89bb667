import type { ReactNode } from "react";
import { type RecruitCard, signResumeUrl } from "../data/recruits.ts";
import { useRecordCall } from "../data/timeline.ts";
import { ActionButton } from "./action.tsx";
import { ConsentBadge } from "./consent.tsx";
import { answersOf, type VendorAnswer } from "./vendor_answers.ts";
import { fullName } from "./name.ts";
import { isEmail, isPhone, phoneText } from "./phone.ts";
import { Time } from "./time.tsx";
import { answerOf, JsonFields, JsonValue, labelOf } from "./json_value.tsx";

/** Opens a recruit's resume in a tab of the storage's origin, or downloads one that no browser shows. */
export function ResumeButton({ recruit }: { recruit: RecruitCard }) {
  const { resume_path } = recruit;
  if (resume_path === null) return null;
  if (resume_path.endsWith(".pdf")) {
    return <ActionButton act={() => openInTab(() => signResumeUrl(resume_path, null))}>Open the resume</ActionButton>;
  }
  return (
    <ActionButton act={async () => location.assign(await signResumeUrl(resume_path, fullName(recruit)))}>
      Download the resume
    </ActionButton>
  );
}

/** Opens a tab at once, because a browser opens none after a wait, and sends it to the address. */
async function openInTab(sign: () => Promise<string>): Promise<void> {
  const tab = open("about:blank");
  if (tab === null) throw new Error("The browser has opened no tab. Allow this page to open one.");
  tab.opener = null;
  try {
    tab.location.replace(await sign());
  } catch (error) {
    tab.close();
    throw error;
  }
}

/** Dials the number of a recruit, and records that. The call does not wait for it. */
export function CallLink(
  { id, phone, label, className, children }: {
    id: string;
    phone: string;
    label?: string;
    className?: string;
    children: ReactNode;
  },
) {
  const { mutate: record } = useRecordCall(id);
  return (
    <a
      className={className}
      href={`tel:${phone}`}
      aria-label={label}
      title={label}
      onClick={() => record({ call_id: crypto.randomUUID() })}
    >
      {children}
    </a>
  );
}

/**
 * The facts about a recruit, and the answers. The agent `showsAgent`, unless the page has it elsewhere.
 *
 * @param children what stands between them
 */
export function RecruitFacts({ recruit, showsAgent = false, children }: {
  recruit: RecruitCard;
  showsAgent?: boolean;
  children?: ReactNode;
}) {
  const { phone, email, created_at, resume_path, vendor, agent, screening_answers, consent } = recruit;
  const { answers: given, job_title, submitted_at, is_test, resume_skipped, vendor_fields, ...others } =
    recruit.vendor_metadata;
  const { answers, fields } = answersOf(given, vendor_fields);
  return (
    <div className="columns">
      <dl>
        <Fact name="Phone">
          {phone !== null && isPhone(phone)
            ? <CallLink id={recruit.id} phone={phone}>{phoneText(phone)}</CallLink>
            : phone}
        </Fact>
        <Fact name="Texts">{consent !== null && <ConsentBadge consent={consent} />}</Fact>
        <Fact name="E-mail">
          {email !== null && isEmail(email) ? <a href={`mailto:${email}`}>{broken(email)}</a> : email}
        </Fact>
        <Fact name="Location">{placeOf(recruit)}</Fact>
        <Fact name="Job">{text(job_title)}</Fact>
        {showsAgent && <Fact name="Agent">{agent !== null && <bdi>{agent}</bdi>}</Fact>}
        <Fact name="Vendor">
          <bdi>{vendor}</bdi>
        </Fact>
        <Fact name="Received">
          <Time at={created_at} />
        </Fact>
        <Fact name="Applied">{isTime(submitted_at) && <Time at={submitted_at} />}</Fact>
        <Fact name="Resume">
          {resume_path === null && resume_skipped !== undefined && "the vendor sent one that could not be kept"}
        </Fact>
        <Fact name="Test">{is_test === true && "a test lead of the vendor"}</Fact>
      </dl>
      <div>
        {children}
        {screening_answers.length > 0 && (
          <section>
            <h2>Screening answers</h2>
            <dl className="values">
              {screening_answers.map(({ question, value, said }) => (
                <div key={question}>
                  <dt>{labelOf(question)}</dt>
                  <dd>
                    {answerOf(value)} <q className="quiet">{said}</q>
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        )}
        <VendorAnswers answers={answers} />
        <OtherFields metadata={others} fields={fields} />
      </div>
    </div>
  );
}

/** An address, which a line without room for it breaks before its @. */
function broken(email: string): ReactNode {
  const at = email.lastIndexOf("@");
  return (
    <>
      {email.slice(0, at)}
      <wbr />
      {email.slice(at)}
    </>
  );
}

/** A fact, where there is one. */
function Fact({ name, children }: { name: string; children: ReactNode }) {
  if (!children) return null;
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}

/** The recruit's answers to the vendor's questions. */
function VendorAnswers({ answers }: { answers: VendorAnswer[] }) {
  if (answers.length === 0) return null;
  return (
    <section>
      <h2>Application answers</h2>
      <dl className="values">
        {answers.map(({ question, answer }, place) => (
          <div key={place}>
            <dt>{question}</dt>
            <dd>{answer === null ? "not answered" : <JsonValue value={answer} />}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** The fields that stand at the top of the card, or are another form of what stands there. */
const KNOWN = ["first_name", "last_name", "full_name", "phone", "phone_raw", "email", "state", "state_raw"];
const PLACE = ["address", "city", "zip"];

/** The other fields that the vendor has sent. */
function OtherFields({ metadata, fields }: { metadata: Record<string, unknown>; fields: object }) {
  const rest = Object.entries(metadata).filter(([key]) => !KNOWN.includes(key) && !PLACE.includes(key));
  const all = { ...Object.fromEntries(rest), ...fields };
  if (Object.keys(all).length === 0) return null;
  return (
    <section>
      <h2>Other details</h2>
      <JsonFields fields={all} />
    </section>
  );
}

function placeOf({ state, vendor_metadata: { address, city, zip, state_raw } }: RecruitCard): string {
  return [text(address), text(city), [state ?? text(state_raw), text(zip)].join(" ").trim()].filter(Boolean).join(", ");
}

function text(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

function isTime(value: unknown): value is string {
  return typeof value === "string" && !Number.isNaN(Date.parse(value));
}
