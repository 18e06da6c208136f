import { checkPages } from "./accessible-pages.ts";

checkPages("one page of each layout", (isOfLayout) => isOfLayout);
