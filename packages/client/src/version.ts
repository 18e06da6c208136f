/** The build replaces it by the commit that was built. */
declare const BUILD_COMMIT: string | undefined;

/** `npm run release` writes it. A test compares it with package.json. */
export const VERSION = "0.1.0";

/**
 * The version as people see it, such as `1.0.0 (3f786850e387)`. The commit is missing if the program runs from source.
 */
export const FULL_VERSION = typeof BUILD_COMMIT === "string" ? `${VERSION} (${BUILD_COMMIT})` : VERSION;
