import { useEffect, useState } from "react";
import { downloadFile, type Media, type MediaCopy, readPicture } from "../data/messages.ts";
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
 * A file of a text, with the name of who sent it. One of the recruit's lies with the provider, at an address of
 * strangers: the page opens its copy.
 */
export function Attachment({ file, copy, number, sender }: {
  file: Media;
  copy: MediaCopy | undefined;
  /** Its place in the text, from 1. */
  number: number;
  sender: string;
}) {
  const { url, content_type } = file;
  const stored = (path: string, type: string) =>
    SHOWN.includes(type)
      ? <Picture path={path} number={number} sender={sender} />
      : <Download path={path} type={type} />;
  if (url.startsWith("text-media/")) return stored(url.slice("text-media/".length), content_type);
  if (copy === undefined) return <p className="quiet">A file ({content_type}) that this page cannot show</p>;
  if (copy.state === "waiting") return <p className="quiet">A file ({content_type}) that is being fetched</p>;
  if (copy.state === "failed") {
    return (
      <p className="quiet">
        The file ({content_type}) could not be kept: {REASONS[copy.reason] ?? "the provider did not give it"}.
      </p>
    );
  }
  return stored(copy.path, copy.content_type);
}

function Download({ path, type }: { path: string; type: string }) {
  return <ActionButton act={() => downloadFile(path)}>Download the file ({type})</ActionButton>;
}

/** A picture, which is fetched when the user wants to see it: it may be an ID. */
function Picture({ path, number, sender }: { path: string; number: number; sender: string }) {
  const [url, setUrl] = useState<string | null>(null);
  const [isBroken, setBroken] = useState(false);
  useEffect(() => () => {
    if (url !== null) URL.revokeObjectURL(url);
  }, [url]);

  async function show(): Promise<void> {
    setBroken(false);
    setUrl(URL.createObjectURL(await readPicture(path)));
  }

  return (
    <>
      {url !== null && !isBroken && (
        <img
          className="picture"
          src={url}
          alt={`Picture ${number} from ${sender}`}
          onLoad={({ currentTarget }) => currentTarget.scrollIntoView({ block: "nearest" })}
          onError={() => setBroken(true)}
        />
      )}
      {url !== null && isBroken && <p className="problem" role="alert">The picture cannot be shown. Download it.</p>}
      <p className="buttons">
        <ActionButton act={() => url === null ? show() : setUrl(null)}>
          {url === null ? "Show" : "Hide"} picture {number}
        </ActionButton>
        {url !== null && <ActionButton act={() => downloadFile(path)}>Download</ActionButton>}
      </p>
    </>
  );
}
