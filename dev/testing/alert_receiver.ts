import { RecordingServer } from "./recording_server.ts";

/** The secret with which requests to a receiver are signed. */
export const ALERT_SECRET = `whsec_${btoa("0123456789abcdef0123456789abcdef")}`;

/** Where links lead on a stack that serves no desk, because to build it takes seconds. */
export const DESK_URL = "https://desk.example/desk/";

/** The settings with which functions notify a receiver on this port of alerts. */
export function alertSettings(port: number): Record<string, string> {
  return {
    ALERT_WEBHOOK_URL: `http://127.0.0.1:${port}/alerts`,
    ALERT_WEBHOOK_SECRET: ALERT_SECRET,
    ALERT_HEARTBEAT_URL: `http://127.0.0.1:${port}/heartbeat`,
  };
}

/** The body of a message about alerts. */
interface AlertBody {
  text: string;
  kind: string;
  subject: string;
  state: string;
}

/** A program that is notified of alerts, over real HTTP. */
export class AlertReceiver extends RecordingServer {
  static override readonly portVariable = "ALERT_RECEIVER_PORT";

  /** The settings with which functions use it. */
  get settings(): Record<string, string> {
    return alertSettings(this.port);
  }

  /** The bodies about a subject that it has got, oldest first, each repetition too. */
  bodiesAbout(subject: string): AlertBody[] {
    return this.requests.filter(({ path }) => path === "/alerts").map(({ body }): AlertBody => JSON.parse(body))
      .filter((body) => body.subject === subject);
  }
}
