import type { Draft } from "./drafts.ts";

/** A text that the user has sent and the service does not have yet. */
export interface OutboxText {
  client_message_id: string;
  /** The login that has sent it. Nobody else sees it, or sends it. */
  user_id: string;
  conversation_id: string;
  body: string;
  file: Draft["file"];
  /** When the user has sent it: milliseconds since 1970. */
  sent_at: number;
  /** The agent from whom the user has agreed to take the conversation over; null: nobody. */
  takes_from: string | null;
  /** The reason why the user is asked first, in a sentence; null: it is sent as soon as that works. */
  question: string | null;
}

const NAME = "outbox";
let opened: Promise<IDBDatabase> | undefined;

/** The texts that this browser keeps, of all its users. */
export async function readStored(): Promise<OutboxText[]> {
  return await inStore("readonly", (texts) => texts.getAll());
}

/** Keeps a text. */
export async function store(text: OutboxText): Promise<void> {
  await inStore("readwrite", (texts) => texts.put(text));
}

/** Changes a text that is still there. */
export async function changeStored(client_message_id: string, change: Partial<OutboxText>): Promise<void> {
  await inStore("readwrite", (texts) => {
    const found = texts.get(client_message_id);
    found.onsuccess = () => found.result && texts.put({ ...found.result, ...change });
    return found;
  });
}

/** Removes a text. */
export async function removeStored(client_message_id: string): Promise<void> {
  await inStore("readwrite", (texts) => texts.delete(client_message_id));
}

/** Runs `act` in a transaction, and returns its result when that is committed. */
async function inStore<Result>(
  mode: IDBTransactionMode,
  act: (texts: IDBObjectStore) => IDBRequest<Result>,
): Promise<Result> {
  const database = await (opened ??= open());
  return await new Promise((resolve, reject) => {
    const transaction = database.transaction(NAME, mode);
    const request = act(transaction.objectStore(NAME));
    transaction.oncomplete = () => resolve(request.result);
    transaction.onabort = () => reject(new Error("The browser could not keep the text. Free some space on its disk."));
  });
}

function open(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open("desk", 1);
    request.onupgradeneeded = () => request.result.createObjectStore(NAME, { keyPath: "client_message_id" });
    request.onsuccess = () => {
      // Such as when the user deletes what the browser keeps.
      request.result.onclose = () => opened = undefined;
      resolve(request.result);
    };
    request.onerror = () => {
      opened = undefined;
      reject(new Error("The browser keeps nothing for this page, so no text can be sent. Allow it to."));
    };
  });
}
