import { readAgents, readConversations, readLeads, readRecruits } from "./reading.ts";
import { signResumeUrl } from "./resumes.ts";
import { signedInAgent, signIn } from "./supabase.ts";

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
  list("leads", leads, (lead) => [
    `${lead.first_name} ${lead.last_name ?? ""} ${lead.phone} `,
    button("Present", () => {
      const query = new URLSearchParams({ lead_id: lead.id, agent_id: lead.agent_id });
      // A lead has one window: a second click returns to it.
      open(`popout.html?${query}`, `presentation-${lead.id}`, "popup,width=480,height=720");
    }),
  ]);
  list("recruits", recruits, ({ first_name, last_name, phone, resume_path }) => [
    `${first_name} ${last_name ?? ""} ${phone ?? ""} `,
    resume_path === null
      ? ""
      : button("Resume", async () => location.assign(await signResumeUrl(resume_path))),
  ]);
  list("conversations", conversations, ({ recruit_phone, recruiting_messages }) => [
    `${recruit_phone}: ${recruiting_messages[0]?.body ?? ""}`,
  ]);
  list("agents", agents, ({ first_name, last_name, role }) => [
    `${first_name} ${last_name}, ${role}`,
  ]);
  form.hidden = true;
  main.hidden = false;
}

function list<Item>(id: string, items: Item[], contentOf: (item: Item) => (string | Node)[]) {
  document.getElementById(id)!.replaceChildren(...items.map((item) => {
    const li = document.createElement("li");
    li.append(...contentOf(item));
    return li;
  }));
}

function button(label: string, onClick: () => void): HTMLButtonElement {
  const element = document.createElement("button");
  element.textContent = label;
  element.addEventListener("click", onClick);
  return element;
}
