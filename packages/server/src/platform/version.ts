/** The build replaces it by the commit that was built. */
declare const BUILD_COMMIT: string | undefined;

/** `npm run release` writes it. A test compares it with package.json. */
export const VERSION = "0.1.0";

/** Undefined if the program runs from source. */
export const COMMIT = typeof BUILD_COMMIT === "string" ? BUILD_COMMIT : undefined;

/** The version for people, such as `1.0.0 (3f786850e387)`. */
export const FULL_VERSION = COMMIT ? `${VERSION} (${COMMIT})` : VERSION;
