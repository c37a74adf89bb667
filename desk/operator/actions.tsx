import { Link } from "wouter";
import { type OperatorAction, operatorActions } from "../data/operator_actions.ts";
import { usePages } from "../data/pages.ts";
import { SelectField } from "../ui/filters.tsx";
import { useParameter } from "../ui/location.ts";
import { Page } from "../ui/page.tsx";
import { EmptyState } from "../ui/query_result.tsx";
import { Table } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { actionOf, actionText, subjectText } from "./action_words.ts";
import { useVendorName } from "./vendor_name.tsx";

/** What operators changed or were shown, on the page and by the command. */
export function Actions() {
  const [operator] = useParameter("operator");
  const [action] = useParameter("action");
  const query = usePages(operatorActions(operator, action));
  const optionsOf = (member: "operator" | "action", chosen: string | null) =>
    [...new Set([chosen ?? [], query.data?.map((row) => row[member]) ?? []].flat())].toSorted();
  return (
    <Page title="Audit log">
      <p className="quiet">
        Each change by an operator, and each time that one was shown personal data, here or by a command. The history of
        each <Link href="/operator/agencies">agency</Link> has what its managers changed, too.
      </p>
      <form className="filters" role="search" onSubmit={(event) => event.preventDefault()}>
        <SelectField
          name="operator"
          label="Operator"
          all="All operators"
          options={optionsOf("operator", operator).map((name) => [name, name])}
        />
        <SelectField
          name="action"
          label="Action"
          all="All actions"
          options={optionsOf("action", action).map((name) => [name, actionText(name)])}
        />
      </form>
      <Table
        label="Audit log"
        query={query}
        resource="actions"
        empty={<EmptyState title="No operator has done anything yet." />}
        keyOf={({ id }) => id}
        nameOf={actionOf}
        columns={[
          { title: "When", cell: ({ created_at }) => <Time at={created_at} />, isPlain: true },
          { title: "Operator", cell: ({ operator }) => <bdi>{operator}</bdi>, isPlain: true },
          { title: "Action", cell: actionOf, isHeader: true },
          { title: "Subject", cell: (action) => <Subject of={action} />, isPlain: true },
        ]}
      />
    </Page>
  );
}

const VIEWS = { lead_id: "search", delivery_id: "deliveries", order_id: "orders" };

/** A subject, which leads to the view of the lead, the delivery or the order that it names. */
function Subject({ of }: { of: OperatorAction }) {
  const nameOf = useVendorName();
  const words = <bdi>{subjectText(of, nameOf)}</bdi>;
  const [found] = Object.entries(VIEWS).filter(([member]) => typeof of.subject[member] === "string");
  return found ? <Link href={`/operator/${found[1]}/${of.subject[found[0]]}`}>{words}</Link> : words;
}
