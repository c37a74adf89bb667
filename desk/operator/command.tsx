import { useState } from "react";

/** A command for the terminal, which can be copied. `line` follows `npm run admin --`. */
export function Command({ line }: { line: string }) {
  const [isCopied, setCopied] = useState(false);
  const command = `npm run admin -- ${line}`;
  return (
    <p className="command">
      <code>{command}</code>
      {/* Browsers copy only on pages that came by https. A click on the command marks all of it. */}
      {isSecureContext && (
        <button
          type="button"
          onClick={() => void navigator.clipboard.writeText(command).then(() => setCopied(true), () => {})}
        >
          {isCopied ? "Copied" : "Copy"}
          <span className="visually-hidden">the command {command}</span>
        </button>
      )}
    </p>
  );
}
