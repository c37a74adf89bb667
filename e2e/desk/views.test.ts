/** The tests of the page and of its other views, in one process. Those of the inbox are in conversations.test.ts. */
import "./inbox_list.ts";
import "./session.ts";
import "./frame.ts";
import "./live.ts";
import "./home.ts";
import "./team.ts";
import "./recruits.ts";
import "./recruit_timeline.ts";
import "./recruit_export.ts";
import "./look_up.ts";
import "./operator.ts";
import "./operator_acts.ts";
import "./operator_orders.ts";
import "./operator_replay.ts";
import "./mapping.ts";
import "./sales.ts";
import "./presentation.ts";
