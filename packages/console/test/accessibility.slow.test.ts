import { checkPages } from "./accessible-pages.ts";

checkPages("the other pages", (isQuick) => !isQuick);
