/** The examples of what a view is made of. `#parts` shows the quiet ones together. */
import Archive from "lucide-react/icons/archive";
import Check from "lucide-react/icons/check";
import Clock from "lucide-react/icons/clock";
import Inbox from "lucide-react/icons/inbox";
import MoreHorizontal from "lucide-react/icons/ellipsis";
import Trash from "lucide-react/icons/trash-2";
import Users from "lucide-react/icons/users";
import { type ReactNode, useState } from "react";
import { Avatar } from "../avatar.tsx";
import { Badge } from "../badge.tsx";
import { BarChart } from "../bar_chart.tsx";
import { DateRange, useDays } from "../date_range.tsx";
import { Drawer } from "../drawer.tsx";
import { Figure } from "../figure.tsx";
import { IconButton } from "../icon_button.tsx";
import { Menu } from "../menu.tsx";
import { Palette } from "../palette.tsx";
import { EmptyState } from "../query_result.tsx";
import { Table } from "../table.tsx";
import { Tabs } from "../tabs.tsx";
import { showToast, Toasts } from "../toast.tsx";

interface Person {
  id: string;
  name: string;
  state: string;
  waiting: number;
  agent: string;
}

const NAMES = ["Maya Ortiz", "Omar Haddad", "Ruth Lindqvist", "Devon Price", "Grace Kim", "Tomás Rivera"];

function people(count: number): Person[] {
  return Array.from({ length: count }, (_, n) => ({
    id: `id-${n}`,
    name: count > NAMES.length ? `${NAMES[n % NAMES.length]} ${n}` : NAMES[n]!,
    state: ["IL", "TX", "OH"][n % 3]!,
    waiting: n * 7 % 11,
    agent: ["James Okafor", "Lena Marsh"][n % 2]!,
  }));
}

function done(what: string): void {
  document.querySelector("output")!.append(`${what};`);
}

/** A table of so many people; of none it is empty. */
function People({ count }: { count: number }) {
  return (
    <>
      <Table
        label="People"
        query={{ data: people(count), error: null, refetch() {} }}
        resource="people"
        empty={<EmptyState title="Nobody.">Look again tomorrow.</EmptyState>}
        sort="name"
        keyOf={({ id }) => id}
        nameOf={({ name }) => name}
        hrefOf={({ id }) => `/people/${id}`}
        columns={[
          { title: "Name", key: "name", cell: ({ name }) => name, sortBy: ({ name }) => name, isHeader: true },
          { title: "State", cell: ({ state }) => state },
          { title: "Agent", cell: ({ agent }) => <Avatar id={agent} name={agent} isNamed />, isMinor: true },
          { title: "Stage", cell: () => <Badge meaning="good" icon={Check}>Hired</Badge> },
          {
            title: "Waiting",
            key: "waiting",
            cell: ({ waiting }) => waiting,
            sortBy: ({ waiting }) => waiting,
            isNumber: true,
            isGreatestFirst: true,
          },
        ]}
        menuOf={({ name }) => [{ label: "Archive", icon: Archive, run: () => done(`archive ${name}`) }]}
        acts={(rows, clear) => (
          <button
            type="button"
            className="primary"
            onClick={() => {
              done(`give ${rows.map(({ name }) => name).join()}`);
              clear();
            }}
          >
            Give them away
          </button>
        )}
      />
      <output />
    </>
  );
}

const SERIES = ["Indeed", "ZipRecruiter", "Job board", "Referral"].map((name) => ({ key: name, name }));

function Chart() {
  const bars = Array.from({ length: 14 }, (_, day) => ({
    key: String(day),
    label: `Nov ${day + 10}`,
    href: `/day/${day}`,
    values: { Indeed: day * 5 % 9, ZipRecruiter: day % 4, "Job board": day * 3 % 5, Referral: day % 2 },
  }));
  return <BarChart label="Recruits by day and vendor" unit={["recruit", "recruits"]} bars={bars} series={SERIES} />;
}

function MenuExample() {
  return (
    <>
      <Menu
        label="More"
        icon={MoreHorizontal}
        items={[
          { label: "Snooze", icon: Clock, keys: "S", run: () => done("snooze") },
          { label: "Recruits", icon: Users, href: "/recruits" },
          { label: "Delete", icon: Trash, isBad: true, run: () => done("delete") },
        ]}
      />
      <output />
    </>
  );
}

function DrawerExample() {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>Open it</button>
      {isOpen && (
        <Drawer title="About Maya" onClose={() => setOpen(false)}>
          <p>Maya lives in Illinois.</p>
        </Drawer>
      )}
    </>
  );
}

function PaletteExample() {
  const [typed, setTyped] = useState("");
  const [isOpen, setOpen] = useState(true);
  const go = { group: "Go to", icon: Inbox };
  return (
    <>
      {isOpen && (
        <Palette
          entries={[
            { id: "inbox", ...go, label: "Inbox", keys: "G I", run: () => done("inbox") },
            { id: "recruits", ...go, label: "Recruits", icon: Users, run: () => done("recruits") },
            {
              id: "maya",
              group: "Recruits",
              label: "Maya Ortiz",
              hint: "(312) 555-0142",
              isFound: true,
              run: () => done("maya"),
            },
          ]}
          typed={typed}
          onType={setTyped}
          isBusy={false}
          onClose={() => setOpen(false)}
        />
      )}
      <output />
    </>
  );
}

function ToastExample() {
  const [count, setCount] = useState(1);
  return (
    <>
      <button
        type="button"
        onClick={() => {
          setCount(count + 1);
          showToast(`Moved ${count}`, { meaning: "good", act: { label: "Undo", run: () => done(`undo ${count}`) } });
        }}
      >
        Move
      </button>
      <output />
      <Toasts />
    </>
  );
}

function Days() {
  const [days] = useDays();
  return (
    <>
      <DateRange />
      <p role="status">{days} days</p>
    </>
  );
}

function Figures() {
  return (
    <div className="figure-row">
      <Figure label="Recruits" value={1284} before={1102} values={[3, 5, 4, 8, 7, 9, 12]} href="/list" />
      <Figure
        label="First response"
        value={12}
        before={9}
        isLessBetter
        format={(n) => `${n} min`}
        values={[9, 8, 12]}
      />
      <Figure label="Waiting" value={null} />
    </div>
  );
}

function Small() {
  return (
    <p className="buttons">
      <Badge>Held</Badge>
      <Badge meaning="info">Bot</Badge>
      <Badge meaning="good" icon={Check}>Hired</Badge>
      <Badge meaning="warn">1 h</Badge>
      <Badge meaning="bad">Not delivered</Badge>
      {NAMES.map((name, place) => <Avatar key={name} id={`id-${place}`} name={name} />)}
      <Avatar id="id-1" name="Omar Haddad" isNamed />
      <IconButton icon={Clock} label="Snooze" keys="S" />
      <button type="button" className="primary">Send</button>
      <button type="button">Cancel</button>
    </p>
  );
}

/** The examples by their names in the address. */
export const PARTS: Record<string, () => ReactNode> = {
  "table": () => <People count={6} />,
  "table-long": () => <People count={5000} />,
  "bar-chart": () => <Chart />,
  "menu": () => <MenuExample />,
  "drawer": () => <DrawerExample />,
  "palette": () => <PaletteExample />,
  "toast": () => <ToastExample />,
  "parts": () => (
    <>
      <Tabs label="Parts" tabs={[{ href: "/parts", label: "All", count: 12 }, { href: "/other", label: "Other" }]} />
      <Small />
      <Days />
      <Figures />
      <div className="panel">
        <Chart />
      </div>
      <People count={6} />
    </>
  ),
};
