import { checkLayout } from "./layout-pages.ts";
import { PAGES } from "./pages.ts";

checkLayout("every page", PAGES);
