import { useQuery } from "@tanstack/react-query";
import { conversationQueries } from "../data/conversation.ts";
import { timeText, useMinute } from "./time.tsx";

/**
 * While a text would wait for the end of the quiet hours: the time where the recruit lives, and when it is sent.
 *
 * @param heardAt the time of the recruit's latest text, to which an answer does not wait
 */
export function QuietHours({ conversationId, name, heardAt }: {
  conversationId: string;
  name: string;
  heardAt: string | undefined;
}) {
  useMinute();
  const { data: hours } = useQuery(conversationQueries.hours(conversationId));
  if (hours === undefined || hours.opens_at === hours.at) return null;
  if (heardAt !== undefined && Date.parse(heardAt) > Date.parse(hours.at)) return null;
  const clocks = hours.timezones.map((timeZone) =>
    new Date().toLocaleTimeString("en-US", { timeZone, hour: "numeric", minute: "2-digit", timeZoneName: "short" })
  );
  return (
    <p className="quiet">
      {clocks.length === 1 || clocks.length === 2
        ? `It is ${clocks.join(" or ")} for `
        : "It may be early or late for "}
      <bdi>{name}</bdi>.{" "}
      {hours.opens_at === "infinity" ? "A text is held." : `A text waits until ${timeText(hours.opens_at)}.`}
    </p>
  );
}
