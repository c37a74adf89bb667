import { openConversation, showMessages } from "./conversation.ts";
import { markRead, type Notification, watchNotifications } from "./notifications.ts";
import { readAgents, readConversations, readLeads, readRecruits } from "./reading.ts";
import { signResumeUrl } from "./resumes.ts";
import { signedInAgent, signIn, signOut } from "./supabase.ts";
import { startConversation } from "./texting.ts";

const TOLD = {
  text: "A recruit has written",
  opt_out: "A recruit wants no more texts",
  failed: "A text could not be sent",
  handoff: "The bot has left a recruit to you",
  lead: "You have got a recruit",
};

const form = document.querySelector("form")!;
const main = document.querySelector("main")!;

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const fields = new FormData(form);
  try {
    await signIn(String(fields.get("email")), String(fields.get("password")));
    await show();
  } catch (error) {
    form.querySelector("output")!.textContent = (error as Error).message;
  }
});

document.getElementById("sign-out")!.addEventListener("click", async () => {
  await signOut();
  location.reload();
});

// Before this line the browser would send the form itself, with the password in the URL.
form.querySelector("button")!.disabled = false;
await show();

async function show() {
  const agent = await signedInAgent();
  if (agent === null) return;
  const [leads, recruits, conversations, agents] = await Promise.all([
    readLeads(),
    readRecruits(),
    readConversations(),
    readAgents(),
  ]);
  document.querySelector("h1")!.textContent = `${agent.first_name} ${agent.last_name}`;
  list("leads", leads, (lead) => [`${lead.first_name} ${lead.last_name ?? ""} ${lead.phone}`]);
  list("recruits", recruits, ({ id, first_name, last_name, phone, resume_path }) => [
    `${first_name} ${last_name ?? ""} ${phone ?? ""} `,
    button("Text", async () => openConversation(await startConversation(id), phone ?? "")),
    resume_path === null ? "" : button("Resume", async () => location.assign(await signResumeUrl(resume_path))),
  ]);
  showConversations(conversations);
  list("agents", agents, ({ first_name, last_name, role }) => [
    `${first_name} ${last_name}, ${role}`,
  ]);
  form.hidden = true;
  main.hidden = false;
  watchNotifications(agent.id, showNotification);
}

function showConversations(conversations: Awaited<ReturnType<typeof readConversations>>) {
  list("conversations", conversations, ({ id, recruit_phone, recruiting_messages }) => [
    button(
      `${recruit_phone}: ${recruiting_messages[0]?.body ?? ""}`,
      () => openConversation(id, recruit_phone),
    ),
  ]);
}

async function showNotification({ id, conversation_id, kind }: Notification) {
  const li = document.createElement("li");
  li.append(
    `${TOLD[kind]} `,
    button("Read", async () => {
      await markRead([id]);
      li.remove();
    }),
  );
  document.getElementById("notifications")!.append(li);
  showConversations(await readConversations());
  if (conversation_id !== null) await showMessages(conversation_id);
}

function list<Item>(id: string, items: Item[], contentOf: (item: Item) => (string | Node)[]) {
  document.getElementById(id)!.replaceChildren(...items.map((item) => {
    const li = document.createElement("li");
    li.append(...contentOf(item));
    return li;
  }));
}

function button(label: string, onClick: () => unknown): HTMLButtonElement {
  const element = document.createElement("button");
  element.textContent = label;
  element.addEventListener("click", async () => {
    const output = main.querySelector("output")!;
    output.textContent = "";
    try {
      await onClick();
    } catch (error) {
      output.textContent = (error as Error).message;
    }
  });
  return element;
}
