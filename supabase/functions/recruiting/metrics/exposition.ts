/** The text format of Prometheus: https://prometheus.io/docs/instrumenting/exposition_formats/ */

/** The value of a series, as read_metrics() returns it. */
export interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

/** The metrics in the order of the output, each with its type and description. */
const METRICS: Record<string, { type: "counter" | "gauge"; help: string }> = {
  lead_intake_leads_total: { type: "counter", help: "Leads by vendor: created, duplicate, or rejected." },
  lead_intake_leads_waiting: { type: "gauge", help: "Leads that no order has got, by vendor." },
  lead_intake_order_filled: { type: "gauge", help: "Leads that an order has got. Closed orders are left out." },
  lead_intake_order_quantity: { type: "gauge", help: "Leads that an order is to get." },
  lead_intake_texts_total: { type: "counter", help: "Texts that were sent, or refused, or failed." },
  lead_intake_texts_open: { type: "gauge", help: "Texts that are not sent yet, by state." },
  lead_intake_texts_oldest_due_seconds: {
    type: "gauge",
    help: "Age of the text that has been due longest; 0: none is.",
  },
  lead_intake_dispatches_total: { type: "counter", help: "Dispatches to destinations that have ended, by state." },
  lead_intake_dispatches_open: { type: "gauge", help: "Dispatches that wait or are being sent, by state." },
  lead_intake_dispatches_oldest_due_seconds: {
    type: "gauge",
    help: "Age of the dispatch that has been due longest; 0: none is.",
  },
  lead_intake_recruits_unanswered: { type: "gauge", help: "Recruits who wait for an answer, by agency." },
  lead_intake_bot_sessions: { type: "gauge", help: "Conversations of the bot, by state." },
  lead_intake_alerts: { type: "gauge", help: "Alerts that are not resolved, by kind." },
};

/**
 * Formats samples as text, grouped by metric.
 *
 * @throws {Error} for a metric without a description
 */
export function exposition(samples: Sample[]): string {
  const byName = Map.groupBy(samples, ({ name }) => name);
  const unknown = byName.keys().find((name) => !(name in METRICS));
  if (unknown !== undefined) throw new Error(`METRICS lacks ${unknown}`);
  return Object.entries(METRICS).map(([name, { type, help }]) => {
    const lines = (byName.get(name) ?? []).map(({ labels, value }) => `${name}${labelsText(labels)} ${value}`);
    return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines.sort(), ""].join("\n");
  }).join("");
}

function labelsText(labels: Record<string, string>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escape(value)}"`);
  return pairs.length > 0 ? `{${pairs.sort().join()}}` : "";
}

function escape(value: string): string {
  return value.replace(/[\\"\n]/g, (character) => character === "\n" ? "\\n" : `\\${character}`);
}
