import { useRef, useState } from "react";
import { downloadFile, type Media, type MediaCopy, signedUrl } from "../data/messages.ts";
import { ActionButton } from "../ui/action.tsx";

/** The pictures that every browser shows. */
const SHOWN = ["image/jpeg", "image/png", "image/gif", "image/webp"];

/** Why there is no copy of a recruit's file, by `media_copies.reason`. */
const REASONS: Record<string, string> = {
  too_large: "it has more than 5 MB",
  type: "it is no picture, video, sound, PDF or contact",
  gone: "the provider does not have it any more",
  address: "it does not lie with the provider",
};

/**
 * A file of a text. One of the recruit's lies with the provider, at an address of strangers: the page opens its copy.
 */
export function Attachment({ file, copy, number, sender }: {
  file: Media;
  copy: MediaCopy | undefined;
  /** Its place in the text, from 1. */
  number: number;
  sender: string;
}) {
  const { url, content_type } = file;
  if (url.startsWith("text-media/")) return <Download path={pathOf(url)} type={content_type} />;
  if (copy === undefined) return <p className="quiet">A file ({content_type}) that this page cannot show</p>;
  if (copy.state === "waiting") return <p className="quiet">A file ({content_type}) that is being fetched</p>;
  if (copy.state === "failed") {
    return (
      <p className="quiet">
        The file ({content_type}) could not be kept: {REASONS[copy.reason] ?? "the provider did not give it"}.
      </p>
    );
  }
  return SHOWN.includes(copy.content_type)
    ? <Picture path={copy.path} number={number} sender={sender} />
    : <Download path={copy.path} type={copy.content_type} />;
}

function pathOf(url: string): string {
  return url.slice("text-media/".length);
}

function Download({ path, type }: { path: string; type: string }) {
  return <ActionButton act={() => downloadFile(path)}>Download the file ({type})</ActionButton>;
}

/** A picture, which is fetched when the user wants to see it: it may be an ID. */
function Picture({ path, number, sender }: { path: string; number: number; sender: string }) {
  const alt = `Picture ${number} from ${sender}`;
  const dialog = useRef<HTMLDialogElement>(null);
  const [url, setUrl] = useState<string | null>(null);
  const [isBroken, setBroken] = useState(false);

  async function open(): Promise<void> {
    setBroken(false);
    setUrl(await signedUrl(path));
    dialog.current!.showModal();
  }

  return (
    <>
      <ActionButton act={open}>Show picture {number}</ActionButton>
      <dialog ref={dialog} className="viewer" aria-label={alt} onClose={() => setUrl(null)}>
        {url !== null && !isBroken && <img src={url} alt={alt} onError={() => setBroken(true)} />}
        {isBroken && <p className="problem" role="alert">The picture could not be loaded. Close it and try again.</p>}
        <p className="buttons">
          <button type="button" className="primary" onClick={() => dialog.current!.close()}>Close</button>
          <ActionButton act={() => downloadFile(path)}>Download</ActionButton>
        </p>
      </dialog>
    </>
  );
}
