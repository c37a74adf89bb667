import { memo } from "react";
import { useWriteAgain } from "../data/drafts.ts";
import { useCancelText, useRetryText } from "../data/conversation_changes.ts";
import type { Message } from "../data/messages.ts";
import { ActionError, useAction } from "../ui/action.tsx";
import { Bubble, writerOf } from "../ui/bubble.tsx";
import { heardWords } from "../ui/bot_reasons.ts";
import { ConfirmButton } from "../ui/confirm.tsx";
import { Time } from "../ui/time.tsx";
import { Attachment } from "./attachment.tsx";
import { progressOf } from "./progress.ts";

interface Acting {
  conversationId: string;
  agentId: string;
  /** Whether this agent may cancel and retry. */
  isWriter: boolean;
}

/** How the bot reads most texts, which needs no words. */
const AS_EXPECTED = ["answer", "opening"];

/** One text: who wrote it, what it says, and how far it has come. Rendered again when it has changed. */
export const MessageBubble = memo(
  function MessageBubble({ text, name, isFirst, isLatest, ...acting }: {
    text: Message;
    name: string;
    isFirst: boolean;
    /** Whether it is the agency's latest text. Only below that one does the page say that a text was delivered. */
    isLatest: boolean;
  } & Acting) {
    const { sender_type, body, media, media_copies, heard, created_at } = text;
    return (
      <Bubble
        by={sender_type}
        writer={writerOf(text, name, acting.agentId)}
        at={created_at}
        isFirst={isFirst}
        body={body}
      >
        {media.map((file, place) => (
          <Attachment
            key={place}
            file={file}
            copy={media_copies.find(({ position }) => position === place)}
            number={place + 1}
            sender={sender_type === "recruit" ? name : "your agency"}
          />
        ))}
        {heard !== null && !AS_EXPECTED.includes(heard) && <p className="quiet">{heardWords(heard)}</p>}
        {sender_type !== "recruit" && (isLatest || text.status !== "delivered") && (
          <DeliveryStatus text={text} {...acting} />
        )}
      </Bubble>
    );
  },
);

function DeliveryStatus({ text, isWriter, agentId, conversationId }: { text: Message } & Acting) {
  const { mutateAsync: cancel } = useCancelText(conversationId);
  const { mutateAsync: retry } = useRetryText(conversationId);
  const cancelling = useAction(() => cancel(text));
  // Never twice at once: each may send it.
  const retrying = useAction(() => retry(text));
  const { words, heldUntil, isBad, mayCancel, retry: mayRetry, mayWriteAgain } = progressOf(text);
  return (
    <div className="buttons">
      <p className={isBad ? "problem" : "quiet"}>
        {words} {heldUntil && (
          <>
            It is sent at <Time at={heldUntil} />.
          </>
        )}
      </p>
      {isWriter && mayCancel && (
        <button type="button" className="link" onClick={() => cancelling.run()}>Cancel this text</button>
      )}
      {isWriter && mayRetry === "once" && (
        <button type="button" className="link" onClick={() => retrying.run()}>Try again</button>
      )}
      {isWriter && mayRetry === "twice" && (
        <ConfirmButton
          className="link"
          label="Try again"
          question={<p>The recruit may have this text already. If so, it comes a second time.</p>}
          act={() => {
            // The question goes with the button, before the service has agreed.
            void retrying.run();
            return Promise.resolve();
          }}
        />
      )}
      {isWriter && mayWriteAgain && text.body && (
        <WriteAgain body={text.body} agentId={agentId} conversationId={conversationId} />
      )}
      <ActionError action={cancelling} />
      <ActionError action={retrying} />
    </div>
  );
}

/** Puts the words of a text into the box, where it has no others. */
function WriteAgain({ body, agentId, conversationId }: { body: string; agentId: string; conversationId: string }) {
  const { isFree, writeAgain } = useWriteAgain(agentId, conversationId);
  if (!isFree) return null;
  return <button type="button" className="link" onClick={() => writeAgain({ body })}>Write it again</button>;
}
