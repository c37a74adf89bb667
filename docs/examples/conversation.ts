import { handBackToBot, type Media, type Message, progressOf, readMessages, sendText, uploadFile } from "./texting.ts";

/** A text that is written, and sent under one id until it is known to be queued. */
interface Draft {
  client_message_id: string;
  body: string;
  file: File | null;
  media?: Media[];
}

const section = document.getElementById("conversation")!;
const form = section.querySelector("form")!;
const output = section.querySelector("output")!;
let open_id: string | null = null;
let draft: Draft | null = null;

/** Shows a conversation with the form to write in it. */
export async function openConversation(id: string, recruit_phone: string): Promise<void> {
  open_id = id;
  draft = null;
  form.reset();
  output.textContent = "";
  section.querySelector("h2")!.textContent = recruit_phone;
  section.hidden = false;
  await showMessages(id);
}

/** Shows what is new, where this conversation is open. */
export async function showMessages(id: string): Promise<void> {
  if (id !== open_id) return;
  const messages = await readMessages(id);
  if (id !== open_id) return;
  document.getElementById("messages")!.replaceChildren(
    ...messages.reverse().map((message) => {
      const li = document.createElement("li");
      li.textContent = lineOf(message);
      return li;
    }),
  );
}

function lineOf(message: Message): string {
  const files = (message.media as Media[]).map(() => "[file] ").join("");
  const line = `${message.sender_type}: ${files}${message.body ?? ""}`;
  return message.direction === "outbound" ? `${line} (${progressOf(message)})` : line;
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const conversation_id = open_id!;
  const fields = new FormData(form);
  const body = String(fields.get("body"));
  const file = fields.get("file") as File;
  const button = form.querySelector("button")!;
  button.disabled = true;
  try {
    draft = draftOf(body, file.size > 0 ? file : null);
    if (draft.file !== null) draft.media ??= [await uploadFile(conversation_id, draft.file)];
    const { client_message_id, media = [] } = draft;
    const { status } = await sendText({ conversation_id, body, client_message_id, media });
    draft = null;
    form.reset();
    output.textContent = status === "held" ? "The text waits, as the list says." : "";
    await showMessages(conversation_id);
  } catch (error) {
    // The text stays in the form. Sent again unchanged, it has the same id.
    output.textContent = (error as Error).message;
  } finally {
    button.disabled = false;
  }
});

/** The draft that failed before, or a new one when the agent has changed the text since. */
function draftOf(body: string, file: File | null): Draft {
  const isUnchanged = draft !== null && draft.body === body &&
    draft.file?.name === file?.name && draft.file?.size === file?.size;
  return isUnchanged ? draft! : { client_message_id: crypto.randomUUID(), body, file };
}

document.getElementById("hand-back")!.addEventListener("click", async () => {
  try {
    await handBackToBot(open_id!);
    output.textContent = "The bot responds again.";
  } catch (error) {
    output.textContent = (error as Error).message;
  }
});
