import { useQuery } from "@tanstack/react-query";
import KeyRound from "lucide-react/icons/key-round";
import User from "lucide-react/icons/user-round";
import { useState } from "react";
import { useLocation } from "wouter";
import { queryClient } from "./data/queries.ts";
import { type Recruit, recruitQueries } from "./data/recruits.ts";
import type { User as SignedIn } from "./data/user.ts";
import type { Entry } from "./entries.tsx";
import { useActs } from "./ui/acts.ts";
import { fullName } from "./ui/name.ts";
import { Palette, type PaletteEntry } from "./ui/palette.tsx";
import { phoneText } from "./ui/phone.ts";
import { useDebounced } from "./ui/search.tsx";

/** The palette of a user: the acts of what is open, the views, and the recruits that the user may see. */
export function DeskPalette({ user: { agent }, entries, onClose }: {
  user: SignedIn;
  entries: Entry[];
  onClose: () => void;
}) {
  const [, navigate] = useLocation();
  const [typed, setTyped] = useState("");
  const words = useDebounced(typed.trim());
  const { data: recruits = [], isFetching } = useQuery({
    ...recruitQueries.found(agent?.agency_id ?? "", words),
    enabled: agent !== null && words !== "",
  });
  const acts = useActs().map(({ label, icon, keys, run }): PaletteEntry => ({
    id: `act-${label}`,
    group: "Do",
    label,
    icon,
    keys,
    run,
  }));
  const views = entries.map(({ to, label, icon }): PaletteEntry => ({
    id: `view${to.replaceAll("/", "-")}`,
    group: "Go to",
    label,
    icon,
    run: () => navigate(to),
  }));
  const entryOf = (group: string, recruit: Recruit): PaletteEntry => ({
    id: recruit.id,
    group,
    label: fullName(recruit),
    hint: [recruit.phone && phoneText(recruit.phone), recruit.email].filter(Boolean).join(" · "),
    icon: User,
    isFound: true,
    run: () => navigate(`/recruits/${recruit.id}`),
  });
  const found = typed.trim() === "" ? [] : recruits.map((recruit) => entryOf("Recruits", recruit));
  // Those whose page or conversation was open in the last minutes.
  const recent = typed.trim() !== "" ? [] : queryClient.getQueryCache()
    .findAll({ queryKey: recruitQueries.details() })
    .toSorted((one, other) => other.state.dataUpdatedAt - one.state.dataUpdatedAt)
    .flatMap(({ state }) => state.data ? [entryOf("Recent", state.data as Recruit)] : []);
  const password = { id: "password", group: "Go to", label: "Change the password", icon: KeyRound };
  return (
    <Palette
      entries={[...acts, ...recent, ...views, { ...password, run: () => navigate("/password") }, ...found]}
      typed={typed}
      onType={setTyped}
      isBusy={isFetching || words !== typed.trim()}
      onClose={onClose}
    />
  );
}
