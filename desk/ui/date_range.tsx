import { useParameter } from "./location.ts";

/** The numbers of days that a view may look at. */
const DAYS = [7, 14, 30, 90];
/** The number of days where the address names none. */
export const USUAL_DAYS = 14;

/** The number of days that the address names: 14 unless it names another of those that {@link DateRange} offers. */
export function useDays(): [number, (days: number) => void] {
  const [given, set] = useParameter("days");
  const days = DAYS.find((days) => String(days) === given) ?? USUAL_DAYS;
  return [days, (days) => set(days === USUAL_DAYS ? null : String(days))];
}

/** Chooses how many days a view looks at. It stands in the address. */
export function DateRange() {
  const [chosen, choose] = useDays();
  return (
    <div className="segments" role="group" aria-label="Days">
      {DAYS.map((days) => (
        <button key={days} type="button" aria-pressed={days === chosen} onClick={() => choose(days)}>
          {days === chosen ? `${days} days` : (
            <>
              {days} <span className="visually-hidden">days</span>
            </>
          )}
        </button>
      ))}
    </div>
  );
}
