import { sendPasswordLink, setPassword, signInByLink } from "./supabase.ts";

// An invitation and a reset lead here with a session; "Change the password" with the browser's own.
const password = document.querySelector<HTMLFormElement>("#password")!;
const link = document.querySelector<HTMLFormElement>("#link")!;
const output = document.querySelector("output")!;

password.addEventListener("submit", (event) =>
  submit(event, async () => {
    await setPassword(String(new FormData(password).get("password")));
    location.replace("index.html");
  }));
link.addEventListener("submit", (event) =>
  submit(event, async () => {
    await sendPasswordLink(String(new FormData(link).get("email")));
    output.textContent = "If the address has a login, an e-mail with a link is on its way.";
  }));

try {
  const user = await signInByLink();
  // The password manager keeps the password with the address.
  if (user !== null) password.querySelector("input")!.value = user.email ?? "";
  (user === null ? link : password).hidden = false;
} catch {
  output.textContent = "The link was used before, or is over. Here you get another.";
  link.hidden = false;
}

async function submit(event: SubmitEvent, send: () => Promise<void>) {
  event.preventDefault();
  output.textContent = "";
  try {
    await send();
  } catch (error) {
    output.textContent = (error as Error).message;
  }
}
