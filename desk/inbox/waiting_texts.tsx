import { useLocation } from "wouter";
import { usePages } from "../data/pages.ts";
import type { Agent } from "../data/user.ts";
import { startWithTexts, type WaitingText, waitingTextQueries } from "../data/waiting_texts.ts";
import { ActionButton } from "../ui/action.tsx";
import { countOf } from "../ui/count.ts";
import { LoadMoreButton } from "../ui/load_more_button.tsx";
import { phoneText } from "../ui/phone.ts";
import { ago } from "../ui/time.tsx";

/** Texts of recruits without a conversation, by recruit and our number. Without any there is nothing. */
export function WaitingTexts({ agent }: { agent: Agent }) {
  const query = usePages(waitingTextQueries.list(agent.agency_id));
  const byNumbers = Map.groupBy(
    query.data ?? [],
    ({ recruiting_lead_id, service_phone }) => `${recruiting_lead_id} ${service_phone}`,
  );
  if (byNumbers.size === 0) return null;
  return (
    <section className="waiting-texts" aria-labelledby="waiting-texts">
      <h2 id="waiting-texts">
        Without a conversation{byNumbers.size > 1 && `: ${byNumbers.size}${query.hasNextPage ? "+" : ""}`}
      </h2>
      <ul>
        {[...byNumbers].map(([key, texts]) => <WaitingRecruit key={key} texts={texts} agent={agent} />)}
      </ul>
      <LoadMoreButton query={query} />
    </section>
  );
}

function WaitingRecruit({ texts, agent }: { texts: WaitingText[]; agent: Agent }) {
  const [, navigate] = useLocation();
  const [first, latest] = [texts[0]!, texts.at(-1)!];
  return (
    <li>
      <p className="head">
        <bdi className="name">{first.name || phoneText(first.recruit_phone)}</bdi>
        <span className="since quiet">{ago(first.received_at)}</span>
      </p>
      <p className="last quiet" dir="auto">
        {latest.body || countOf(latest.media.length, "file", "files")}
      </p>
      <p className="quiet">
        {texts.length > 1 && `${texts.length} texts. `}
        {latest.consent === "opted_out" && "The recruit has opted out. "}
        {first.agent_id !== agent.id && (
          <>
            Recruit of <bdi>{first.agent ?? "nobody"}</bdi>.
          </>
        )}
      </p>
      <ActionButton act={async () => navigate(`/inbox/${await startWithTexts(first)}`)}>
        Start the conversation <span className="visually-hidden">with {first.name}</span>
      </ActionButton>
    </li>
  );
}
