import { queryOptions, useMutation } from "@tanstack/react-query";
import { CallError, errorOf, repeat, supabase } from "./client.ts";
import { config } from "./config.ts";
import { queryClient } from "./queries.ts";

/** Whether notifications are pushed to this browser. `unsupported`: it cannot; `no key`: the service does not push. */
export type Push = "unsupported" | "no key" | "off" | "on";

/** The longest that a sign-out waits. */
const FORGET_MS = 3_000;

export function pushOptions() {
  return queryOptions({
    queryKey: ["push"],
    queryFn: async (): Promise<Push> => {
      const manager = await pushManager();
      if (manager === undefined) return "unsupported";
      if (await readKey() === null) return "no key";
      return await manager.getSubscription() === null ? "off" : "on";
    },
  });
}

/** Switches on or off that notifications are pushed to this browser. */
export function useSetPush() {
  return useMutation({
    scope: { id: "push" },
    mutationFn: (isOn: boolean) => isOn ? subscribe() : unsubscribe(),
    onSettled: () => queryClient.invalidateQueries(pushOptions()),
  });
}

/** Stores the subscription of this browser again, if it has one: for each start, and when the browser has renewed it. */
export async function keepSubscription(): Promise<void> {
  const manager = await pushManager();
  if (await manager?.getSubscription() != null) await subscribe();
}

/** Nothing is pushed to this browser any more, also where the service cannot be reached. Never throws. */
export async function forgetSubscription(): Promise<void> {
  const late = new Promise<void>((resolve) => setTimeout(resolve, FORGET_MS));
  await Promise.race([unsubscribe().catch(() => {}), late]);
}

async function subscribe(): Promise<void> {
  const [manager, applicationServerKey] = await Promise.all([pushManager(), readKey()]);
  if (manager === undefined || applicationServerKey === null) return;
  const options = { userVisibleOnly: true, applicationServerKey };
  const { endpoint, keys } = (await manager.subscribe(options).catch(async (error: DOMException) => {
    const former = error.name === "InvalidStateError" ? await manager.getSubscription() : null;
    if (former === null) throw explained(error);
    // The service has another key now.
    await former.unsubscribe();
    return await manager.subscribe(options);
  })).toJSON();
  const { p256dh, auth } = keys!;
  await repeat(() => supabase.rpc("save_push_subscription", { endpoint: endpoint!, p256dh: p256dh!, auth: auth! }));
}

async function unsubscribe(): Promise<void> {
  const subscription = await (await pushManager())?.getSubscription();
  if (subscription == null) return;
  const { endpoint } = subscription;
  // If the call fails, the push service reports at the next push that the browser is gone.
  await Promise.all([supabase.rpc("remove_push_subscription", { endpoint }), subscription.unsubscribe()]);
}

async function pushManager(): Promise<PushManager | undefined> {
  return (await navigator.serviceWorker?.getRegistration())?.pushManager;
}

/** The key with which browsers subscribe; null where the service pushes nothing. */
async function readKey(): Promise<string | null> {
  const headers = { apikey: config.publishable_key };
  const response = await fetch(`${config.url}/functions/v1/desk/push-key`, { headers }).catch(() => null);
  if (!response?.ok) throw errorOf(response?.status ?? 0, "", "");
  return (await response.json()).public_key;
}

function explained({ name }: DOMException): CallError {
  const sentence = name === "NotAllowedError"
    ? "This browser does not allow it. Its settings for this site can."
    : "This browser cannot reach its push service now. Try again later.";
  return new CallError(sentence, 0, name);
}
