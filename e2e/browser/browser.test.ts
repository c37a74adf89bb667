/** All tests in a browser, in one process, because it takes seconds to unpack and start one. */
import "./examples.ts";
import "./passwords.ts";
import "./texting.ts";
