import { useQuery } from "@tanstack/react-query";
import NotebookPen from "lucide-react/icons/notebook-pen";
import Paperclip from "lucide-react/icons/paperclip";
import SendHorizontal from "lucide-react/icons/send-horizontal";
import Zap from "lucide-react/icons/zap";
import { type KeyboardEvent, type ReactNode, useId, useRef, useState } from "react";
import { type Conversation, conversationQueries, type OptOut } from "../data/conversation.ts";
import { hasDraft, useDraft } from "../data/drafts.ts";
import { FILE_TYPES, uploadFile } from "../data/messages.ts";
import { sendLater } from "../data/outbox.ts";
import type { Agent } from "../data/user.ts";
import { ActionError, useAction } from "./action.tsx";
import { ConfirmDialog } from "./confirm.tsx";
import { CopyButton } from "./copy_button.tsx";
import { countOf, countText } from "./count.ts";
import { DotSeparated } from "./dot_separated.tsx";
import { IconButton } from "./icon_button.tsx";
import { useIsBroad, useIsPhone } from "./is_wide.ts";
import { timeText } from "./time.tsx";
import { AskForConversationButton } from "./unsent_words.tsx";
import { MAX_LENGTH, segmentsOf } from "./segments.ts";
import { NoteComposer, noteDraftKey } from "./note_composer.tsx";
import { QuietHours } from "./quiet_hours.tsx";
import { useQuickReplies } from "./quick_replies.tsx";

interface Writing {
  conversation: Conversation;
  agent: Agent;
  name: string;
  isWriter: boolean;
  /** The time of the recruit's latest text. */
  heardAt: string | undefined;
  /** The recruit who waits longest, but for this one; null: nobody does. */
  next: { open: () => void } | null;
}

/** Whether a note is written in the box, and not a text. */
export function useComposerMode(agent: Agent, { id }: Conversation) {
  const [mode, setMode] = useState(() => ({
    isNote: !hasDraft(agent.id, id) && hasDraft(agent.id, noteDraftKey(id)),
    isChosen: false,
  }));
  return {
    ...mode,
    change: () => setMode({ isNote: !mode.isNote, isChosen: true }),
    writeNote: () => setMode({ isNote: true, isChosen: true }),
  };
}

/** Where the agent writes: texts to the recruit, or notes about the recruit. Nothing else is rendered at each key. */
export function Composer({ mode, ...writing }: Writing & { mode: ReturnType<typeof useComposerMode> }) {
  const { conversation: { id, recruiting_lead_id }, agent, name } = writing;
  const hasWords = useIsBroad();
  if (recruiting_lead_id === null) return <TextComposer {...writing} />;
  const modeButton = (
    <button
      type="button"
      className={hasWords ? "plain" : "plain icon-button"}
      title={mode.isNote ? "Write a text" : "Write a note"}
      aria-pressed={mode.isNote}
      onClick={mode.change}
    >
      <NotebookPen size={18} />
      <span className={hasWords ? undefined : "visually-hidden"}>Note</span>
    </button>
  );
  return mode.isNote
    ? (
      <NoteComposer
        placeId={id}
        leadId={recruiting_lead_id}
        agent={agent}
        name={name}
        isChosen={mode.isChosen}
        modeButton={modeButton}
      />
    )
    : <TextComposer {...writing} isChosen={mode.isChosen} modeButton={modeButton} />;
}

/**
 * Where the agent writes a text. What is written stays until it is sent, and then in the outbox until the service has
 * it.
 */
export function TextComposer(
  { conversation, agent, name, isWriter, heardAt, next, isChosen = false, modeButton }: Writing & {
    /** Whether the user has just come from a note: the box gets the focus. */
    isChosen?: boolean;
    modeButton?: ReactNode;
  },
) {
  const { draft, change, clear } = useDraft(agent.id, conversation.id);
  const id = useId();
  const [isPhone, hasWords] = [useIsPhone(), useIsBroad()];
  const body = draft.body.trim();
  const isTooLong = body.length > MAX_LENGTH;
  const attaching = useAction(async (file: File) => {
    change({ file: { ...await uploadFile(conversation.id, file), name: file.name } });
  });
  // The file comes first: what changes while it is sent would be another text with the same words.
  const isReady = !attaching.isRunning && !isTooLong && (body !== "" || draft.file !== null);
  const { data: optOut = null } = useQuery(conversationQueries.optOut(conversation));
  const problem = readOnlyReason(conversation, optOut, name, isWriter);
  const takesFrom = takesFromWhom(conversation, agent);
  const asking = useRef<HTMLDialogElement>(null);
  const sending = useAction(async (opensNext: boolean) => {
    if (!isReady) return;
    const { client_message_id } = draft;
    await sendLater({
      conversation_id: conversation.id,
      body,
      file: draft.file,
      client_message_id,
      takes_from: takesFrom?.id ?? null,
    });
    clear(client_message_id);
    if (opensNext) next?.open();
  });

  const quickReplies = useQuickReplies({
    conversationId: conversation.id,
    typed: problem === null ? draft.body : "",
    choose: (body) => change({ body }),
  });

  function send(opensNext: boolean): void {
    if (opensNext && body === "" && draft.file === null && !attaching.isRunning) next?.open();
    else if (takesFrom === null) void sending.run(opensNext);
    else if (isReady) asking.current!.showModal();
  }

  function onKeyDown(event: KeyboardEvent<HTMLTextAreaElement>): void {
    if (quickReplies.onKeyDown(event)) return;
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    send(event.shiftKey);
  }

  return (
    <form
      className="composer"
      onSubmit={(event) => {
        event.preventDefault();
        send(false);
      }}
    >
      {problem !== null && <p id={`${id}-why`} className="why-not">{problem}</p>}
      {attaching.isRunning && <p className="quiet">Uploading</p>}
      {problem === null && draft.file !== null && (
        <p className="buttons attached">
          <span>{draft.file.name}</span>
          <button type="button" disabled={sending.isRunning} onClick={() => change({ file: null })}>
            Remove the file
          </button>
        </p>
      )}
      {problem === null && <QuietHours conversationId={conversation.id} name={name} heardAt={heardAt} />}
      <div className="compose">
        {quickReplies.list}
        <textarea
          {...quickReplies.box}
          id={id}
          aria-label={`Text to ${name}`}
          aria-describedby={problem === null ? `${id}-count` : `${id}-why`}
          placeholder={hasWords ? "Write a text, or / for a quick reply" : "Write a text"}
          rows={1}
          autoFocus={isChosen}
          value={draft.body}
          readOnly={sending.isRunning || problem !== null}
          // Words that are kept here can be read and copied.
          disabled={conversation.is_opted_out || problem !== null && draft.body === ""}
          onChange={(event) => change({ body: event.target.value })}
          onKeyDown={onKeyDown}
        />
        {modeButton}
        {problem === null && (
          <>
            <IconButton
              icon={Zap}
              label="Quick replies"
              aria-disabled={draft.body !== "" && draft.body !== "/"}
              onClick={() => {
                if (draft.body.length > 1) return;
                change({ body: draft.body === "" ? "/" : "" });
                document.getElementById(id)!.focus();
              }}
            />
            {draft.file === null && (
              <label className="button plain icon-button attach" title="Add a file">
                <Paperclip size={18} />
                <span className="visually-hidden">Add a file</span>
                <input
                  type="file"
                  className="visually-hidden"
                  accept={FILE_TYPES}
                  disabled={sending.isRunning || attaching.isRunning}
                  onChange={({ target }) => {
                    if (target.files?.[0]) void attaching.run(target.files[0]);
                    target.value = "";
                  }}
                />
              </label>
            )}
            <button
              type="submit"
              className="primary"
              title="Ctrl+Enter"
              aria-disabled={sending.isRunning || !isReady}
            >
              <SendHorizontal size={16} />
              <span className={isPhone ? "visually-hidden" : undefined}>Send</span>
            </button>
          </>
        )}
      </div>
      {!isWriter && (
        <div className="buttons">
          <AskForConversationButton conversationId={conversation.id} />
          {draft.body !== "" && <CopyButton words={draft.body} />}
        </div>
      )}
      {problem === null && <SegmentCount id={`${id}-count`} body={body} takesOver={conversation.has_bot} />}
      <ActionError action={sending} />
      <ActionError action={attaching} />
      <ConfirmDialog
        dialog={asking}
        label="Send and take over"
        question={
          <p>
            <bdi>{takesFrom?.name}</bdi> answers here. With your text the conversation becomes yours.
          </p>
        }
        act={() => sending.run(false)}
      />
    </form>
  );
}

/** Whether the text ends the bot's part, its length, and the texts that are paid for it: on a phone from two on. */
function SegmentCount({ id, body, takesOver }: { id: string; body: string; takesOver: boolean }) {
  const segments = segmentsOf(body);
  const length = `${countText(body.length)} of ${countText(MAX_LENGTH)}`;
  const className = body.length > MAX_LENGTH ? "count problem" : takesOver || segments > 1 ? "count" : "count is-small";
  return (
    <small id={id} className={className}>
      <DotSeparated>
        {takesOver && "Sending takes over from the bot"}
        {body !== "" && `${length} · ${countOf(segments, "segment", "segments")}`}
      </DotSeparated>
    </small>
  );
}

/** From whom the conversation is taken by a text of this agent; null: from nobody, or from the bot alone. */
function takesFromWhom({ agent_id, agent }: Conversation, { id }: Agent): { id: string; name: string } | null {
  return agent_id === null || agent_id === id ? null : { id: agent_id, name: agent ?? "Another agent" };
}

/** The reason why nothing can be written here; null: it can. */
function readOnlyReason(
  { is_opted_out, agent }: Conversation,
  optOut: OptOut | null,
  name: string,
  isWriter: boolean,
): ReactNode {
  if (is_opted_out) {
    const who = <bdi>{name}</bdi>;
    const until = <>Nobody of the agency may text this number until {who} writes START.</>;
    if (optOut === null) return <>{who} has opted out. {until}</>;
    const at = timeText(optOut.at);
    if (optOut.words !== null) {
      return (
        <>
          {who} wrote “<bdi>{optOut.words}</bdi>” ({at}). {until}
        </>
      );
    }
    if (optOut.source === "provider") return <>The provider says that {who} has opted out ({at}). {until}</>;
    return <>{who} has opted out ({at}). {until}</>;
  }
  return isWriter ? null : (
    <>
      <bdi>{agent ?? "Another agent"}</bdi> answers here. You can read along.
    </>
  );
}
