/** Version of the functions: that of package.json. */
export const VERSION = "3.0.0";

/** The migration that the functions need, by its version. `npm run migration` writes it. */
export const NEWEST_MIGRATION = "20261121000000";
