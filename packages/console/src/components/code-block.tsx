import classes from "./code-block.module.css";
import { CopyButton } from "./copy-button.tsx";

/** Text in a fixed-width font, with a button that copies it. */
export function CodeBlock({ code, label = "Copy" }: { code: string; label?: string }) {
  return (
    <div className={classes.block}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long lines scroll, also with the keyboard */}
      <pre className={classes.code} tabIndex={0}>
        <code>{code}</code>
      </pre>
      <div className={classes.copy}>
        <CopyButton value={code} label={label} />
      </div>
    </div>
  );
}
