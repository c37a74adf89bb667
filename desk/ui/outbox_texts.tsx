import type { Conversation } from "../data/conversation.ts";
import { useWriteAgain } from "../data/drafts.ts";
import type { Message } from "../data/messages.ts";
import { sendAfterAll, takeOut, useOutbox } from "../data/outbox.ts";
import type { OutboxText } from "../data/outbox_store.ts";
import type { Agent } from "../data/user.ts";
import { ActionButton } from "./action.tsx";
import { Bubble } from "./bubble.tsx";
import { useOnline } from "./online.ts";
import { DeleteTextButton } from "./unsent_words.tsx";

interface Acting {
  conversation: Conversation;
  agent: Agent;
  isWriter: boolean;
}

/** The texts of the open conversation that the service does not have yet, after those that it has. */
export function OutboxTexts({ texts, ...acting }: Acting & { texts: Message[] }) {
  const outbox = useOutbox();
  const isOnline = useOnline();
  const known = new Set(texts.map(({ text_outbox }) => text_outbox?.client_message_id));
  return outbox.texts
    .filter(({ conversation_id, client_message_id }) =>
      conversation_id === acting.conversation.id && !known.has(client_message_id)
    )
    .map((text) => (
      <OutboxBubble
        key={text.client_message_id}
        text={text}
        isStuck={outbox.isStuck || !isOnline}
        {...acting}
      />
    ));
}

function OutboxBubble({ text, isStuck, ...acting }: Acting & { text: OutboxText; isStuck: boolean }) {
  const { body, file, sent_at, question } = text;
  return (
    <Bubble by="agent" writer="You" at={new Date(sent_at).toISOString()} body={body}>
      {file && <p className="quiet">{file.name}</p>}
      <div className="buttons">
        {question !== null
          ? <p className="problem">Not sent: {question}</p>
          : <p className="quiet">{isStuck ? "Not sent yet. It is sent when there is a connection." : "Being sent"}</p>}
        {(question !== null || isStuck) && <OutboxTextActions text={text} {...acting} />}
      </div>
    </Bubble>
  );
}

/** The buttons for a text that is not sent. */
function OutboxTextActions({ text, conversation, agent, isWriter }: Acting & { text: OutboxText }) {
  const { client_message_id, question } = text;
  const { isFree, writeAgain } = useWriteAgain(agent.id, conversation.id);
  const isOthers = conversation.agent_id !== null && conversation.agent_id !== agent.id;

  async function backToBox(): Promise<void> {
    const taken = await takeOut(client_message_id);
    if (taken !== null) writeAgain({ body: taken.body, file: taken.file, client_message_id });
  }

  return (
    <>
      {question !== null && isWriter && !conversation.is_opted_out && (
        <ActionButton
          className="link"
          act={() => sendAfterAll(client_message_id, isOthers ? conversation.agent_id : null)}
        >
          {isOthers
            ? (
              <>
                Take over from <bdi>{conversation.agent}</bdi> and send
              </>
            )
            : "Send it now"}
        </ActionButton>
      )}
      {isFree && <ActionButton className="link" act={backToBox}>Back to the box</ActionButton>}
      <DeleteTextButton client_message_id={client_message_id} />
    </>
  );
}
