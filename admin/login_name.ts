import { userInfo } from "node:os";

/** The login of the user of this computer; undefined where there is none, as in a container whose user has no name. */
export function loginName(): string | undefined {
  const named = ["USER", "LOGNAME", "USERNAME"].map((name) => Deno.env.get(name)?.trim()).find(Boolean);
  return (named ?? loginOfSystem())?.slice(0, 128);
}

function loginOfSystem(): string | undefined {
  try {
    return userInfo().username.trim() || undefined;
  } catch {
    return undefined;
  }
}
