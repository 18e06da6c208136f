import { checkPages } from "./accessible-pages.ts";

checkPages("the other pages", (isOfLayout) => !isOfLayout);
