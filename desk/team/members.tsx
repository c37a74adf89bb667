import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { inboxQueries } from "../data/inbox.ts";
import { usePages } from "../data/pages.ts";
import { type Member, teamQueries } from "../data/team.ts";
import type { Agent } from "../data/user.ts";
import { cappedText } from "../ui/count.ts";
import { LoadMoreButton } from "../ui/load_more_button.tsx";
import { fullName } from "../ui/name.ts";
import { QueryResult } from "../ui/query_result.tsx";
import { ago } from "../ui/time.tsx";

/** The agents, and what waits for each of them. */
export function Members({ agent }: { agent: Agent }) {
  const query = usePages(teamQueries.members(agent.agency_id));
  const { data: { nobody: nobodys } = { nobody: 0 } } = useQuery(inboxQueries.counts(agent));
  return (
    <section aria-labelledby="agents">
      <h2 id="agents">Agents</h2>
      <QueryResult query={query} resource="agents">
        {(members) => (
          <>
            {nobodys > 0 && (
              <p>
                <Link href="/inbox/nobody">Conversations that nobody has: {cappedText(nobodys)}</Link>
              </p>
            )}
            <ul className="rows">{members.map((member) => <MemberRow key={member.id} member={member} />)}</ul>
            <LoadMoreButton query={query} />
          </>
        )}
      </QueryResult>
    </section>
  );
}

function MemberRow({ member }: { member: Member }) {
  const { role, is_active, accepts_recruits, has_login, recruits_7_days } = member;
  return (
    <li>
      <p className="line">
        <strong>
          <bdi>{fullName(member)}</bdi>
        </strong>
        {role === "manager" && <span className="badge">manager</span>}
        {!is_active && <span className="badge">not active</span>}
        {is_active && !has_login && <span className="badge">not invited</span>}
        {is_active && <span className="quiet">{accepts_recruits ? "takes recruits" : "takes no recruits"}</span>}
      </p>
      <p className="line">
        {member.waiting > 0
          ? (
            <strong>
              <Link href="/inbox/waiting" state={{ agentId: member.id }}>{waitingText(member)}</Link>
            </strong>
          )
          : <span>Nobody waits</span>}
        <span className="quiet">
          {recruits_7_days === 1 ? "1 recruit" : `${recruits_7_days} recruits`} in 7 days
        </span>
      </p>
    </li>
  );
}

function waitingText({ waiting, unread, waiting_since }: Member): string {
  return `${waiting} ${waiting === 1 ? "waits" : "wait"}, ${unread} unread, longest: ${ago(waiting_since!)}`;
}
