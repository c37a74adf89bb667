import Handshake from "lucide-react/icons/handshake";
import House from "lucide-react/icons/house";
import InboxIcon from "lucide-react/icons/inbox";
import SettingsIcon from "lucide-react/icons/settings";
import Users from "lucide-react/icons/users";
import Wrench from "lucide-react/icons/wrench";
import type { User } from "./data/user.ts";
import type { Icon } from "./ui/icon_button.tsx";

/** A view to which the rail leads. */
export interface Entry {
  to: string;
  label: string;
  icon: Icon;
}

/** The views of a user, in the order of the rail. */
export function entriesOf({ agent, is_operator }: User): Entry[] {
  const isManager = agent?.role === "manager";
  return [
    isManager && { to: "/home", label: "Home", icon: House },
    agent !== null && { to: "/inbox", label: "Inbox", icon: InboxIcon },
    agent !== null && { to: "/recruits", label: "Recruits", icon: Users },
    agent !== null && { to: "/sales", label: "Sales leads", icon: Handshake },
    isManager && { to: "/settings", label: "Settings", icon: SettingsIcon },
    is_operator && { to: "/operator", label: "Operator", icon: Wrench },
  ].filter((entry) => entry !== false);
}
