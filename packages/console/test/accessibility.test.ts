import { checkPages } from "./accessible-pages.ts";

checkPages("a page with each kind of component", (isQuick) => isQuick);
