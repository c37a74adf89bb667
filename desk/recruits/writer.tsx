import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { Link } from "wouter";
import { readAgain } from "../data/changes.ts";
import { type Conversation, conversationQueries, mayWrite } from "../data/conversation.ts";
import { queryClient } from "../data/queries.ts";
import { type RecruitCard, recruitQueries, startConversation } from "../data/recruits.ts";
import type { Agent } from "../data/user.ts";
import { ActionButton } from "../ui/action.tsx";
import { TextComposer } from "../ui/composer.tsx";
import { useMarkRead } from "../ui/mark_read.ts";
import { fullName } from "../ui/name.ts";
import { NoteComposer } from "../ui/note_composer.tsx";
import { OutboxTexts } from "../ui/outbox_texts.tsx";
import { QueryResult, Skeleton } from "../ui/query_result.tsx";

/** Where an agent writes to a recruit, or a note. It begins with a text where one may be sent at once. */
export function Writer({ recruit, agent }: { recruit: RecruitCard; agent: Agent }) {
  const { id, consent, conversation_id, waiting_since } = recruit;
  const [isNote, setNote] = useState(waiting_since === null && consent !== "given");
  const query = useQuery(conversationQueries.detail(conversation_id ?? ""));
  const { data, dataUpdatedAt } = query;
  useMarkRead({ id: conversation_id ?? "", is_unread: data?.is_unread ?? false }, data?.last_text_at, true);
  const readAt = useRef(0);
  useEffect(() => {
    // Each text is an event of its conversation alone.
    if (readAt.current !== 0) {
      for (const queryKey of [recruitQueries.timeline(id), recruitQueries.detail(id).queryKey]) {
        void readAgain(queryKey);
      }
    }
    readAt.current = dataUpdatedAt;
  }, [dataUpdatedAt]);
  return (
    <section className="panel" aria-label="Write">
      <div className="line">
        <span className="segments" role="group" aria-label="What to write">
          <button type="button" aria-pressed={!isNote} onClick={() => setNote(false)}>Text</button>
          <button type="button" aria-pressed={isNote} onClick={() => setNote(true)}>Note</button>
        </span>
        {conversation_id !== null && <Link href={`/inbox/all/${conversation_id}`}>Open in the inbox</Link>}
      </div>
      {isNote
        ? <NoteComposer placeId={id} leadId={id} agent={agent} name={fullName(recruit)} />
        : conversation_id === null
        ? <Start id={id} />
        : (
          <QueryResult query={query} resource="conversation" skeleton={<Skeleton rows={1} />}>
            {(conversation) =>
              conversation === null
                ? <p className="quiet">The conversation is a colleague's.</p>
                : <TextWriter conversation={conversation} recruit={recruit} agent={agent} />}
          </QueryResult>
        )}
    </section>
  );
}

/** Begins the conversation with a recruit. */
function Start({ id }: { id: string }) {
  async function start(): Promise<void> {
    await startConversation(id);
    await queryClient.invalidateQueries(recruitQueries.detail(id));
  }
  return <ActionButton act={start}>Start a conversation</ActionButton>;
}

/** Where the texts of a conversation are written, below those that are not sent yet. */
function TextWriter({ recruit, ...given }: { conversation: Conversation; recruit: RecruitCard; agent: Agent }) {
  const writing = { ...given, isWriter: mayWrite(given.agent, given.conversation) };
  return (
    <>
      <ol className="bubbles">
        <OutboxTexts {...writing} texts={[]} />
      </ol>
      <TextComposer {...writing} name={fullName(recruit)} heardAt={recruit.waiting_since ?? undefined} next={null} />
    </>
  );
}
