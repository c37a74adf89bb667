import { type SubmitEvent, useState } from "react";
import { CallError } from "../data/client.ts";
import { usePages } from "../data/pages.ts";
import { deleteQuickReply, type QuickReply, quickReplyQueries, useSaveQuickReply } from "../data/quick_replies.ts";
import { ActionError } from "../ui/action.tsx";
import { ConfirmButton } from "../ui/confirm.tsx";
import { Field } from "../ui/field.tsx";
import { List } from "../ui/list.tsx";
import { EmptyState } from "../ui/query_result.tsx";

/** What the agents of the agency write often. */
export function QuickReplies({ agencyId }: { agencyId: string }) {
  const [isNew, setNew] = useState(false);
  return (
    <>
      <button type="button" className="primary part-act" aria-expanded={isNew} onClick={() => setNew(true)}>
        New quick reply
      </button>
      <p className="quiet">Type / in a conversation to insert one.</p>
      {isNew && <ReplyForm agencyId={agencyId} before={null} close={() => setNew(false)} />}
      <List
        query={usePages(quickReplyQueries.list(agencyId))}
        resource="quick replies"
        empty={!isNew && <EmptyState title="No quick reply yet." />}
        keyOf={({ id }) => id}
        row={(reply) => <ReplyRow agencyId={agencyId} reply={reply} />}
      />
    </>
  );
}

function ReplyRow({ agencyId, reply }: { agencyId: string; reply: QuickReply }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <li>
      <p className="line">
        <strong>/{reply.shortcut}</strong>
      </p>
      <p className="reply" dir="auto">{reply.body}</p>
      {isOpen ? <ReplyForm agencyId={agencyId} before={reply} close={() => setOpen(false)} /> : (
        <p className="buttons">
          <button type="button" onClick={() => setOpen(true)}>
            Change <span className="visually-hidden">/{reply.shortcut}</span>
          </button>
          <ConfirmButton
            label="Delete"
            className="plain"
            of={`/${reply.shortcut}`}
            question={<p>No agent finds /{reply.shortcut} then.</p>}
            act={() => deleteQuickReply(reply.id)}
          />
        </p>
      )}
    </li>
  );
}

/** What is written stays until it is stored. */
function ReplyForm({ agencyId, before, close }: {
  agencyId: string;
  before: QuickReply | null;
  close: () => void;
}) {
  const save = useSaveQuickReply(agencyId);
  // As it was when the form was opened: what somebody else has written is not lost unseen.
  const [opened] = useState(before);
  const isChanged = save.error instanceof CallError && save.error.field === "seen_at";

  function submit(event: SubmitEvent<HTMLFormElement>): void {
    event.preventDefault();
    if (save.isPending) return;
    const { shortcut, body } = Object.fromEntries(new FormData(event.currentTarget)) as Record<string, string>;
    save.mutate({ shortcut: shortcut!, body: body!, seen: isChanged ? before : opened }, { onSuccess: close });
  }

  return (
    <form
      className="reply-form"
      onSubmit={submit}
      aria-label={before ? `Change /${before.shortcut}` : "New quick reply"}
    >
      <Field
        label="Shortcut"
        name="shortcut"
        hint="Letters from a to z, digits, - or _."
        autoFocus
        autoCapitalize="none"
        autoComplete="off"
        defaultValue={before?.shortcut}
      />
      <Field
        label="Words"
        name="body"
        rows={3}
        hint="{first_name}, {agent} and {agency} become the names of the recruit, the agent and the agency."
        defaultValue={before?.body}
      />
      <ActionError action={save} />
      <p className="buttons">
        <button type="submit" className="primary" aria-disabled={save.isPending}>Save</button>
        <button type="button" onClick={close}>Cancel</button>
      </p>
    </form>
  );
}
