import { checkLayout } from "./layout-pages.ts";
import { PAGES } from "./pages.ts";

/** The widest tables, which the slow tests check at more widths together with all other pages. */
const WIDEST = ["database-builds", "catalogue-family", "history"];

checkLayout(
  "a page with a wide table",
  PAGES.filter(({ name }) => WIDEST.includes(name)),
  [390, 1024, 1440],
);
